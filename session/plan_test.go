package session

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A mistake in the name of the server behind the aggregator ends a build before
// kube-apiserver is built, which takes minutes. It ends a plan before any output.
func TestBuildOwnServerFirst(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir()) // a build of kube-apiserver fails at once
	o := ServerOptions{Spec: Spec{Version: apiserver.DefaultVersion, Own: serverconfig.Own{Server: filepath.Join(t.TempDir(), "nowhere")}}, Edits: EditsIn(t.TempDir())}
	const want = "expected the folder of a module, with its go.mod"
	if paths, err := o.BuildAll(t.Context(), false, []string{sampleserver.Name}, silent{}); err == nil || !strings.Contains(err.Error(), want) || len(paths) != 0 {
		t.Errorf("the build: %q, %v, expected the error %q", paths, err, want)
	}
	var out bytes.Buffer
	if err := o.WritePlan(t.Context(), false, []string{sampleserver.Name}, &out, message.For("en")); err == nil || !strings.Contains(err.Error(), want) || out.Len() != 0 {
		t.Errorf("the plan: %v, expected the error %q, and it wrote %d bytes", err, want, out.Len())
	}
}
