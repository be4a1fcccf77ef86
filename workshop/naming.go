package workshop

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// receiver is how a method's receiver is declared: "(s *store) Get". Names have no variable in it.
var receiver = regexp.MustCompile(`\(\w+ (\*?)(\w+)\)[ .]*`)

// cleanName takes off what people type around the name of a function.
func cleanName(text string) string {
	text = strings.Trim(text, "`'\" ,;:.")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "func "), "()")
	return receiver.ReplaceAllString(text, "(${1}${2}).")
}

// functionsCalled returns the functions that somebody means by a name: those that trace.FindFunctions finds. If there are
// none, small and capital letters count as the same; then the receiver may be missing, and then the
// package be another, as code that imports it may call it as it likes.
func functionsCalled(text string, known []string) []string {
	if found := trace.FindFunctions(text, known); len(found) > 0 {
		return found
	}
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
	if len(wanted) == 2 && len(found) > 1 {
		return nil // of another type, more likely than of another package
	}
	return found
}

// literalsIn returns the function literals in the functions that somebody means by a name.
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

// nameParts splits a name into package, receiver and function, all in small letters.
func nameParts(name string) []string {
	return strings.Split(strings.ToLower(funcname.Unmarked(funcname.Short(name))), ".")
}

// withoutReceiver leaves out what stands between package and method.
func withoutReceiver(parts []string) []string {
	if len(parts) < 3 || strings.HasPrefix(parts[2], "func") {
		return parts
	}
	return slices.Delete(slices.Clone(parts), 1, 2)
}

func endsIn(parts, wanted []string) bool {
	return len(wanted) <= len(parts) && slices.Equal(parts[len(parts)-len(wanted):], wanted)
}

// nearest returns short names of up to five functions that somebody may have meant, the likest first: of those that are
// spelled like it, and those whose own name has what was typed in it. Those whose own name is what was typed come first.
func nearest(text string, known []string) []string {
	wanted := nameParts(text)
	last := wanted[len(wanted)-1]
	found := trace.NearFunctions(text, known)
	for _, name := range known {
		if parts := nameParts(name); len(last) > 2 && strings.Contains(parts[len(parts)-1], last) {
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
	near := slices.Compact(shorten(found))
	return near[:min(len(near), 5)]
}
