package web_test

import (
	"encoding/json"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestCallsThatHadNotReturnedAreNotTimed requests the time line and the
// ranking of a start. Many of its calls are unfinished when the trace
// is collected. The calls of etcd are collected after the calls of
// kube-apiserver, and this delay must not count as time of the start.
func TestCallsThatHadNotReturnedAreNotTimed(t *testing.T) {
	rec, err := recordings.Load(recordings.Latest, "boot")
	if err != nil {
		t.Fatal(err)
	}
	calls := rec.Requests[0].Calls
	returned, collected := calls[0].DurationNs, int64(0)
	var waiting []trace.Call
	for _, c := range calls {
		collected = max(collected, c.StartNs+c.DurationNs)
		if c.Unfinished {
			waiting = append(waiting, c)
		} else {
			returned = max(returned, c.StartNs+c.DurationNs)
		}
	}
	if len(waiting) == 0 || collected == returned {
		t.Fatalf("%d calls had not returned, the last of them ends at %d ns, the last other call at %d: expected an unfinished call to end last", len(waiting), collected, returned)
	}

	server := start(t, web.Options{})
	ask := func(path string, answer any) {
		t.Helper()
		response, body := get(t, server+web.Base+"/releases/latest/scenarios/boot/requests/1"+path)
		if err := json.Unmarshal(body, answer); err != nil {
			t.Fatalf("%s: %v: %.200s", path, response, body)
		}
	}
	b := open(t, server, firstRequest, 1280)
	b.is("document.querySelector('.tree')")
	loadEngine(b)
	line := askPage[timeline](b, "/releases/latest/scenarios/boot/requests/1/timeline")
	if line.TotalNs != returned {
		t.Errorf("the time line ends at %d ns, expected %d", line.TotalNs, returned)
	}
	open := 0
	for _, lane := range line.Lanes {
		for _, box := range lane.Boxes {
			if box.StartNs+box.DurationNs > line.TotalNs {
				t.Errorf("%s ends at %d ns, after the end of the time line", box.Name, box.StartNs+box.DurationNs)
			}
			if box.Unfinished {
				open++
			}
		}
	}
	if open == 0 {
		t.Error("no box has the mark of a call that had not returned")
	}
	var layers web.LayerList
	ask("/layers", &layers)
	for _, f := range layers.Longest {
		if c := calls[f.Longest]; c.Unfinished {
			t.Errorf("%s is in the ranking for a call that had not returned", f.Name)
		}
	}
}
