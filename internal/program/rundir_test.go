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
		t.Errorf("the run directory has mode %v, want it private", info.Mode())
	}
	part, err := r.Part("kube-apiserver")
	must(t, err)
	if socket := (Server{Dir: part}).Socket(); len(socket) > maxSocketPath {
		t.Errorf("the socket's path %q is too long", socket)
	}
	if !RunDirAlive(r.Path) {
		t.Error("a run directory in use counts as dead")
	}
	must(t, r.Close())
	if exists(r.Path) || RunDirAlive(r.Path) {
		t.Error("a closed run directory is there, or counts as alive")
	}
}

func TestSweepRunDirs(t *testing.T) {
	mine := newRunDir(t)
	base := filepath.Dir(mine.Path)
	deserted, open := filepath.Join(base, runDirPrefix()+"1"), filepath.Join(base, runDirPrefix()+"2")
	must(t, os.MkdirAll(filepath.Join(deserted, "etcd"), 0o700))
	// This folder is not ours, because anybody could have written to it.
	must(t, os.Mkdir(open, 0o700))
	must(t, os.Chmod(open, 0o777))
	link := filepath.Join(base, runDirPrefix()+"3")
	precious := t.TempDir()
	must(t, os.Symlink(precious, link))

	if swept := SweepRunDirs(); len(swept) != 1 || swept[0] != deserted {
		t.Errorf("swept %q, want %q alone", swept, deserted)
	}
	if !exists(mine.Path) || !exists(open) || !exists(precious) || exists(deserted) {
		t.Error("something else is gone, or the deserted folder is not")
	}
}

// A long path of the folder for temporary files is common on macOS and in CI.
func TestLongTempDir(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 80))
	must(t, os.Mkdir(long, 0o700))
	t.Setenv("TMPDIR", long)
	t.Setenv("XDG_RUNTIME_DIR", "")
	r, err := NewRunDir()
	must(t, err)
	defer r.Close()
	if filepath.Dir(r.Path) != "/tmp" {
		t.Errorf("the run directory is %s", r.Path)
	}
}
