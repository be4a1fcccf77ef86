package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// answers reports whether a call authenticates or authorizes the request. yes
// reports whether the call accepted.
func answers(call *trace.Call) (answers, yes bool) {
	decided, ok := decision(call), call.Attributes[trace.AttrAuthenticationOK]
	return decided != "" || ok != "", decided == "Allow" || ok == "true"
}

// lastNo returns the call with the last decision among the calls from i up to,
// but not including, before. It returns -1 if there is no decision or if the
// last one accepted. Only the outermost of nested decisions counts: it combines
// the nested ones, such as the results of several authenticators.
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

// whyNot returns the reason for the refusal by call i.
func whyNot(tree *trace.Tree, i int) message.Message {
	switch decided := decision(tree.Call(i)); decided {
	case "":
		return message.Of("does not know who calls")
	case "NoOpinion":
		if looked := lookedAt(tree, i); !looked.IsZero() {
			return message.Of("decision=NoOpinion, nobody allowed it (%s)", looked)
		}
		return message.Of("decision=NoOpinion, nobody allowed it")
	default:
		return message.Of("%s", strings.TrimSpace("decision="+decided+" "+tree.Call(i).Attributes[trace.AttrAuthorizationReason]))
	}
}

// lookedAt describes the bindings or rules that RBAC checked below call i, if
// known.
func lookedAt(tree *trace.Tree, i int) message.Message {
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
		return noneOf(rules, sources)
	case known && bindings == 0:
		return message.Of("RBAC: there are no bindings")
	case known:
		return message.Of("RBAC: none of %d bindings applies to the user", bindings)
	}
	return message.Message{}
}

// noneOf says that none of the rules covers a request, and names the first
// sources of these rules.
func noneOf(rules int, sources []string) message.Message {
	const most = 3
	named := message.List(sources[:min(len(sources), most)])
	switch more := len(sources) - most; {
	case len(sources) == 0:
		return message.Of("RBAC: none of %d rules covers it", rules)
	case more > 0:
		return message.Of("RBAC: none of %d rules covers it, from %s and %d more", rules, named, more)
	}
	return message.Of("RBAC: none of %d rules covers it, from %s", rules, named)
}
