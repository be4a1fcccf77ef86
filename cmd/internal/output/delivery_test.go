package output

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestDeliverOnly checks that only the chosen requests are printed, and that all are saved.
func TestDeliverOnly(t *testing.T) {
	recording, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	other, err := recordings.Load("v1.37.1", "get-not-found")
	if err != nil {
		t.Fatal(err)
	}
	recording.Requests = slices.Concat(recording.Requests, other.Requests)
	file := filepath.Join(t.TempDir(), "two.jsonl")
	for _, test := range []struct {
		only    []int
		quiet   bool
		printed []string
		wrong   string
	}{
		{printed: []string{"200", "404"}},
		{only: []int{2}, printed: []string{"404"}},
		{only: []int{3}, wrong: "--only 3: the requests are numbered from 1 to 2"},
		{quiet: true},
	} {
		var out, notices bytes.Buffer
		o := Delivery{Output: Options{Format: "names"}, Save: file, Only: test.only, Quiet: test.quiet}
		err := o.Deliver(t.Context(), &console.Streams{Out: &out, Err: &notices}, recording)
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || err.Error() != test.wrong) {
			t.Errorf("--only %v: got %v, expected %q", test.only, err, test.wrong)
		}
		var printed []string
		for line := range strings.Lines(out.String()) {
			if status, isHead := strings.CutPrefix(line, "# GET "); isHead {
				printed = append(printed, strings.TrimSpace(status[strings.LastIndex(status, " "):]))
			}
		}
		if !slices.Equal(printed, test.printed) {
			t.Errorf("--only %v: printed requests with the status codes %q, expected %q", test.only, printed, test.printed)
		}
		saved, err := trace.Load(file)
		if err != nil || len(saved.Requests) != 2 {
			t.Errorf("--only %v: saved %+v, %v, expected both requests", test.only, saved, err)
		}
	}
}
