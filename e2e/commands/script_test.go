package commands

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestScript runs the scripts of testdata/script against a real kube-apiserver of the cache, which is
// built if need be.
func TestScript(t *testing.T) {
	needsServer(t)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		// One after the other: a run uses any server that another script keeps running.
		t.Run(filepath.Base(script), func(t *testing.T) { runScript(t, script) })
	}
}

func runScript(t *testing.T, script string) {
	testscript.Run(t, testscript.Params{
		Files:               []string{script},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			recording, err := filepath.Abs("../../cmd/apitrace/testdata/get-node.jsonl")
			if err != nil {
				return err
			}
			env.Setenv("RECORDING", recording)
			// Builds use the user's modules.
			for _, name := range []string{program.CacheEnv, program.StateEnv, "HOME", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
				env.Setenv(name, os.Getenv(name))
			}
			return nil
		},
	})
}
