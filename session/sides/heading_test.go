package sides

import (
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

func TestHeading(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &Compared{Comparison: &diff.Comparison{
		A: &trace.Recording{Scenario: "get-node", K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10", Recorded: at},
		B: &trace.Recording{Scenario: "get-node", K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0", Recorded: at},
	}}
	for lang, want := range map[string]string{
		"en": "get-node: kube-apiserver v1.30.4, etcd v3.5.10 → v1.37.1, etcd v3.7.0",
		"zh": "get-node：kube-apiserver v1.30.4，etcd v3.5.10 → v1.37.1，etcd v3.7.0",
	} {
		if got := c.Heading(false, message.For(lang)); got != want {
			t.Errorf("%s: %q, expected %q", lang, got, want)
		}
	}
	c.LiveB = true
	if got, want := c.Heading(true, message.Printer{}), "get-node: kube-apiserver v1.30.4, etcd v3.5.10 (recorded 2026-01-02) -> v1.37.1, etcd v3.7.0 (live)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
