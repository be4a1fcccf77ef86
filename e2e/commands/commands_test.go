package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"thousand": thousand, "hostile": hostile, "secretive": secretive})
}

// tidy runs the tests, and checks that they have left no file behind.
type tidy struct{ m *testing.M }

func (t tidy) Run() int {
	code := t.m.Run()
	if err := errors.Join(stopShared(), removeHome()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// home is the folder for everything that the tests write; "" as long as no test has needed it.
var home string

// needsServer skips the test where end-to-end tests are off. Otherwise "apitrace" on PATH is built from this repository.
func needsServer(tb testing.TB) {
	tb.Helper()
	testenv.NeedsServer(tb)
	if err := makeHome(); err != nil {
		tb.Fatal(err)
	}
}

var makeHome = sync.OnceValue(func() (err error) {
	// Paths of sockets are short, and those below TMPDIR may be too long.
	if home, err = os.MkdirTemp("/tmp", "e2e"); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(home, "bin", "apitrace"), "../../cmd/apitrace")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building apitrace: %w\n%s", err, out)
	}
	tmp := filepath.Join(home, "tmp") // of the servers that the tests start themselves
	err = os.Mkdir(tmp, 0o700)
	for name, value := range map[string]string{
		"PATH":            filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"TMPDIR":          tmp,
		"XDG_RUNTIME_DIR": "",
		"LC_ALL":          "C.UTF-8",
		// Commands live for a second, and a third of their processor time went into collecting garbage.
		"GOGC": "400",
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

// unwrapped is a text without the blanks and line ends that its layout may have put into it.
func unwrapped(text string) string {
	return strings.Join(strings.Fields(text), "")
}
