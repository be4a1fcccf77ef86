package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// replays is how often a scenario is played before its recording counts as outdated. A
// server also works in the background, which sometimes changes a trace.
const replays = 3

// checkRecording compares the embedded recording of a scenario with a replay. The names
// and nesting must be the same (see recordings.Shape). If the scenario says that it
// varies, only the requests must be the same.
func checkRecording(t *testing.T, s *apiserver.Server, scenario *scenarios.Scenario, seen []trace.Request) {
	t.Helper()
	recording, err := recordings.Load(s.K8sVersion, scenario.Name)
	if err != nil {
		t.Errorf("%v: record it with \"make record K8S=%s\"", err, s.K8sVersion)
		return
	}
	show := func(requests []trace.Request) string {
		shape, err := recordings.Shape(steady(t, requests))
		if err != nil {
			t.Fatal(err)
		}
		return shape
	}
	if scenario.Varies.En != "" {
		show = heads
	}
	want := show(recording.Requests)
	got := show(seen)
	for range replays - 1 {
		if got == want {
			return
		}
		again, _ := play(t, s, scenario.Name)
		got = show(again)
	}
	if got != want {
		t.Errorf("the replay differs from the recording of %s; if the change is intended, record again with \"make record K8S=%s\":\n%s",
			recording.Recorded.Format("2006-01-02"), s.K8sVersion, drift(want, got))
	}
}

// heads lists the requests without their calls.
func heads(requests []trace.Request) string {
	var text strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&text, "%s %s -> %d\n", r.Method, r.Path, r.Status)
	}
	return text.String()
}

// drift describes the differences, with a limited number of lines.
func drift(recorded, now string) string {
	const most = 80
	lines := bytes.SplitAfter(diff.Diff("recorded", []byte(recorded), "now", []byte(now)), []byte("\n"))
	if len(lines) > most {
		lines = append(lines[:most], fmt.Appendf(nil, "and %d more lines\n", len(lines)-most))
	}
	return string(bytes.Join(lines, nil))
}

// TestDrift checks that a difference is shown with the lines around it.
func TestDrift(t *testing.T) {
	got := drift("# GET / -> 200\na\n  b\n  c\n", "# GET / -> 200\na\n  b2\n  c\n")
	for _, want := range []string{"-  b\n+  b2\n", "--- recorded\n", " a\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if long := drift(strings.Repeat("a\n", 500), strings.Repeat("b\n", 500)); strings.Count(long, "\n") > 100 || !strings.Contains(long, "more lines") {
		t.Errorf("a long drift is shown in %d lines, expected at most 100", strings.Count(long, "\n"))
	}
}
