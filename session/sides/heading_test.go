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
			t.Errorf("in %s, two releases: got %q, expected %q", lang, got, want)
		}
	}
	c.CheckoutA.Name, c.A.K8sVersion = "./kubernetes@HEAD", "v1.37.1+3f2a91c0b1.5d41e2aa"
	for lang, want := range map[string]string{
		"en": "get-node: kube-apiserver ./kubernetes@HEAD (v1.37.1+3f2a91c0b1.5d41e2aa), etcd v3.5.10 → v1.37.1, etcd v3.7.0",
		"zh": "get-node：kube-apiserver ./kubernetes@HEAD（v1.37.1+3f2a91c0b1.5d41e2aa），etcd v3.5.10 → v1.37.1，etcd v3.7.0",
	} {
		if got := c.Heading(false, message.For(lang)); got != want {
			t.Errorf("%s: %q, expected %q", lang, got, want)
		}
	}
	c.CheckoutA.Name, c.A.K8sVersion = "", "v1.30.4"
	c.LiveB = true
	if got, want := c.Heading(true, message.Printer{}), "get-node: kube-apiserver v1.30.4, etcd v3.5.10 (recorded 2026-01-02) -> v1.37.1, etcd v3.7.0 (live)"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
}

// A checkout is named as the user named it. The names distinguish checkouts even if
// their source is the same.
func TestNamesOfCheckouts(t *testing.T) {
	release, built := &trace.Recording{Scenario: "get-node", K8sVersion: "v1.37.1"}, &trace.Recording{Scenario: "get-node", K8sVersion: "v1.37.1+3f2a91c0b1.5d41e2aa"}
	side := func(checkout string) Side {
		return Side{Scenario: "get-node", Version: built.K8sVersion, Checkout: Checkout{Name: checkout}, Live: true}
	}
	for _, test := range []struct {
		a, b         *trace.Recording
		sideA, sideB Side
		want         string
	}{
		{built, built, side("./k@main"), side("./k"), "./k@main | ./k"},
		{release, built, Side{Scenario: "get-node", Version: "v1.37.1"}, side("./k"), "v1.37.1 | ./k"},
		{built, release, side("./k"), Side{Scenario: "get-node", Version: "v1.37.1"}, "./k | v1.37.1"},
		{built, built, side("./k"), side("./k"), "now | now"},
	} {
		if nameA, nameB := sideNames(test.a, test.b, test.sideA, test.sideB); nameA+" | "+nameB != test.want {
			t.Errorf("got %s | %s, expected %s", nameA, nameB, test.want)
		}
	}
}
