package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// answers reports whether a call was asked for permission, and whether it gave it.
func answers(call *trace.Call) (answers, yes bool) {
	decided, ok := decision(call), call.Attributes[trace.AttrAuthenticationOK]
	return decided != "" || ok != "", decided == "Allow" || ok == "true"
}

// lastNo returns the call that had the last word from call i up to, but not including,
// before, if that word was no; else -1. The word is that of the outermost of
// those asked: what it asked others, such as one authenticator after the other, it decided about.
func (f *errorFinder) lastNo(i, before int) int {
	no := -1
	for i < before {
		answered, yes := answers(f.tree.Call(i))
		if !answered || f.tree.End(i) > before {
			i++
			continue
		}
		no = i
		if yes {
			no = -1
		}
		i = f.tree.End(i)
	}
	return no
}

// whyNot says what the call that said no went by.
func whyNot(tree *trace.Tree, i int) string {
	switch decided := decision(tree.Call(i)); decided {
	case "":
		return "does not know who calls"
	case "NoOpinion":
		return "decision=NoOpinion, nobody allowed it" + lookedAt(tree, i)
	default:
		return strings.TrimSpace("decision=" + decided + " " + tree.Call(i).Attributes[trace.AttrAuthorizationReason])
	}
}

// lookedAt says what RBAC went by below call i, "" if that is not known.
func lookedAt(tree *trace.Tree, i int) string {
	var sources []string
	rules, bindings, known := 0, 0, false
	for below := i; below < tree.End(i); below++ {
		attributes := tree.Call(below).Attributes
		if attributes[trace.AttrRBACAllowed] == "false" {
			rules++
			if source := attributes[trace.AttrRBACBinding]; source != "" && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
		if n, err := strconv.Atoi(attributes[trace.AttrRBACBindings]); err == nil {
			bindings, known = bindings+n, true
		}
	}
	switch {
	case rules > 0:
		return fmt.Sprintf(" (RBAC: none of %d rules covers it%s)", rules, from(sources))
	case known && bindings == 0:
		return " (RBAC: there are no bindings)"
	case known:
		return fmt.Sprintf(" (RBAC: none of %d bindings applies to the user)", bindings)
	}
	return ""
}

// from names the first few sources of rules.
func from(sources []string) string {
	const most = 3
	if len(sources) == 0 {
		return ""
	}
	text := ", from " + strings.Join(sources[:min(len(sources), most)], ", ")
	if more := len(sources) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
