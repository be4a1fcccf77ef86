package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts' golden texts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"apitrace":         main,
		"kubectl-apitrace": main,
		"apitrace-status":  checkStatus,
		"save-large":       saveLarge,
		"panicking-screen": panickingScreen,
	})
}

// checkStatus is the command "apitrace-status N ARGS" of the scripts: it runs "apitrace ARGS" and succeeds if
// the exit status is N. testscript's "!" accepts any failure.
func checkStatus() {
	err := run(append([]string{"apitrace"}, os.Args[2:]...), message.Printer{})
	report(os.Stderr, message.Printer{}, err)
	if got := strconv.Itoa(exitCode(err)); got != os.Args[1] {
		fmt.Fprintf(os.Stderr, "exit status %s, expected %s\n", got, os.Args[1])
		os.Exit(1)
	}
}

// TestScript runs the scripts of testdata/script. Each is a manual of one command
// and needs no server and no network.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			recording, err := filepath.Abs("testdata/get-node.jsonl")
			if err != nil {
				return err
			}
			env.Setenv("RECORDING", recording)
			env.Setenv("OTHER", filepath.Join(filepath.Dir(recording), "create-deployment.jsonl"))
			self, err := exec.LookPath("apitrace")
			if err != nil {
				return err
			}
			env.Setenv("SELF", filepath.Dir(self))
			env.Setenv(program.CacheEnv, filepath.Join(env.WorkDir, "cache"))
			// Nothing may come from the network or from this machine's cache.
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOMODCACHE", filepath.Join(env.WorkDir, "modules"))
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("HOME", testenv.Home(t, env.WorkDir))
			env.Setenv("GOGC", os.Getenv("GOGC")) // "make check" sets it: it saves a third of the processor time
			return nil
		},
	})
}
