package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testterm"
)

// TestResetAsks answers the question of "workshop reset --all" in a terminal. It checks
// that progress is deleted only after "yes".
func TestResetAsks(t *testing.T) {
	state := t.TempDir()
	workshop := func(args ...string) *exec.Cmd {
		c := command(t, "apitrace", append([]string{"workshop"}, args...)...)
		c.Env = append(c.Env, program.StateEnv+"="+state)
		return c
	}
	if out, err := workshop("start", "last-stop-before-etcd").CombinedOutput(); err != nil {
		t.Fatalf("workshop start: %v: %s", err, out)
	}
	answer := filepath.Join(state, "answers", "last-stop-before-etcd.txt")
	if err := os.MkdirAll(filepath.Dir(answer), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answer, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		typed, says string
		status      int
		deleted     bool
	}{
		{"no", `nothing was done: "no" is not "yes"`, 2, false},
		{"", `nothing was done: "" is not "yes"`, 2, false},
		{"yes", "All progress is deleted.", 0, true},
	} {
		c := testterm.Start(t, workshop("reset", "--all"), 80, 24)
		c.Shows("This deletes your progress on all exercises. Type yes to go on:")
		if _, err := os.Stat(answer); err != nil {
			t.Errorf("before the answer %q, the answer file must exist: %v", test.typed, err)
		}
		c.Type(test.typed, "enter")
		if status := c.Wait(); status != test.status || !strings.Contains(c.Screen(), test.says) {
			t.Errorf("%q: exit status %d, expected %d and %q:\n%s", test.typed, status, test.status, test.says, c.Screen())
		}
		if _, err := os.Stat(answer); os.IsNotExist(err) != test.deleted {
			t.Errorf("after the answer %q, looking for the answer file gave the error %v: it must be deleted only after \"yes\"", test.typed, err)
		}
	}
	// Now there is no current exercise to reset.
	if out, err := workshop("reset").CombinedOutput(); err == nil || strings.Contains(string(out), "is deleted") {
		t.Errorf("workshop reset without progress: got %v and the output %s, expected an error", err, out)
	}
}
