package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// An AmbiguousFunctionError reports that a name matches several functions or types.
type AmbiguousFunctionError struct {
	Query string
	// Types is set if the candidates are types. Types and Functions are both set if
	// they are types and functions. If neither is set, they are functions.
	Types, Functions bool
	// Candidates are the full names, sorted.
	Candidates []string
}

func (e *AmbiguousFunctionError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *AmbiguousFunctionError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *AmbiguousFunctionError) message() message.Message {
	const most = 20
	shown := strings.Join(e.Candidates[:min(most, len(e.Candidates))], "\n  ")
	switch left := len(e.Candidates) - most; {
	case e.Types && e.Functions && left > 0:
		return message.Of("%q matches %d functions and types; use a longer part of the name:\n  %s\n  and %d more", e.Query, len(e.Candidates), shown, left)
	case e.Types && e.Functions:
		return message.Of("%q matches %d functions and types; use a longer part of the name:\n  %s", e.Query, len(e.Candidates), shown)
	case e.Types && left > 0:
		return message.Of("%q matches %d types; use a longer part of the name:\n  %s\n  and %d more", e.Query, len(e.Candidates), shown, left)
	case e.Types:
		return message.Of("%q matches %d types; use a longer part of the name:\n  %s", e.Query, len(e.Candidates), shown)
	case left > 0:
		return message.Of("%q matches %d functions; use a longer part of the name:\n  %s\n  and %d more",
			e.Query, len(e.Candidates), shown, left)
	}
	return message.Of("%q matches %d functions; use a longer part of the name:\n  %s", e.Query, len(e.Candidates), shown)
}

// An UnknownFunctionError reports that a name matches no function or type.
type UnknownFunctionError struct {
	Query string
	// Types is set if the search included types.
	Types bool
	// Where names the searched place, such as "kube-apiserver v1.37.1".
	Where message.Message
	// Near are similar full names, the most similar first.
	Near []string
	// Elsewhere says where such a function exists, if known.
	Elsewhere message.Message
}

func (e *UnknownFunctionError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *UnknownFunctionError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *UnknownFunctionError) message() message.Message {
	switch {
	case !e.Elsewhere.IsZero():
		return message.Of("no function %q in %s: %s", e.Query, e.Where, e.Elsewhere)
	case e.Types && len(e.Near) > 0:
		return message.Of("no function or type %q in %s: did you mean one of these?\n  %s", e.Query, e.Where, strings.Join(e.Near, "\n  "))
	case e.Types:
		return message.Of("no function or type %q in %s: expected a name as the tree shows it, such as \"etcd3.(*store).Get\", or a type, such as \"rest.Getter\"", e.Query, e.Where)
	case len(e.Near) > 0:
		return message.Of("no function %q in %s: did you mean one of these?\n  %s", e.Query, e.Where, strings.Join(e.Near, "\n  "))
	}
	return message.Of("no function %q in %s: expected a name as the tree shows it, such as \"etcd3.(*store).Get\"", e.Query, e.Where)
}

// FindFunctions returns the names that match a query, sorted, each once. A query is a
// full name or its end, such as "etcd3.(*store).Get", "(*Store).Create" or
// "createHandler.func1". If nothing matches, the marks of pointers and type parameters
// are ignored: "Store.Create" then matches. Type parameters may be named as in the
// source: "generic.(*Plugin[H]).Dispatch".
func FindFunctions(query string, names []string) []string {
	query = MarkTypeParameters(query)
	var exact, loose []string
	plain := funcname.Unmarked(query)
	for _, name := range names {
		if funcname.HasEnd(name, query) {
			exact = append(exact, name)
		} else if funcname.HasEnd(funcname.Unmarked(name), plain) {
			loose = append(loose, name)
		}
	}
	if len(exact) == 0 {
		exact = loose
	}
	slices.Sort(exact)
	return slices.Compact(exact)
}

// MarkTypeParameters replaces type parameters and type arguments by funcname.GenericMark:
// "(*Plugin[H]).Dispatch" becomes "(*Plugin[...]).Dispatch".
func MarkTypeParameters(name string) string {
	if !strings.Contains(name, "[") {
		return name
	}
	var marked strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			if depth++; depth == 1 {
				marked.WriteString(funcname.GenericMark)
			}
		case r == ']' && depth > 0:
			depth--
		case depth == 0:
			marked.WriteRune(r)
		}
	}
	if depth > 0 {
		return name // a bracket is not closed
	}
	return marked.String()
}

// NearFunctions returns up to three names that are most similar to the query. A name is
// similar if few letters differ, if it is a function of this name in another package or
// type, or if every word of the query begins a word of the name.
func NearFunctions(query string, names []string) []string {
	type near struct {
		name     string
		distance int
	}
	plain := strings.ToLower(funcname.Unmarked(funcname.Short(MarkTypeParameters(query))))
	last, words := funcname.Last(plain), wordsOf(query)
	var all []near
	for _, name := range names {
		other := strings.ToLower(funcname.Unmarked(funcname.Short(name)))
		distance := levenshtein.ComputeDistance(plain, lastSegments(other, strings.Count(plain, ".")))
		if !strings.Contains(plain, ".") { // the name of a package, a type or a function
			for segment := range strings.SplitSeq(other, ".") {
				distance = min(distance, levenshtein.ComputeDistance(plain, segment))
			}
		}
		if last == funcname.Last(other) {
			distance = min(distance, 2) // the right function of the wrong type or package
		}
		if len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool { return !beginsWord(name, word) }) {
			distance = min(distance, len(plain)/5) // after the names that are nearly equal
		}
		if 5*distance <= len(plain) {
			all = append(all, near{name, distance})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var found []string
	for _, n := range all {
		if len(found) < 3 && !slices.Contains(found, n.name) {
			found = append(found, n.name)
		}
	}
	return found
}

// wordsOf returns the words of a name in lower case: "(*Store).GetList" has store, get and
// list. Words with less than three letters are left out.
func wordsOf(name string) []string {
	var words []string
	begin := 0
	add := func(end int) {
		if end-begin > 2 {
			words = append(words, strings.ToLower(name[begin:end]))
		}
	}
	for i := range len(name) {
		switch c := name[i] | 0x20; { // in lower case
		case c < 'a' || c > 'z':
			add(i)
			begin = i + 1
		case i > begin && isWordStart(name, i):
			add(i)
			begin = i
		}
	}
	add(len(name))
	return words
}

// lastSegments returns the end of a name that has the given number of dots, for
// comparison with a query that has as many.
func lastSegments(name string, dots int) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] != '.' {
			continue
		}
		if dots == 0 {
			return name[i+1:]
		}
		dots--
	}
	return name
}
