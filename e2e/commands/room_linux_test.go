package commands

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// leaveNetwork removes the network for the rest of the test and for its commands. Only
// the loopback interface remains.
func leaveNetwork(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("a new network namespace needs root: %v", err)
	}
	up, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	up.SetUint16(unix.IFF_UP)
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, up); err != nil {
		t.Fatal(err)
	}
	if all, err := net.Interfaces(); err != nil || len(all) != 1 || all[0].Flags&net.FlagLoopback == 0 {
		t.Fatalf("the interfaces are %v (error: %v), expected only the loopback interface", all, err)
	}
}

// A roomMachine is a machine in a workshop room. It has apitrace and the prepared
// folder. It has no network and no Go.
type roomMachine struct {
	*machine
	folder string
}

// types runs a command in the folder, and checks its exit status and its output.
func (m *roomMachine) types(status int, wants []string, args ...string) string {
	m.Helper()
	command, said := m.withoutGo(args...)
	command.Dir = m.folder
	out, _ := command.Output()
	all := string(out) + said.String()
	if got := command.ProcessState.ExitCode(); got != status {
		m.Errorf("apitrace %q: exit status %d, want %d\n%s", args, got, status, all)
	}
	for _, want := range wants {
		if !strings.Contains(unwrapped(all), unwrapped(want)) {
			m.Errorf("apitrace %q does not say %q:\n%s", args, want, all)
		}
	}
	return all
}

// TestSlowRoom checks a prepared folder on a machine without network and Go. It must be
// enough for all exercises, except exercises that change a server. These must say what
// they need. The servers are exported without source and compiled packages, which are
// useless without Go.
func TestSlowRoom(t *testing.T) {
	testenv.Slow(t)
	here := newMachine(t)
	m := &roomMachine{newMachine(t), t.TempDir()}
	m.set(program.CacheEnv, t.TempDir())
	m.set("HOME", t.TempDir())
	servers := "servers-" + runtime.GOOS + "-" + runtime.GOARCH + ".apitrace"
	if _, said, status := here.run("cache", "export", filepath.Join(m.folder, servers), "--sample"); status != 0 {
		t.Fatalf("cache export: exit status %d\n%s", status, said)
	}
	mark := []byte(`{"k8sVersion":"v1.37.1","go":"go1.26.99"}`)
	if err := os.WriteFile(filepath.Join(m.folder, "apitrace-room.json"), mark, 0o600); err != nil {
		t.Fatal(err)
	}
	leaveNetwork(t)

	const check = "workshop prepare --check"
	recorded := "[ok] exercises that recordings decide: all "
	m.types(1, []string{recorded, "next: apitrace cache import " + servers, "install go1.26.99"}, "workshop", "prepare", "--check")
	m.types(0, []string{"this machine has no Go that can compile it", check}, "workshop", "start", "from-memory")
	m.types(1, []string{"https://go.dev/dl", check}, "workshop", "check", "GET", "/api/v1/nodes/n1")

	m.types(0, nil, "cache", "import", servers)
	out := m.types(1, []string{recorded, "[!!] changing a server: no Go", "install go1.26.99"}, "workshop", "prepare", "--check", ".")
	if n := strings.Count(out, "[!!]"); n != 1 {
		t.Errorf("%d requirements are missing, expected Go alone:\n%s", n, out)
	}
	for _, e := range exercises(t) {
		switch {
		case e.Make != nil:
			m.types(0, []string{"which starts in seconds"}, "workshop", "start", e.Name)
			m.types(0, []string{"✓ " + e.Name}, "workshop", "verify", "--live", e.Name)
		case e.Change != nil:
			m.types(0, []string{"this machine has no Go that can compile it", check}, "workshop", "start", e.Name)
			m.types(1, []string{"this exercise changes a server, which must then be compiled", "https://go.dev/dl", check}, "workshop", "check")
		}
	}
}
