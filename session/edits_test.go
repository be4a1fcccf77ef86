package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// kube-apiserver and a server behind the aggregator have files of the same names.
// --server selects the edit to undo.
func TestRevertTellsServersApart(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	const file = "k8s.io/apiserver/pkg/server/handler.go"
	vendor := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(vendor, file)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(vendor, file), []byte("package server\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "edits")
	for _, of := range []string{"kube-apiserver", "metrics-server@v0.9.0"} {
		if _, err := (program.Edits{Dir: dir, Version: "v1.37.1"}).Add(of, vendor, file); err != nil {
			t.Fatal(err)
		}
	}
	edits := EditsIn(dir)
	listed := func() string {
		var out bytes.Buffer
		if err := edits.WriteList("v1.37.1", &out, message.For("en"), silent{}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := listed(); strings.Count(got, file+" (") != 2 || !strings.Contains(got, "metrics-server@v0.9.0: "+file) {
		t.Fatalf("the list is\n%s", got)
	}
	if err := edits.Revert("v1.37.1", true, "server/handler.go", silent{}); err != nil {
		t.Fatal(err)
	}
	if got := listed(); strings.Contains(got, "metrics-server") || !strings.Contains(got, "kube-apiserver") {
		t.Errorf("after the edit of the server was undone, the list is\n%s", got)
	}
	if err := edits.Revert("v1.37.1", false, "", silent{}); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got != "" {
		t.Errorf("after all edits were undone, the list is\n%s", got)
	}
}
