package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

// A form is one of three ways to run tests.
type form string

const (
	pristineForm form = "pristine"
	idleForm     form = "idle"
	tracedForm   form = "traced"
)

// port matches the random port of a server in the name of a test.
var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// test runs the tests of packages. It returns "pass", "fail" or "skip" for each test.
// The keys are the package and the name of the test, without random ports. A package that
// does not compile is an error.
func (from *tree) test(t *testing.T, f form, packages []string, flags ...string) map[string]string {
	t.Helper()
	// -trimpath gives the binary the paths of a traced program. Two packages at a time
	// run, as in the other tests of servers.
	args := []string{"test", "-json", "-vet=off", "-count=1", "-mod=mod", "-trimpath", "-ldflags=-s", "-p=2", "-timeout=30m"}
	if file := from.overlays[f]; file != "" {
		args = append(args, "-overlay="+file)
	}
	if f == tracedForm {
		args = append(args, "-exec="+tracedCommand+" "+from.reportDir())
	}
	command := exec.CommandContext(t.Context(), "go", append(append(args, flags...), packages...)...)
	command.Dir = from.dir
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	ended := map[string]string{}
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Package, Test, Output, FailedBuild string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: go test wrote %q, expected JSON", f, line)
		}
		switch e.Action {
		case "build-output":
			t.Log(strings.TrimSuffix(e.Output, "\n"))
		case "pass", "fail", "skip":
			if e.Test != "" {
				ended[e.Package+" "+port.ReplaceAllString(e.Test, "127.0.0.1")] = e.Action
			} else if e.FailedBuild != "" {
				t.Errorf("%s: the tests of %s do not compile", f, e.Package)
			}
		}
	}
	if len(ended) == 0 {
		t.Fatalf("%s: no test ran: %v\n%s", f, err, &stderr)
	}
	return ended
}

// ends runs a test again, alone, and reports whether it now has the outcome want. A second
// run is necessary because some of upstream's tests time out on a busy machine.
func (from *tree) ends(t *testing.T, f form, test, want string) bool {
	t.Helper()
	pkg, name, _ := strings.Cut(test, " ")
	function, _, _ := strings.Cut(name, "/") // the test function, with all its subtests
	again := from.test(t, f, []string{pkg}, "-run=^"+function+"$")
	if again[test] != want {
		return false
	}
	t.Logf("%s: %s: %s in its second run only", f, test, want)
	return true
}

// A report has the probe's findings in the tests of a package.
type report struct {
	Package    string
	Checked    int64
	Mismatches []string
	Error      string
	// Ended is set if the report was read after the last test.
	Ended bool
}

func (from *tree) reportDir() string { return filepath.Join(from.dir, "reports") }

func (from *tree) reports(t *testing.T) []report {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from.reportDir(), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []report
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, r)
	}
	return all
}

const (
	// tracedCommand is the command "traced-tests FOLDER BINARY ARGS". It runs a test
	// binary with tracing and checking, and writes a report to the folder.
	tracedCommand = "traced-tests"
	// doneEnv names the unix socket that a test binary connects to after its last test.
	// The socket is closed when the probe's findings have been read.
	doneEnv = "APITRACE_UPSTREAM_DONE"
)

func runTraced() {
	code, err := traced(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "traced-tests:", err)
		code = 1
	}
	os.Exit(code)
}

func traced(reports string, args []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "up") // the path of a unix socket must be short
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	done, socket := filepath.Join(dir, "done"), filepath.Join(dir, "probe")
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", done)
	if err != nil {
		return 1, err
	}
	defer l.Close()
	here, err := os.Getwd()
	if err != nil {
		return 1, err
	}
	_, pkg, _ := strings.Cut(filepath.ToSlash(here), "/source/")
	r := report{Package: pkg}
	read := make(chan struct{})
	go func() {
		defer close(read)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if err := r.read(socket); err != nil {
			r.Error = err.Error()
		}
		r.Ended = true
	}()
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), probe.EnvSocket+"="+socket, probe.EnvProcess+"=tests", probe.EnvCheck+"=1", doneEnv+"="+done)
	if err := command.Run(); err != nil {
		if exit := new(exec.ExitError); !errors.As(err, &exit) {
			return 1, err
		}
	}
	l.Close()
	<-read
	text, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(reports, 0o700)
	}
	if err != nil {
		return 1, err
	}
	out, err := os.CreateTemp(reports, strings.ReplaceAll(pkg, "/", "_")+"-*.json")
	if err != nil {
		return 1, err
	}
	_, err = out.Write(text)
	return max(command.ProcessState.ExitCode(), 0), errors.Join(err, out.Close())
}

// read reads the findings of the probe's checking mode after the last test.
func (r *report) read(socket string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(probe.Query{}); err != nil {
		return err
	}
	h, err := probe.ReadHeader(bufio.NewReader(conn))
	if err != nil {
		return err
	}
	r.Checked, r.Mismatches, r.Error = h.Checked, h.Mismatches, h.Error
	return nil
}
