package trace

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// MatchFunctions returns the names that a user's pattern can mean. It tries
// these rules, from strict to lenient, and uses the first rule that finds names:
//
//   - a full name, or any end of a name; "..." stands for any text
//   - the same, ignoring case, also with "*" for any text; the "*" of "(*T)" is literal
//   - a part of a name, ignoring case: "etcd3", "store.get"
//
// The result is sorted, each name once.
func MatchFunctions(pattern string, names []string) []string {
	for _, matches := range waysToMatch(pattern) {
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !matches(name) })
		if len(found) > 0 {
			slices.Sort(found)
			return slices.Compact(found)
		}
	}
	return nil
}

// HasEachWord reports whether each word of wanted, which are several, begins a word of text,
// ignoring case. The words of "etcd3.(*store).GetList" begin with e, s, G and L. If wanted has
// no spaces, the result is false.
func HasEachWord(text, wanted string) bool {
	words := strings.Fields(strings.ToLower(wanted))
	lower := strings.ToLower(text)
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(lower, word) || !beginsWord(text, word) })
}

// RankFunctions returns the names that any rule of MatchFunctions finds, with
// their ranks. The strictest rule with a result gives rank 0. The next rule that
// finds more names gives rank 1, and so on.
//
// RankFunctions has three rules that MatchFunctions does not have. They come before
// the last rule. The first ignores the marks of pointers and type parameters, so
// that "Cacher.Get" finds "(*Cacher).Get". The second does the same and also ignores
// case. The third finds names with a word that begins with the pattern, ignoring
// case. The search of the page (ui/web/page/src/still-search.ts) has the same rules.
func RankFunctions(pattern string, names []string) map[string]int {
	ways := waysToMatch(pattern)
	unmarked := funcname.Unmarked(wildcards(pattern))
	exact, folded := strictPattern(unmarked), strictPattern(strings.ToLower(unmarked))
	ways = slices.Insert(ways, len(ways)-1,
		func(name string) bool { return exact.Match(funcname.Unmarked(name)) },
		func(name string) bool { return folded.Match(strings.ToLower(funcname.Unmarked(name))) },
		func(name string) bool {
			return beginsWord(name[strings.LastIndex(name, "/")+1:], strings.ToLower(pattern))
		})
	ranks, rank := map[string]int{}, 0
	for _, matches := range ways {
		before := len(ranks)
		for _, name := range names {
			if _, known := ranks[name]; !known && matches(name) {
				ranks[name] = rank
			}
		}
		if len(ranks) > before {
			rank++
		}
	}
	return ranks
}

// waysToMatch returns the rules of MatchFunctions, the strictest first.
func waysToMatch(pattern string) []func(name string) bool {
	strict := strictPattern(pattern)
	folded := strictPattern(strings.ToLower(wildcards(pattern)))
	part := "..." + strings.Trim(strings.ToLower(funcname.Unmarked(wildcards(pattern))), ".") + "..."
	return []func(name string) bool{
		strict.Match,
		func(name string) bool { return folded.Match(strings.ToLower(name)) },
		func(name string) bool {
			return funcname.MatchText(part, strings.ToLower(name)) || funcname.MatchText(part, strings.ToLower(funcname.Unmarked(name)))
		},
	}
}

// beginsWord reports whether a word of a name or another text begins with lower, ignoring
// case. The words of "rbac.(*RBACAuthorizer).Authorize" begin with r, R, A and A.
func beginsWord(name, lower string) bool {
	for i := 0; i+len(lower) <= len(name); i++ {
		if strings.EqualFold(name[i:i+len(lower)], lower) && isWordStart(name, i) {
			return true
		}
	}
	return false
}

func isWordStart(name string, i int) bool {
	is := func(at int, first, last byte) bool { return at < len(name) && first <= name[at] && name[at] <= last }
	switch {
	case i == 0:
		return true
	case is(i, 'A', 'Z'):
		return !is(i-1, 'A', 'Z') || is(i+1, 'a', 'z')
	default:
		return !is(i-1, 'a', 'z') && !is(i-1, 'A', 'Z')
	}
}

// strictPattern returns the matcher for a pattern that a user typed. If the pattern
// begins with a host, such as "k8s.io/", or with "...", it must match the whole name.
// Any other pattern, such as a name in a trace tree, matches every name that ends
// with it.
func strictPattern(p string) funcname.Matcher {
	first, _, slash := strings.Cut(p, "/")
	if full := slash && strings.Contains(first, "."); full || strings.HasPrefix(p, "...") {
		return funcname.Pattern(p).Compile()
	}
	return funcname.Pattern("..." + p).Compile()
}

// wildcards replaces "*" by "...", except in the mark of a pointer.
func wildcards(p string) string {
	const pointer = "(\x00"
	p = strings.ReplaceAll(p, "(*", pointer)
	for strings.Contains(p, "**") {
		p = strings.ReplaceAll(p, "**", "*")
	}
	return strings.ReplaceAll(strings.ReplaceAll(p, "*", "..."), pointer, "(*")
}

// Functions lists the functions that the recording has calls of, each once, in the
// order of their first calls.
func (r *Recording) Functions() []string {
	seen := map[string]bool{}
	var names []string
	for i := range r.Requests {
		for c := range r.Requests[i].Calls {
			if name := r.Requests[i].Calls[c].Function; !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
