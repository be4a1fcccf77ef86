package instrument

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowNewerGoIsRefused builds the fixture with the changed runtime of a possible
// later Go. The probe reads the runtime's structures. With such a runtime, the probe must
// report that it traces nothing, and the program must run as without a probe.
func TestSlowNewerGoIsRefused(t *testing.T) {
	testenv.Slow(t)
	for _, test := range []struct{ name, file, was, is, want string }{
		{"the descriptor of a goroutine is larger", "runtime2.go", "\tgoid         uint64\n", "\tlater [512]byte\n\tgoid uint64\n", "0 places for the id"},
		{"the runtime prints another id", "traceback.go", "\tprint(\"goroutine \", gp.goid)\n", "\tprint(\"goroutine \", gp.goid+1<<40)\n", "0 places for the id"},
		{"the runtime prints goroutines in another form", "traceback.go", "\tprint(\"goroutine \", gp.goid)\n", "\tprint(\"go \", \"#\", gp.goid)\n", "prints goroutines in a way that the probe does not know"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.replaceInRuntime(t, test.file, test.was, test.is)
			known, header, records := f.run(t, f.build(t))
			if !strings.Contains(header.Error, test.want) || len(records) > 0 {
				t.Errorf("the probe reports %q and %d calls, expected %q and no calls", header.Error, len(records), test.want)
			}
			if len(known.Calls) == 0 {
				t.Error("the program made no calls")
			}
		})
	}
}

// replaceInRuntime replaces a text in a file of package runtime, for the next build.
func (f *fixture) replaceInRuntime(t *testing.T, name, was, is string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src/runtime", name)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), was, is, 1)
	if changed == string(text) {
		t.Skipf("%s of %s has no %q: the test is for another release of Go", name, runtime.Version(), was)
	}
	to := filepath.Join(t.TempDir(), name)
	writeFile(t, to, changed)
	f.res.Overlay[file] = to
	overlay, err := json.Marshal(map[string]any{"Replace": f.res.Overlay})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(f.dir, "overlay.json"), string(overlay))
}
