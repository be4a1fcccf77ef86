package commands

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"thousand": thousand, "hostile": hostile, "secretive": secretive})
}

// tidy runs the tests, and checks that they have left no file behind.
type tidy struct{ m *testing.M }

func (t tidy) Run() int {
	code := t.m.Run()
	if err := removeHome(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// home is the folder for everything that the tests write; "" as long as no test has needed it.
var home string

// needsServer skips the test where end-to-end tests are off. Otherwise "apitrace" on PATH is what this
// repository holds, and it knows no server and no edits of the developer's.
func needsServer(tb testing.TB) {
	tb.Helper()
	testenv.NeedsServer(tb)
	if err := makeHome(); err != nil {
		tb.Fatal(err)
	}
}

var makeHome = sync.OnceValue(func() (err error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	if home, err = os.MkdirTemp("", "e2e"); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(home, "bin", "apitrace"), "../../cmd/apitrace")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building apitrace: %w\n%s", err, out)
	}
	tmp, own := filepath.Join(home, "tmp"), filepath.Join(home, "cache")
	err = errors.Join(os.Mkdir(tmp, 0o700), os.Mkdir(own, 0o700))
	// What is built is shared with the developer's cache; the servers that run are not.
	for _, name := range []string{"builds", "workspaces", "gocache", "locks", "modules"} {
		shared := filepath.Join(cache.Root, name)
		err = errors.Join(err, os.MkdirAll(shared, 0o700), os.Symlink(shared, filepath.Join(own, name)))
	}
	for name, value := range map[string]string{
		"PATH":           filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"TMPDIR":         tmp,
		"LC_ALL":         "C.UTF-8",
		program.CacheEnv: own,
		program.StateEnv: filepath.Join(home, "state"),
	} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
})

// removeHome removes the folder of the tests. It is an error if servers have left something in it.
func removeHome() error {
	if home == "" {
		return nil
	}
	left, err := filepath.Glob(filepath.Join(home, "tmp", "apitrace-*"))
	if len(left) > 0 {
		err = fmt.Errorf("the tests have left servers behind: %q", left)
	}
	return errors.Join(err, os.RemoveAll(home))
}

// apitrace runs the command and returns what it writes to standard output and to standard
// error, and its exit status.
func apitrace(tb testing.TB, args ...string) (out, notices string, status int) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(tb.Context(), "apitrace", args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// unwrapped is a text without the blanks and line ends that its layout may have put into it.
func unwrapped(text string) string {
	return strings.Join(strings.Fields(text), "")
}
