package apiserver

import (
	"context"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// Carried returns what an export of a release has: kube-apiserver and its etcd, and with optional the sample API server.
// With rebuild they can be built with edits where the export is imported. Edits of the user are not part of it.
func Carried(ctx context.Context, o BuildOptions, optional, rebuild bool) ([]program.Carried, error) {
	o.EditsDir = ""
	options, err := o.traced(ctx)
	if err != nil {
		return nil, err
	}
	var all []program.Carried
	for _, p := range Programs() {
		if p.Optional && !optional {
			continue
		}
		recipe, err := p.Recipe(options)
		if err != nil {
			return nil, err
		}
		all = append(all, recipe.Carried(rebuild))
	}
	return all, nil
}
