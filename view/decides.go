package view

import "github.com/kubeapitrace/apitrace/trace"

// decisive lists the attributes that matter most for the outcome of a request:
// its sender, its verb and target, its permission, its queue, the place of the
// object, and the answer.
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

// Decides reports whether an attribute is in decisive.
func Decides(attribute string) bool { return decisive[attribute] }
