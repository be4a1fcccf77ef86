package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestLeaves exports a call with only a recorded entry. In Chrome's format, the call
// is a moment. In stacks, it has no weight.
func TestLeaves(t *testing.T) {
	rec := &trace.Recording{Requests: []trace.Request{{
		TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Calls: []trace.Call{
			{ID: "0000000000000001", Function: "p.Serve", Process: "kube-apiserver", DurationNs: 50},
			{ID: "0000000000000002", Parent: "0000000000000001", Function: "p.Get", Process: "kube-apiserver", StartNs: 10, Leaf: true},
		},
	}}}
	var chrome, folded bytes.Buffer
	if err := WriteChrome(&chrome, rec); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"p.Get","cat":"call","ph":"i","s":"t","ts":0.010,"pid":1,"tid":0,"args":`; !strings.Contains(chrome.String(), want) {
		t.Errorf("expected %s in\n%s", want, chrome.String())
	}
	if err := WriteFolded(&folded, rec); err != nil {
		t.Fatal(err)
	}
	if want := "GET /;p.Serve 50\n"; folded.String() != want {
		t.Errorf("got the stacks %q, expected %q", folded.String(), want)
	}
}
