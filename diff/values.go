package diff

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/trace"
)

//go:embed volatile.yaml
var volatileFile []byte

// volatile are the attributes that vary from run to run.
var volatile = sync.OnceValue(func() map[string]bool {
	var file struct {
		Attributes []struct {
			Name string `yaml:"name"`
			Why  string `yaml:"why"`
		} `yaml:"attributes"`
	}
	if err := yaml.Unmarshal(volatileFile, &file); err != nil {
		panic("diff: volatile.yaml: " + err.Error()) // it is part of the program
	}
	all := map[string]bool{}
	for _, a := range file.Attributes {
		all[a.Name] = true
	}
	return all
})

// changedValues lists the values that both calls have and that differ, but for those
// that vary from run to run. What one side alone has noted says nothing of the other.
func changedValues(x, y *trace.Call) []ValueChange {
	var changed []ValueChange
	for _, name := range slices.Sorted(maps.Keys(x.Attributes)) {
		a, b := x.Attributes[name], y.Attributes[name]
		if _, both := y.Attributes[name]; both && a != b && !volatile()[name] && alikeWritten(a, b) {
			changed = append(changed, ValueChange{name, a, b})
		}
	}
	if (x.Error == "") != (y.Error == "") {
		changed = append(changed, ValueChange{"error", x.Error, y.Error})
	}
	if (x.Panic == "") != (y.Panic == "") {
		changed = append(changed, ValueChange{"panic", x.Panic, y.Panic})
	}
	return changed
}

// alikeWritten reports whether two values are written in the same way. A number and a
// name may be the same: a later release may give a type of numbers a String method.
func alikeWritten(a, b string) bool { return number(a) == number(b) || a == "" || b == "" }

func number(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
