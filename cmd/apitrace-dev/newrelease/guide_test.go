package newrelease

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/renames"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

const (
	// handle is the body of a function. In v1.98.0 its name is handle, in v1.99.0 serve.
	handle = `(in []string) (map[string]int, error) {
	if err := check(in); err != nil {
		return nil, fmt.Errorf("creating %v: %w", in, err)
	}
	out := make(map[string]int, len(in))
	for i, s := range in {
		out[strings.ToLower(s)] = i * 2
	}
	log.Println("created", len(out))
	return out, nil
}
`
	before = "package server\nfunc handle" + handle + "func Stays() { handle(nil) }\nfunc gone() { select {} }\n"
	after  = "package server\nfunc serve" + handle + "func Stays() { serve(nil) }\n"
)

// TestGoneFunctionsAreNamedWithWhatTheyBecame reads two releases of a package. Of the
// guide's steps, only handle must be reported, once. handle.func1 is part of handle. Both
// releases have Stays. Neither has the function never. gone is removed, too, but its step
// ends with v1.98.
func TestGoneFunctionsAreNamedWithWhatTheyBecame(t *testing.T) {
	var b renames.Builder
	add(t, &b, "v1.98.0", before)
	add(t, &b, "v1.99.0", after)
	names := b.Library()
	guide := &instrument.Guide{Steps: []instrument.Step{
		{Function: "k8s.io/apiserver/pkg/server.handle"}, {Function: "k8s.io/apiserver/pkg/server.handle.func1"},
		{Function: "k8s.io/apiserver/pkg/server.Stays"}, {Function: "k8s.io/apiserver/pkg/server.never"}, {Function: "k8s.io/apiserver/pkg/server.gone"},
	}}
	guide.Steps[4].Until = "v1.98" // the guide knows that gone is removed
	if diff := cmp.Diff([]string{"k8s.io/apiserver/pkg/server.handle"}, goneOf(guide, names)); diff != "" {
		t.Errorf("gone, -want +got:\n%s", diff)
	}
	var out bytes.Buffer
	if err := names.Write(&out, lineage.Function, "k8s.io/apiserver/pkg/server.handle", message.Printer{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "serve") {
		t.Errorf("the output does not say that handle became serve:\n%s", out.String())
	}
}

func add(t *testing.T, b *renames.Builder, version, text string) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "k8s.io/apiserver/pkg/server")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "server.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	source, err := renames.Read(version, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(source); err != nil {
		t.Fatal(err)
	}
}
