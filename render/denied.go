package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// Attributes by which the guide says who was asked and what the answer was.
const (
	attrDecision      = "apitrace.authorization.decision"
	attrWhy           = "apitrace.authorization.reason"
	attrAuthenticated = "apitrace.authentication.ok"
	attrRuleAllows    = "apitrace.rbac.allowed"
	attrBinding       = "apitrace.rbac.binding"
	attrBindings      = "apitrace.rbac.bindings"
)

// saysNo reports whether a call was asked for permission and did not give it.
func saysNo(call *trace.Call) bool {
	decision := call.Attributes[attrDecision]
	return decision != "" && decision != "Allow" || call.Attributes[attrAuthenticated] == "false"
}

// lastNo returns the last call that had said no when the given one began, the
// outermost if it passed on the answer of calls below it; -1 if nobody had.
func (f *errorFinder) lastNo(before int) int {
	no := -1
	for i := range before {
		if (no < 0 || i >= f.tree.End(no)) && f.tree.End(i) <= before && saysNo(f.tree.Call(i)) {
			no = i
		}
	}
	return no
}

// whyNot says what the call that said no went by.
func whyNot(tree *trace.Tree, i int) string {
	attributes := tree.Call(i).Attributes
	switch decision := attributes[attrDecision]; decision {
	case "":
		return "no authenticator knows the caller"
	case "NoOpinion":
		return "decision=NoOpinion, nobody allowed it" + lookedAt(tree, i)
	default:
		return strings.TrimSpace("decision=" + decision + " " + attributes[attrWhy])
	}
}

// lookedAt says what RBAC went by below call i, "" if that is not known.
func lookedAt(tree *trace.Tree, i int) string {
	var sources []string
	rules, bindings, known := 0, 0, false
	for below := i; below < tree.End(i); below++ {
		attributes := tree.Call(below).Attributes
		if attributes[attrRuleAllows] == "false" {
			rules++
			if source := attributes[attrBinding]; source != "" && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
		if n, err := strconv.Atoi(attributes[attrBindings]); err == nil {
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
