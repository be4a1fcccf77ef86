package view

import "testing"

func TestLabel(t *testing.T) {
	for name, want := range map[string]string{
		"apitrace.request.verb": "verb", "apitrace.request.name": "name", "apitrace.user.name": "user", "apitrace.storage.type": "storage",
		"apitrace.etcd.key": "etcd.key", "apitrace.etcd.txn.succeeded": "succeeded", "apitrace.kind": "kind",
		"k8s.namespace.name": "namespace", "http.response.status_code": "status_code",
	} {
		if got := valueLabel(name, false); got != want {
			t.Errorf("the label of %q is %q, want %q", name, got, want)
		}
		if got := valueLabel(name, true); "apitrace."+got != name && got != name {
			t.Errorf("the label of %q in the full view is %q, want the name, without \"apitrace.\"", name, got)
		}
	}
}
