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
	testscript.Main(tidy{m}, map[string]func(){"thousand": thousand, "hostile": hostile, "secretive": secretive, "deployer": deployer})
}

// tidy runs the tests, and checks that they leave no files behind.
type tidy struct{ m *testing.M }

func (t tidy) Run() int {
	code := t.m.Run()
	if err := errors.Join(stopShared(), removeHome()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// home is the folder for all files of the tests. It is "" until a test needs it.
var home string

// needsServer skips the test if end-to-end tests are off. Otherwise it builds apitrace
// from this repository and puts it on PATH.
func needsServer(tb testing.TB) {
	tb.Helper()
	testenv.NeedsServer(tb)
	if err := makeHome(); err != nil {
		tb.Fatal(err)
	}
}

var makeHome = sync.OnceValue(func() (err error) {
	// The paths of sockets must be short. Paths below TMPDIR may be too long.
	if home, err = os.MkdirTemp("/tmp", "e2e"); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(home, "bin", "apitrace"), "../../cmd/apitrace")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building apitrace: %w\n%s", err, out)
	}
	tmp := filepath.Join(home, "tmp") // for servers that the tests start without the command
	err = os.Mkdir(tmp, 0o700)
	for name, value := range map[string]string{
		"PATH":            filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"TMPDIR":          tmp,
		"XDG_RUNTIME_DIR": "",
		"LC_ALL":          "C.UTF-8",
		// A command runs for a second. With the default, a third of its processor time
		// went into garbage collection.
		"GOGC": "400",
	} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
})

// removeHome removes the folder of the tests. It returns an error if servers have left
// files there.
func removeHome() error {
	if home == "" {
		return nil
	}
	left, err := filepath.Glob(filepath.Join(home, "tmp", "apitrace-*"))
	if len(left) > 0 {
		err = fmt.Errorf("the tests have left folders of servers: %q", left)
	}
	return errors.Join(err, os.RemoveAll(home))
}

// unwrapped removes blanks and line ends, because the layout of a text may have
// inserted them.
func unwrapped(text string) string {
	return strings.Join(strings.Fields(text), "")
}
