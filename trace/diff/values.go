package diff

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/trace"
)

//go:embed volatile.yaml
var volatileFile []byte

// volatile has, by attribute, the part of its values that varies between runs.
var volatile = sync.OnceValue(func() map[string]*regexp.Regexp {
	var file struct {
		Attributes []struct {
			Name string `yaml:"name"`
			Part string `yaml:"part"`
			Why  string `yaml:"why"`
		} `yaml:"attributes"`
	}
	if err := yaml.Unmarshal(volatileFile, &file); err != nil {
		panic("diff: volatile.yaml: " + err.Error()) // the file is part of the program
	}
	all := map[string]*regexp.Regexp{}
	for _, a := range file.Attributes {
		all[a.Name] = regexp.MustCompile(cmp.Or(a.Part, "(?s).*"))
	}
	return all
})

// settled removes the part of a value that varies between runs, and puts
// single blanks between words.
func settled(name, value string) string {
	if part := volatile()[name]; part != nil {
		value = part.ReplaceAllString(value, "")
	}
	if strings.ContainsFunc(value, unicode.IsSpace) {
		value = strings.Join(strings.Fields(value), " ")
	}
	return value
}

// changedValues lists the values that both calls have and that differ. It
// ignores values that vary between runs, and values in different formats. For
// errors and panics, it compares only whether there is one. A value that only
// one side recorded says nothing about the other side.
func changedValues(x, y *trace.Call) []ValueChange {
	var changed []ValueChange
	for name, a := range x.Attributes {
		b, both := y.Attributes[name]
		if both && a != b && settled(name, a) != settled(name, b) && alikeWritten(a, b) {
			changed = append(changed, ValueChange{name, a, b})
		}
	}
	slices.SortFunc(changed, func(a, b ValueChange) int { return cmp.Compare(a.Name, b.Name) })
	if x.Leaf || y.Leaf {
		return changed // only the entry of a leaf was recorded, so its end is not known
	}
	if (x.Error == "") != (y.Error == "") {
		changed = append(changed, ValueChange{"error", x.Error, y.Error})
	}
	if (x.Panic == "") != (y.Panic == "") {
		changed = append(changed, ValueChange{"panic", x.Panic, y.Panic})
	}
	return changed
}

// alikeWritten reports whether two values have the same format. A number and a
// name may be the same value: a later release may give a numeric type a String
// method.
func alikeWritten(a, b string) bool { return number(a) == number(b) || a == "" || b == "" }

// number reports whether s is a whole number. Atoi allocates an error for
// every other value, so number calls it only for values that begin like a
// number.
func number(s string) bool {
	if s == "" || !strings.Contains("+-0123456789", s[:1]) {
		return false
	}
	_, err := strconv.Atoi(s)
	return err == nil
}
