package view

import "github.com/kubeapitrace/apitrace/trace"

// decisions are the words for an authorizer's decision in releases before v1.35, where it
// is recorded as a number for want of a String method: the constants in
// k8s.io/apiserver/pkg/authorization/authorizer/interfaces.go.
var decisions = map[string]string{"0": "Deny", "1": "Allow", "2": "NoOpinion"}

// InWords returns the value of an attribute as a reader knows it: a decision as newer releases, which have a word for it, record it, and
// a method that serves a route without the wrapper that the compiler makes of it.
func InWords(name, value string) string {
	if name == trace.AttrRouteFunction {
		if place, function := trace.CutRouteFunction(value); place == "" {
			return function
		}
	}
	if word, ok := decisions[value]; ok && name == trace.AttrAuthorizationDecision {
		return word
	}
	return value
}

// decision returns the decision of an authorizer's call, or "" for any other call.
func decision(call *trace.Call) string {
	return InWords(trace.AttrAuthorizationDecision, call.Attributes[trace.AttrAuthorizationDecision])
}
