package code

import (
	"slices"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// KeySteps lists, without repetition, the short names of the functions that the guide
// marks as key steps.
func KeySteps() []string {
	guide, err := instrument.Load()
	if err != nil {
		return nil
	}
	var names []string
	for _, step := range guide.Steps {
		short := funcname.Short(string(step.Function))
		if step.Function.Exact() && !slices.Contains(names, short) {
			names = append(names, short)
		}
	}
	return names
}
