package trace

import "testing"

// TestSentPath reads the resource version of a watch from the call that receives it. No path
// has the name of a value.
func TestSentPath(t *testing.T) {
	const path = "/api/v1/pods?watch=true&resourceVersion=${version}&x=${other}"
	r := &Request{Path: path, Calls: []Call{
		{Function: "p.Event", Attributes: map[string]string{AttrResourceVersion: "8"}},
		{Function: storeWatch, Attributes: map[string]string{AttrResourceVersion: "7"}},
	}}
	if got, want := r.SentPath(), "/api/v1/pods?watch=true&resourceVersion=7&x=…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Calls = r.Calls[:1]
	if got, want := r.SentPath(), "/api/v1/pods?watch=true&resourceVersion=…&x=…"; got != want || r.AnyPath() != want {
		t.Errorf("got %q and %q, want %q", got, r.AnyPath(), want)
	}
	if r.Path = "/api/v1/pods?a=$1"; r.SentPath() != r.Path || r.AnyPath() != r.Path {
		t.Errorf("got %q, want the path itself", r.SentPath())
	}
}
