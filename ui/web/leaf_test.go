package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// withLeaf returns the handwritten recording with a leaf call added at the
// end, and the number of that call. Only the entry of a leaf call is recorded.
func withLeaf(t *testing.T) (text string, at int) {
	t.Helper()
	var rec trace.Recording
	if err := json.Unmarshal([]byte(handmade(t)), &rec); err != nil {
		t.Fatal(err)
	}
	calls := rec.Requests[0].Calls
	last := calls[len(calls)-1]
	leaf := trace.Call{
		ID: "00000000000000ff", Parent: last.ID, Function: "k8s.io/apiserver/pkg/server.leaf", File: last.File, Line: 1, Process: last.Process,
		Goroutine: last.Goroutine, StartNs: last.StartNs, Leaf: true,
	}
	rec.Requests[0].Calls = append(calls, leaf)
	data, err := json.Marshal(&rec)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), len(calls)
}

// TestLeavesAreNotTimed requests all data about a leaf call
// that could have its time.
func TestLeavesAreNotTimed(t *testing.T) {
	address := start(t, web.Options{})
	text, at := withLeaf(t)
	response, body := sendBody(t, http.MethodPost, address+web.Base+"/uploads?name=leaf.json", text, nil)
	var upload struct{ ID string }
	if err := json.Unmarshal(body, &upload); err != nil || upload.ID == "" {
		t.Fatalf("%s: %s", response.Status, body)
	}
	ask := func(path string, answer any) {
		t.Helper()
		response, body := get(t, address+web.Base+"/releases/live/scenarios/"+upload.ID+"/requests/1"+path)
		if err := json.Unmarshal(body, answer); err != nil {
			t.Fatalf("%s: %v: %s", path, response, body)
		}
	}
	var table web.CallTable
	ask("/calls", &table)
	if !slices.Contains(table.Leaves, at) || !strings.HasSuffix(table.Same[table.Of[at]].Function, ".leaf") {
		t.Errorf("the leaves are %v, expected call %d", table.Leaves, at)
	}
	var layers web.LayerList
	ask("/layers", &layers)
	if slices.ContainsFunc(layers.Longest, func(f web.LongFunction) bool { return strings.HasSuffix(f.Function, ".leaf") }) {
		t.Errorf("the leaf is in the ranking by time: %+v", layers.Longest)
	}
	b := open(t, address, firstRequest, 1280)
	b.is("document.querySelector('.tree')")
	loadEngine(b)
	request := "/releases/live/scenarios/" + upload.ID + "/requests/1"
	if took := askPage[struct{ Call struct{ Time string } }](b, fmt.Sprintf("%s/calls/%d", request, at)).Call.Time; took != "" {
		t.Errorf("the page shows the time %q for the leaf, expected none", took)
	}
	line := askPage[timeline](b, request+"/timeline")
	found := false
	for _, lane := range line.Lanes {
		for _, box := range lane.Boxes {
			found = found || box.Call == at && box.Leaf
		}
	}
	if !found {
		t.Errorf("the leaf is not on the time line: %+v", line)
	}
}
