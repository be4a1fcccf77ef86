package view

import "github.com/kubeapitrace/apitrace/trace"

// decisions maps the recorded numbers of an authorizer's decision to words.
// Releases before v1.35 record a number, because the type has no String method
// there. The constants are in
// k8s.io/apiserver/pkg/authorization/authorizer/interfaces.go.
var decisions = map[string]string{"0": "Deny", "1": "Allow", "2": "NoOpinion"}

// InWords returns the value of an attribute as a reader knows it. An authorizer's
// decision becomes the word that newer releases record. If a method serves a
// route, the value names the compiler's wrapper; InWords returns the method.
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

// decision returns the decision of an authorizer's call, or "".
func decision(call *trace.Call) string {
	return InWords(trace.AttrAuthorizationDecision, call.Attributes[trace.AttrAuthorizationDecision])
}
