package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunDir(t *testing.T) {
	r := newRunDir(t)
	info, err := os.Stat(r.Path)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the run directory has mode %v, want 0700", info.Mode())
	}
	part, err := r.Part("kube-apiserver")
	must(t, err)
	if socket := (Server{Dir: part}).Socket(); len(socket) > maxSocketPath {
		t.Errorf("the socket's path %q is longer than maxSocketPath", socket)
	}
	if !RunDirAlive(r.Path) {
		t.Error("RunDirAlive of a run directory in use is false, want true")
	}
	must(t, r.Close())
	if exists(r.Path) || RunDirAlive(r.Path) {
		t.Error("after Close, the run directory exists or RunDirAlive is true, want neither")
	}
}

func TestSweepRunDirs(t *testing.T) {
	mine := newRunDir(t)
	base := filepath.Dir(mine.Path)
	deserted, open := filepath.Join(base, runDirPrefix()+"1"), filepath.Join(base, runDirPrefix()+"2")
	must(t, os.MkdirAll(filepath.Join(deserted, "etcd"), 0o700))
	// A folder that others can write to does not count as a run directory of this user.
	must(t, os.Mkdir(open, 0o700))
	must(t, os.Chmod(open, 0o777))
	link := filepath.Join(base, runDirPrefix()+"3")
	precious := t.TempDir()
	must(t, os.Symlink(precious, link))

	if swept := SweepRunDirs(); len(swept) != 1 || swept[0] != deserted {
		t.Errorf("swept %q, want %q alone", swept, deserted)
	}
	if !exists(mine.Path) || !exists(open) || !exists(precious) || exists(deserted) {
		t.Error("SweepRunDirs removed another folder, or did not remove the deserted one")
	}
}

// TestLongTempDir checks that run directories are in /tmp if the path of TMPDIR is too long for
// sockets. Long paths are common on macOS and in CI.
func TestLongTempDir(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 80))
	must(t, os.Mkdir(long, 0o700))
	t.Setenv("TMPDIR", long)
	t.Setenv("XDG_RUNTIME_DIR", "")
	r, err := NewRunDir()
	must(t, err)
	defer r.Close()
	if filepath.Dir(r.Path) != "/tmp" {
		t.Errorf("the run directory is %s, want it in /tmp", r.Path)
	}
}

// The longer the path of a program's socket, the shorter the path of the folder for it.
func TestRunDirForLongSockets(t *testing.T) {
	base := filepath.Join(t.TempDir(), "x")
	must(t, os.Mkdir(base, 0o700))
	t.Setenv("TMPDIR", base)
	t.Setenv("XDG_RUNTIME_DIR", "")
	for _, longest := range []string{"/s", "/" + strings.Repeat("s", maxSocketPath-len("/tmp/"+runDirPrefix())-11)} {
		r, err := NewRunDirFor(longest)
		must(t, err)
		if path := r.Path + longest; len(path) > maxSocketPath {
			t.Errorf("the socket's path %q is too long", path)
		}
		must(t, r.Close())
	}
}
