package witness

import (
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// hook is added to hooked. It lets the test clear and read the counters.
//
//go:embed testdata/hook.go.txt
var hook []byte

// hooked is the package that gets the hook. Both programs use it, and it is not traced.
// A traced package is not possible, because the tool that inserts the counters cannot
// read files of an overlay (cmd/cover of Go 1.26).
const hooked = "go.uber.org/zap"

// programs are both programs of a release.
type programs struct {
	cache           *program.Cache
	display         *program.Display
	apiserver, etcd program.Program
	// sources are the sources, by the name of the program.
	sources map[string]*source
}

func programsOf(t *testing.T, guide *instrument.Guide, version string) *programs {
	t.Helper()
	cache, err := program.OpenCache("")
	if err != nil {
		t.Fatal(err)
	}
	p := &programs{cache: cache, display: program.NewDisplay(os.Stderr, false, message.Printer{}), apiserver: apiserver.Program(version), sources: map[string]*source{}}
	t.Cleanup(p.display.Close)
	up, err := program.Resolve(t.Context(), cache, p.apiserver.Module, version)
	if err != nil {
		t.Fatal(err)
	}
	if p.etcd, err = storage.ProgramOf(up); err != nil {
		t.Fatal(err)
	}
	for _, one := range []program.Program{p.apiserver, p.etcd} {
		src, err := apiserver.SourceOf(t.Context(), one.Name, apiserver.BuildOptions{Version: version, Cache: cache, Progress: p.display})
		if err != nil {
			t.Fatal(err)
		}
		p.sources[one.Name] = readSource(t, guide, src)
	}
	return p
}

// counting builds both programs with Go's coverage counters in the traced packages, or
// finds the builds in the cache.
func (p *programs) counting(t *testing.T) *apiserver.Build {
	t.Helper()
	b := &apiserver.Build{K8sVersion: p.apiserver.Version, EtcdVersion: p.etcd.Release()}
	b.Etcd = p.count(t, p.etcd)
	b.APIServer = p.count(t, p.apiserver)
	return b
}

func (p *programs) count(t *testing.T, one program.Program) *program.Binary {
	t.Helper()
	hash := fnv.New64a()
	hash.Write(hook)
	binary, err := program.Build(t.Context(), one, program.Options{Cache: p.cache, Progress: p.display, Rewrite: &program.Rewrite{
		Key: fmt.Sprintf("cover %x", hash.Sum(nil)),
		// The runtime writes the counters only if package main also has counters.
		Cover: append([]string{mainModule}, p.sources[one.Name].packages...),
		Run: func(_ context.Context, workspace, out string) (program.Rewritten, error) {
			file := filepath.Join(out, "hook.go")
			return program.Rewritten{Overlay: map[string]string{filepath.Join(workspace, "vendor", filepath.FromSlash(hooked), "apitrace_cover.go"): file}}, os.WriteFile(file, hook, 0o600)
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// mainModule is the import path of package main in a workspace.
const mainModule = "github.com/kubeapitrace/apitrace"
