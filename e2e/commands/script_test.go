package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestScript runs scripts against a real kube-apiserver. It uses the build in the
// cache, or builds the server first. Each script has a cache without running servers.
func TestScript(t *testing.T) {
	t.Parallel()
	needsServer(t)
	runScripts(t, "testdata/script", linkCache)
}

// TestScriptOnSharedServer runs the scripts that use the shared server.
func TestScriptOnSharedServer(t *testing.T) {
	t.Parallel()
	withServer(t)
	runScripts(t, "testdata/served", func(dir string) error { return os.Symlink(shared.cache, dir) })
}

// TestSlowScript runs the scripts that need kubectl.
func TestSlowScript(t *testing.T) {
	testenv.Slow(t)
	needsServer(t)
	runScripts(t, "testdata/slow", linkCache)
}

// runScripts runs the scripts of a folder. makeCache makes the cache of a script.
func runScripts(t *testing.T, dir string, makeCache func(dir string) error) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			recording, err := filepath.Abs("../../cmd/apitrace/testdata/get-node.jsonl")
			if err != nil {
				return err
			}
			env.Setenv("RECORDING", recording)
			cache := filepath.Join(env.WorkDir, ".apitrace")
			if err := makeCache(cache); err != nil {
				return err
			}
			env.Setenv(program.CacheEnv, cache)
			env.Setenv(program.StateEnv, filepath.Join(env.WorkDir, ".state"))
			// Builds use the user's Go modules.
			for _, name := range []string{"HOME", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
				env.Setenv(name, os.Getenv(name))
			}
			env.Defer(func() {
				if info, err := os.Lstat(cache); err == nil && info.IsDir() && len(served(cache)) > 0 {
					env.T().Log(fmt.Sprintf("servers are left: %q", served(cache)))
					env.T().FailNow()
				}
			})
			return nil
		},
	})
}
