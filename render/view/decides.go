package view

// decisive are the attributes by which a request is decided: who asks, what for, who allows it,
// how it is queued, where the object is and who answered.
var decisive = map[string]bool{
	"apitrace.user.name": true, attrAuthenticated: true,
	"apitrace.request.verb": true, "apitrace.request.resource": true, "apitrace.request.name": true, "k8s.namespace.name": true,
	attrDecision: true, attrWhy: true, attrBinding: true,
	"apitrace.flowcontrol.flow_schema": true, "apitrace.flowcontrol.priority_level": true,
	"apitrace.route": true,
	AttrPlugin:       true, AttrVerdict: true,
	"apitrace.cache.hit": true, "apitrace.cache.revision": true,
	"apitrace.etcd.key": true, "apitrace.etcd.revision": true, "apitrace.etcd.txn.succeeded": true,
	AttrError: true, AttrReason: true, AttrCode: true,
}

// Decides reports whether an attribute is one of those by which a request is decided.
func Decides(attribute string) bool { return decisive[attribute] }
