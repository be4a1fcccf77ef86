package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/kubeapitrace/apitrace/trace"
)

// An AmbiguousError says that several functions go by a name.
type AmbiguousError struct {
	Query string
	// Candidates are their full names, sorted.
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	const most = 20
	shown, more := e.Candidates, ""
	if len(shown) > most {
		shown, more = shown[:most], fmt.Sprintf("\n  and %d more", len(e.Candidates)-most)
	}
	return fmt.Sprintf("%q names %d functions; say which, by as much of its name as it takes:\n  %s%s",
		e.Query, len(e.Candidates), strings.Join(shown, "\n  "), more)
}

// An UnknownError says that no function goes by a name.
type UnknownError struct {
	Query string
	// Where is what was searched: "kube-apiserver v1.37.1".
	Where string
	// Near are full names that are like it, the likest first.
	Near []string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("no function %q in %s", e.Query, e.Where)
	if len(e.Near) > 0 {
		text += ": did you mean one of these?\n  " + strings.Join(e.Near, "\n  ")
	} else {
		text += ": expected a name as it stands in the tree, such as \"etcd3.(*store).Get\""
	}
	return text
}

// Match returns those of the names that a query stands for: a full name or the end
// of one, "etcd3.(*store).Get", "(*Store).Create", "createHandler.func1". If there are
// none, the query may leave out what marks pointers and type parameters:
// "Store.Create". The result is sorted, each name once.
func Match(query string, names []string) []string {
	var exact, loose []string
	plain := unmarked(query)
	for _, name := range names {
		if endsWith(name, query) {
			exact = append(exact, name)
		} else if endsWith(unmarked(name), plain) {
			loose = append(loose, name)
		}
	}
	if len(exact) == 0 {
		exact = loose
	}
	slices.Sort(exact)
	return slices.Compact(exact)
}

func endsWith(name, query string) bool {
	rest, ok := strings.CutSuffix(name, query)
	return ok && query != "" && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "."))
}

func unmarked(name string) string {
	return strings.NewReplacer("[...]", "", "(*", "", ")", "").Replace(name)
}

// Near returns up to three of the names that are most like the query.
func Near(query string, names []string) []string {
	type near struct {
		name     string
		distance int
	}
	plain := strings.ToLower(unmarked(shortName(query)))
	last := lastName(plain)
	var all []near
	for _, name := range names {
		other := strings.ToLower(unmarked(shortName(name)))
		distance := levenshtein.ComputeDistance(plain, tail(other, strings.Count(plain, ".")))
		if last == lastName(other) {
			distance = min(distance, 2) // the right function of the wrong type or package
		}
		if 3*distance <= max(len(plain), 6) {
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

// tail is the end of a name from before so many of its dots: of what was asked for
// without its package, only that much can be compared.
func tail(name string, dots int) string {
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

func shortName(name string) string { return (&trace.Call{Function: name}).ShortName() }

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// literal is what the name of a function literal has behind that of its function.
var literal = regexp.MustCompile(`\.func[0-9]+(\.[0-9]+)*$`)

// splitLiteral takes a name apart into that of the declared function, and the rest.
func splitLiteral(name string) (declared, rest string) {
	rest = literal.FindString(name)
	return strings.TrimSuffix(name, rest), rest
}

// importPath is the part of a full name before the function.
func importPath(name string) string {
	slash := strings.LastIndexByte(strings.SplitN(name, "[", 2)[0], '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+1+dot]
}
