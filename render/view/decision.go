package view

import "github.com/kubeapitrace/apitrace/trace"

// decisions are the words for an authorizer's decision in releases before v1.35, where it
// is recorded as a number for want of a String method: the constants in
// k8s.io/apiserver/pkg/authorization/authorizer/interfaces.go.
var decisions = map[string]string{"0": "Deny", "1": "Allow", "2": "NoOpinion"}

// InWords is the value of an attribute as releases with a word for it write it.
func InWords(name, value string) string {
	if word, ok := decisions[value]; ok && name == trace.AttrAuthorizationDecision {
		return word
	}
	return value
}

// decision is what an authorizer decided in the call, "" if it is none.
func decision(call *trace.Call) string {
	return InWords(trace.AttrAuthorizationDecision, call.Attributes[trace.AttrAuthorizationDecision])
}
