package export

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// traceEvents is the Trace Event Format as a viewer reads it. It does not use the
// types of WriteChrome, because these would always agree with WriteChrome.
type traceEvents struct {
	DisplayTimeUnit string            `json:"displayTimeUnit"`
	OtherData       map[string]string `json:"otherData"`
	TraceEvents     []struct {
		Name string          `json:"name"`
		Cat  string          `json:"cat"`
		Ph   string          `json:"ph"`
		Ts   *float64        `json:"ts"`
		Dur  *float64        `json:"dur"`
		Pid  *int            `json:"pid"`
		Tid  *int64          `json:"tid"`
		ID   int             `json:"id"`
		Bp   string          `json:"bp"`
		Args json.RawMessage `json:"args"`
	} `json:"traceEvents"`
}

type slice struct {
	pid        int
	tid        int64
	start, end int64
}

func TestChromeEvents(t *testing.T) {
	rec := real(t)
	second := rec.Requests[0]
	second.TraceID = "00000000000000000000000000000001"
	rec.Requests = append(rec.Requests, second)
	rec.Requests[0].Start = second.Start.Add(-second.Start.Sub(second.Start.Truncate(1e9)))
	var out bytes.Buffer
	if err := WriteChrome(&out, rec); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	var all traceEvents
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	threads := map[[2]int64]bool{}
	var slices []slice
	ends := map[int]map[string]slice{}
	for i, e := range all.TraceEvents {
		if e.Name == "" || e.Pid == nil || e.Tid == nil {
			t.Fatalf("event %d lacks a name, a process or a thread: %+v", i, e)
		}
		if e.Ph != "M" && e.Ts == nil {
			t.Fatalf("event %d lacks a time: %+v", i, e)
		}
		switch e.Ph {
		case "M":
			names[e.Name]++
			threads[[2]int64{int64(*e.Pid), *e.Tid}] = true
		case "X":
			if e.Dur == nil || !threads[[2]int64{int64(*e.Pid), *e.Tid}] {
				t.Fatalf("slice %d lacks a duration, or its thread has no name yet: %+v", i, e)
			}
			slices = append(slices, slice{*e.Pid, *e.Tid, nanos(*e.Ts), nanos(*e.Ts) + nanos(*e.Dur)})
		case "s", "f":
			if (e.Ph == "f") != (e.Bp == "e") || e.ID == 0 {
				t.Errorf("arrow %+v: expected an id, and bp only at its end", e)
			}
			if ends[e.ID] == nil {
				ends[e.ID] = map[string]slice{}
			}
			ends[e.ID][e.Ph] = slice{pid: *e.Pid, tid: *e.Tid, start: nanos(*e.Ts)}
		default:
			t.Errorf("event %d has the unknown kind %q", i, e.Ph)
		}
	}
	if want := 2 * len(second.Calls); len(slices) != want {
		t.Errorf("got %d slices, expected one for each of %d calls", len(slices), want)
	}
	if names["process_name"] != 2 || names["thread_name"] < 3 {
		t.Errorf("got the numbers of names %v, expected two processes and at least three goroutines", names)
	}
	checkNesting(t, slices)
	checkArrows(t, rec, ends, slices)
}

func nanos(us float64) int64 { return int64(math.Round(us * 1000)) }

// checkNesting checks that slices of a thread do not overlap in part, as viewers
// require.
func checkNesting(t *testing.T, all []slice) {
	t.Helper()
	for i, a := range all {
		for _, b := range all[:i] {
			if a.pid == b.pid && a.tid == b.tid && a.start < b.end && b.start < a.end &&
				!(a.start >= b.start && a.end <= b.end) && !(b.start >= a.start && b.end <= a.end) {
				t.Errorf("slices %+v and %+v of one thread overlap in part", a, b)
			}
		}
	}
}

// checkArrows checks that each arrow has both ends, and that each end lies on a slice.
func checkArrows(t *testing.T, rec *trace.Recording, arrows map[int]map[string]slice, all []slice) {
	t.Helper()
	want := 0
	for i := range rec.Requests {
		r := &rec.Requests[i]
		by := map[string]trace.Call{}
		for _, call := range r.Calls {
			by[call.ID] = call
			if p, ok := by[call.Parent]; ok && (p.Goroutine != call.Goroutine || p.Process != call.Process) {
				want++
			}
		}
	}
	if len(arrows) != want || want == 0 {
		t.Errorf("got %d arrows, expected %d", len(arrows), want)
	}
	for id, ends := range arrows {
		for _, ph := range []string{"s", "f"} {
			end, ok := ends[ph]
			held := false
			for _, s := range all {
				held = held || s.pid == end.pid && s.tid == end.tid && s.start <= end.start && end.start <= s.end
			}
			if !ok || !held {
				t.Errorf("arrow %d: the end %q is missing or not on a slice", id, ph)
			}
		}
	}
}

// TestChromeCauses checks that an arrow leads to each request and event from the call that
// caused it, and to a call from its further causes.
func TestChromeCauses(t *testing.T) {
	rec := viewtest.FollowedDeployment()
	var out bytes.Buffer
	if err := WriteChrome(&out, rec); err != nil {
		t.Fatal(err)
	}
	var all traceEvents
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	want, got := 0, map[string]int{}
	for i := range rec.Requests {
		if rec.Requests[i].Cause != (trace.Cause{}) {
			want++
		}
		for j := range rec.Requests[i].Calls {
			want += len(rec.Requests[i].Calls[j].Causes())
		}
	}
	for _, e := range all.TraceEvents {
		if e.Name == "cause" {
			got[e.Ph]++
		}
	}
	if want == 0 || got["s"] != want || got["f"] != want {
		t.Errorf("got the ends %v of arrows from causes, expected %d of each", got, want)
	}
}
