package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

const scripts, costlyScripts = "testdata/script", "testdata/costly"

// TestScript runs the scripts of testdata/script. Each script is a manual of one command
// and needs no server and no network. "exec apitrace" starts the program. "here apitrace"
// runs a command in the process of the test, if the command starts no programs. This is
// faster: no program is started, and a recording is decoded once for all scripts.
func TestScript(t *testing.T) { runScripts(t, scripts) }

// TestCostlyScript runs the scripts of testdata/costly, which read recordings or names of
// many releases.
func TestCostlyScript(t *testing.T) {
	testenv.Costly(t, "reads the recordings of all releases")
	runScripts(t, costlyScripts)
}

func runScripts(t *testing.T, folder string) {
	// The paths are absolute, because a command that runs here changes the working
	// directory.
	dir, recording, other := absolute(t, folder), absolute(t, "testdata/get-node.jsonl"), absolute(t, "testdata/create-deployment.jsonl")
	completes := absolute(t, "kubectl_complete-apitrace")
	programs, gc := filepath.Dir(self(t)), os.Getenv("GOGC")
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"here": runHere},
		Setup: func(env *testscript.Env) error {
			env.Setenv("RECORDING", recording)
			env.Setenv("OTHER", other)
			env.Setenv("SELF", programs)
			env.Setenv("KUBECTL_COMPLETE", completes)
			env.Setenv(program.CacheEnv, filepath.Join(env.WorkDir, "cache"))
			// Nothing may come from the network or from this machine's cache.
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOMODCACHE", filepath.Join(env.WorkDir, "modules"))
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("HOME", testenv.Home(t, env.WorkDir))
			env.Setenv("GOGC", gc) // "make check" sets GOGC, which saves a third of the processor time
			return nil
		},
	})
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// hereEnv are the environment variables that a command gets from its script if it runs
// in the process of the test.
var hereEnv = []string{
	program.CacheEnv, program.StateEnv, "BROWSER", "COLUMNS", "EDITOR", "FORCE_COLOR", "GOMODCACHE", "GOPROXY", "HOME", "LANG", "LANGUAGE", "LC_ALL",
	"LC_MESSAGES", "NO_COLOR", "PAGER", "TERM", "TMPDIR", "VISUAL", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// oneHere is held by the command that runs in the process of the test, because the
// process has one environment and one working directory.
var oneHere sync.Mutex

// runHere is the command "here apitrace ARGS" of the scripts.
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || args[0] != "apitrace" || !slices.Contains(readers, args[1]) {
		ts.Fatalf("%q cannot run here: write \"exec\"", strings.Join(args, " "))
	}
	oneHere.Lock()
	defer oneHere.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	for _, name := range hereEnv {
		defer setenv(name, os.Getenv(name))
		setenv(name, ts.Getenv(name))
	}
	printer := message.For(output.LanguageOf(args, os.Getenv))
	var stdout, stderr bytes.Buffer
	err = execute(context.Background(), args, &console.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Printer: printer})
	report(&stderr, printer, err)
	_, _ = ts.Stdout().Write(stdout.Bytes())
	_, _ = ts.Stderr().Write(stderr.Bytes())
	if failed := exitCode(err) != 0; failed != neg {
		ts.Fatalf("exit status %d: a \"!\" must stand before a command that fails, and only before such a command", exitCode(err))
	}
}

// setenv sets an environment variable, or unsets it if the value is empty.
func setenv(name, value string) {
	if value == "" {
		_ = os.Unsetenv(name)
		return
	}
	_ = os.Setenv(name, value)
}

// TestScriptEnvironment checks that a command that runs in the process of the test gets
// each variable that its script sets.
func TestScriptEnvironment(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	setting := regexp.MustCompile(`^env ([A-Z_]+)=`)
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lacks string // the last variable that a command here would not get
		for line := range strings.Lines(string(script)) {
			if set := setting.FindStringSubmatch(line); set != nil && !slices.Contains(hereEnv, set[1]) {
				lacks = set[1]
			}
			if lacks != "" && strings.HasPrefix(strings.TrimPrefix(line, "! "), "here ") {
				t.Errorf("%s: %q does not get %s: add it to hereEnv, or write \"exec\"", file, strings.TrimSpace(line), lacks)
			}
		}
	}
}
