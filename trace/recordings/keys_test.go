package recordings_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

var update = flag.Bool("update", false, "note the keys of the instrumented programs")

// TestKeysAreNoted compares the keys of the instrumented programs with the noted
// keys. It fails after a change of the rewriter, package funcname, the probe, or a
// program's part of the guide. After such a change, everybody builds every server
// anew, so it must be made on purpose. If it changes traces, all releases must be
// recorded again.
func TestKeysAreNoted(t *testing.T) {
	const noted = "testdata/keys.txt"
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, r := range releases {
		fmt.Fprintf(&now, "%s: %s %s, %s %s, %s %s %s\n", r.K8sVersion,
			trace.ProcessAPIServer, guide.Key(trace.ProcessAPIServer, r.K8sVersion),
			trace.ProcessSample, guide.Key(trace.ProcessSample, r.K8sVersion),
			trace.ProcessEtcd, r.EtcdVersion, guide.Key(trace.ProcessEtcd, r.EtcdVersion))
	}
	if *update {
		if err := os.WriteFile(noted, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	if now.String() != string(then) {
		t.Errorf("the keys of the instrumented programs have changed: undo the change, or record all releases again with \"make record\" and note the keys with -update. If the end-to-end tests find that the traces are as recorded, noting the keys is enough\nnow:\n%snoted:\n%s",
			now.String(), then)
	}
}
