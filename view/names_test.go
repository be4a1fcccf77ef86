package view

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestPlacesTellFilesApart checks that files with the same last folder and
// name get one more folder, and that other files do not.
func TestPlacesTellFilesApart(t *testing.T) {
	tree, err := trace.NewTree(&trace.Request{Method: "GET", Path: "/", TraceID: "0123456789abcdef0123456789abcdef", Calls: []trace.Call{
		{Process: "kube-apiserver", ID: "0000000000000001", Function: "a/request/union.F", File: "a/request/union/union.go", Line: 1},
		{Process: "kube-apiserver", ID: "0000000000000002", Parent: "0000000000000001", Function: "a/token/union.F", File: "a/token/union/union.go", Line: 2},
		{Process: "kube-apiserver", ID: "0000000000000003", Parent: "0000000000000001", Function: "a/other.F", File: "a/other/union.go", Line: 3},
	}})
	if err != nil {
		t.Fatal(err)
	}
	names := newNames(NewView(tree, viewtest.ByName{}, Choice{Full: true}))
	for i, want := range []string{"request/union/union.go:1", "token/union/union.go:2", "other/union.go:3"} {
		if got := names.Place(tree.Call(i)); got != want {
			t.Errorf("call %d is at %q, expected %q", i, got, want)
		}
	}
}

// TestAcceptingAuthenticator checks that accepting returns an authenticator
// only if the recording says that it knew the user, and that it never returns
// a union of authenticators.
func TestAcceptingAuthenticator(t *testing.T) {
	const union = "k8s.io/apiserver/pkg/authentication/request/union.(*unionAuthRequestHandler).AuthenticateRequest"
	ok := func(value string) map[string]string { return map[string]string{trace.AttrAuthenticationOK: value} }
	for _, test := range []struct {
		name  string
		calls []trace.Call
		want  int
	}{
		{"one knew", []trace.Call{{Process: "kube-apiserver", ID: "0000000000000001", Function: union, Attributes: ok("true")},
			{Process: "kube-apiserver", ID: "0000000000000002", Parent: "0000000000000001", Function: "x/a.F", Attributes: ok("false")},
			{Process: "kube-apiserver", ID: "0000000000000003", Parent: "0000000000000001", Function: "x/b.F", Attributes: ok("true")}}, 2},
		{"only the union is recorded", []trace.Call{{Process: "kube-apiserver", ID: "0000000000000001", Function: union, Attributes: ok("true")},
			{Process: "kube-apiserver", ID: "0000000000000002", Parent: "0000000000000001", Function: "x/a.F", Attributes: ok("false")},
			{Process: "kube-apiserver", ID: "0000000000000003", Parent: "0000000000000001", Function: "x/b.F"}}, -1},
		{"none knew", []trace.Call{{Process: "kube-apiserver", ID: "0000000000000001", Function: union, Attributes: ok("false")}}, -1},
	} {
		tree, err := trace.NewTree(&trace.Request{Method: "GET", Path: "/", TraceID: "0123456789abcdef0123456789abcdef", Calls: test.calls})
		if err != nil {
			t.Fatal(err)
		}
		if got := accepting(tree, 0); got != test.want {
			t.Errorf("%s: accepting returned call %d, expected %d", test.name, got, test.want)
		}
	}
}
