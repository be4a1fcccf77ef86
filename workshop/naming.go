package workshop

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// receiver matches a receiver with its variable, as in a declaration: "(s *store) Get".
// In the names of functions, a receiver has no variable.
var receiver = regexp.MustCompile(`\(\w+ (\*?)(\w+)\)[ .]*`)

// place matches a function's place in a tree: "server/handler.go:187".
var place = regexp.MustCompile(`\.go(:\d+)?$`)

// cleanName removes quotes, punctuation and other text that people type around a
// function name.
func cleanName(text string) string {
	text = strings.Trim(text, "`'\" ,;:.")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "func "), "()")
	return receiver.ReplaceAllString(text, "(${1}${2}).")
}

// functionsCalled returns the functions that a typed name may stand for.
//
// It uses trace.FindFunctions. If that finds nothing, it ignores case. If it still finds
// nothing, it accepts a missing receiver, and then any package, because code can import a
// package under any name. If several functions match, the functions with the text's case
// win.
func functionsCalled(text string, known []string) []string {
	if found := trace.FindFunctions(text, known); len(found) > 0 {
		return found
	}
	if at := strings.LastIndexByte(text, '/'); at > 0 {
		known = inFolder(strings.ToLower(text[:at]), known)
	}
	found := loosely(text, known)
	if same := matchingCase(text, found); len(found) > 1 && len(same) > 0 {
		return same
	}
	return found
}

// inFolder returns the names with a package path that contains folder as whole elements,
// as "k8s.io/kubernetes/pkg/registry/core/node/storage" contains "core/node".
func inFolder(folder string, names []string) []string {
	var found []string
	for _, name := range names {
		path := "/" + strings.ToLower(name)
		if strings.Contains(path, "/"+folder+"/") || strings.Contains(path, "/"+folder+".") {
			found = append(found, name)
		}
	}
	return found
}

// matchingCase returns the names with receiver and function spelled as in the text, in
// the same case.
func matchingCase(text string, names []string) []string {
	_, wanted, ok := strings.Cut(funcname.Unmarked(funcname.Short(text)), ".")
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !ok || !strings.HasSuffix(funcname.Unmarked(funcname.Short(name)), "."+wanted)
	})
}

func loosely(text string, known []string) []string {
	wanted := nameParts(text)
	if len(wanted) == 1 {
		return ending(known, wanted)
	}
	if found := ending(known, wanted); len(found) > 0 {
		return found
	}
	if found := matching(known, func(parts []string) bool { return endsIn(withoutReceiver(parts), wanted) }); len(found) > 0 {
		return found
	}
	found := ending(known, wanted[1:])
	if len(wanted) == 2 {
		// Another type is more likely than another package.
		found = slices.DeleteFunc(found, func(name string) bool { return len(nameParts(name)) > 2 })
		if len(found) > 1 {
			return nil
		}
	}
	return found
}

// isNamed reports whether one of names ends with the typed name. The typed name must have
// a package or a receiver.
func isNamed(typed string, names []string) bool {
	wanted := nameParts(typed)
	return len(wanted) > 1 && slices.ContainsFunc(names, func(name string) bool { return endsIn(nameParts(name), wanted) })
}

// isType reports whether a text names a type with known methods.
func isType(text string, known []string) bool {
	wanted := nameParts(text)
	return slices.ContainsFunc(known, func(name string) bool {
		declared, _ := funcname.SplitLiteral(name)
		parts := nameParts(declared)
		return len(parts) == 3 && endsIn(parts[:2], wanted)
	})
}

// literalsIn returns the function literals in the functions that a typed name may stand
// for.
func literalsIn(text string, known []string) []string {
	around := map[string][]string{}
	for _, name := range known {
		if declared, end := funcname.SplitLiteral(name); end != "" {
			around[declared] = append(around[declared], name)
		}
	}
	var found []string
	for _, declared := range functionsCalled(text, slices.Sorted(maps.Keys(around))) {
		found = append(found, around[declared]...)
	}
	return found
}

func ending(known, wanted []string) []string {
	return matching(known, func(parts []string) bool { return endsIn(parts, wanted) })
}

func matching(known []string, matches func(parts []string) bool) []string {
	var found []string
	for _, name := range known {
		if matches(nameParts(name)) {
			found = append(found, name)
		}
	}
	return found
}

// nameParts splits a name into package, receiver and function, in lower case.
func nameParts(name string) []string {
	return strings.Split(strings.ToLower(funcname.Unmarked(funcname.Short(name))), ".")
}

// withoutReceiver removes the part between package and method.
func withoutReceiver(parts []string) []string {
	if len(parts) < 3 || strings.HasPrefix(parts[2], "func") {
		return parts
	}
	return slices.Delete(slices.Clone(parts), 1, 2)
}

func endsIn(parts, wanted []string) bool {
	return len(wanted) <= len(parts) && slices.Equal(parts[len(parts)-len(wanted):], wanted)
}

// hasWords reports whether a lower-case text begins a word of a function's own name:
// "getres" in restfulGetResource.
func hasWords(own, text string) bool {
	at := strings.Index(strings.ToLower(own), text)
	return at == 0 || at > 0 && unicode.IsUpper(rune(own[at]))
}

// misspelled is the maximum number of wrong letters in a text that counts as a misspelled
// name.
const misspelled = 2

// nearest returns the short names of up to five functions that the learner may have
// meant, the best first.
//
// Such a function has a similar name, or a word in its own name that begins with the
// typed text. Functions with exactly the own name in the text come first. A right answer
// is left out, unless the text misspells it, because the list would give it away.
func nearest(text string, known, right []string) []string {
	wanted := nameParts(text)
	last := wanted[len(wanted)-1]
	found := trace.NearFunctions(text, known)
	for _, name := range known {
		if len(last) > 2 && hasWords(funcname.Last(name), last) {
			found = append(found, name)
		}
	}
	distance := func(name string) int {
		return levenshtein.ComputeDistance(strings.Join(wanted, "."), strings.Join(nameParts(name), "."))
	}
	otherName := func(name string) int {
		if parts := nameParts(name); parts[len(parts)-1] == last {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(otherName(a), otherName(b)), cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b))
	})
	var near []string
	for _, name := range found {
		given := slices.Contains(right, name) && distance(name) > misspelled
		if short := funcname.Short(name); !given && !slices.Contains(near, short) {
			near = append(near, short)
		}
	}
	return near[:min(len(near), 5)]
}
