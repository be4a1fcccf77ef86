package view

import "github.com/kubeapitrace/apitrace/trace"

// decisive are the attributes that decide a request: who sends it, what it asks for, who allows it,
// how it is queued, where the object is and who answers.
var decisive = map[string]bool{
	trace.AttrUserName: true, trace.AttrAuthenticationOK: true,
	trace.AttrRequestVerb: true, trace.AttrRequestResource: true, trace.AttrRequestName: true, trace.AttrNamespace: true,
	trace.AttrAuthorizationDecision: true, trace.AttrAuthorizationReason: true, trace.AttrRBACBinding: true,
	trace.AttrFlowcontrolFlowSchema: true, trace.AttrFlowcontrolPriorityLevel: true,
	trace.AttrRoute:           true,
	trace.AttrAdmissionPlugin: true, trace.AttrAdmissionVerdict: true,
	trace.AttrCacheHit: true, trace.AttrCacheRevision: true,
	trace.AttrEtcdKey: true, trace.AttrEtcdRevision: true, trace.AttrEtcdTxnSucceeded: true,
	trace.AttrError: true, trace.AttrStatusReason: true, trace.AttrStatusCode: true,
}

// Decides reports whether an attribute is one of those that decide a request.
func Decides(attribute string) bool { return decisive[attribute] }
