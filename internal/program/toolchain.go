package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// minGo is the oldest Go toolchain that apitrace builds with.
const minGo = "go1.26"

// A Toolchain is the installed Go toolchain.
type Toolchain struct {
	// Go is the path of the go command.
	Go string `json:"-"`
	// Version is its version: "go1.26.8".
	Version string `json:"GOVERSION"`
	// OS and Arch are what it builds for: this machine.
	OS   string `json:"GOHOSTOS"`
	Arch string `json:"GOHOSTARCH"`
	// ModCache is the user's module cache, from which vendor trees are made.
	ModCache string `json:"GOMODCACHE"`
}

// A tempDirError says that there is no folder for temporary files, which the go command and the
// servers need.
type tempDirError struct {
	// Dir is the folder.
	Dir string
	// Set tells whether TMPDIR names it.
	Set bool
	err error
}

func (e *tempDirError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *tempDirError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *tempDirError) message() message.Message {
	if e.Set {
		return message.Of("TMPDIR is %q, which cannot be used for temporary files: %v; create it, set TMPDIR to another folder, or unset it", e.Dir, e.err)
	}
	return message.Of("the folder %q cannot be used for temporary files: %v; create it, or set TMPDIR to another folder", e.Dir, e.err)
}

func (e *tempDirError) Unwrap() error { return e.err }

func checkTempDir() error {
	dir := os.TempDir()
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = message.NewError("it does not exist")
	case err == nil && !info.IsDir():
		err = message.NewError("it is not a folder")
	case err == nil:
		return nil
	}
	return &tempDirError{Dir: dir, Set: os.Getenv("TMPDIR") != "", err: err}
}

// A NoGoError reports that the machine has no go command, or only one that is too old, and says where to get one.
type NoGoError struct{ message.Message }

func (e *NoGoError) Error() string { return e.String() }

func noGo(format string, args ...any) error { return &NoGoError{message.Of(format, args...)} }

// FindToolchain finds the go command on PATH and asks it what it is.
func FindToolchain(ctx context.Context) (Toolchain, error) {
	var t Toolchain
	if err := checkTempDir(); err != nil {
		return t, err
	}
	goCmd, err := exec.LookPath("go")
	if err != nil {
		return t, noGo("no Go toolchain: the command %q is not on PATH, and apitrace compiles kube-apiserver with it; install %s or newer from https://go.dev/dl", "go", minGo)
	}
	cmd := exec.CommandContext(ctx, goCmd, "env", "-json", "GOVERSION", "GOHOSTOS", "GOHOSTARCH", "GOMODCACHE")
	// A go.mod or go.work of the folder we happen to be in must not switch the toolchain.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local")
	cmd.Dir = os.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return t, message.Errorf("asking %s for its environment: %w: %s", goCmd, err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(out, &t); err != nil {
		return t, message.Errorf("reading the output of %q: %w", "go env -json", err)
	}
	t.Go = goCmd
	return t, t.check()
}

func (t Toolchain) check() error {
	// A development version ("devel go1.27-abcdef") is not a valid version and is accepted.
	if version.IsValid(t.Version) && version.Compare(t.Version, minGo) < 0 {
		return noGo("the Go toolchain %s is %s, and apitrace needs %s or newer: see https://go.dev/dl", t.Go, t.Version, minGo)
	}
	if t.ModCache == "" {
		return message.NewError("the go command has no module cache: GOMODCACHE, GOPATH and HOME are all empty; set one of them")
	}
	return nil
}

// fits reports whether the toolchain is new enough for the Go version that a go.mod asks for.
func (t Toolchain) fits(goVersion string) bool {
	return !version.IsValid(t.Version) || version.Compare(t.Version, "go"+goVersion) >= 0
}

// A setting is an environment variable that a build sets, and why.
type setting struct{ name, value string }

// fetchSettings is what is changed in the user's environment for the commands
// that may use the network. GOPROXY, GOPRIVATE, GOSUMDB and the like stay as they are.
func (t Toolchain) fetchSettings(c *Cache) []setting {
	return []setting{
		// The user's flags (-mod=vendor, -modfile, -tags) are for the user's modules.
		// An empty value would not override what "go env -w" has set, so one is given.
		{"GOFLAGS", "-mod=mod"},
		// The workspace is a module of its own, wherever the user stands.
		{"GOWORK", "off"},
		{"GO111MODULE", "on"},
		// The build has to use the toolchain that is part of its key, and nothing
		// may download another one behind the user's back.
		{"GOTOOLCHAIN", "local"},
		// The same one as for the build: accounted for, and droppable.
		{"GOCACHE", c.goCache()},
	}
}

// buildSettings is, with buildInherited, the whole environment of a build.
func (t Toolchain) buildSettings(c *Cache) []setting {
	return []setting{
		// Settings made with "go env -w" (flags, experiments) must not leak in.
		{"GOENV", "off"},
		{"GOCACHE", c.goCache()},
		// GOENV=off would forget where the user's modules are.
		{"GOMODCACHE", t.ModCache},
		// All source is in the vendor tree: a build that wants the network is wrong.
		{"GOPROXY", "off"},
		{"GOSUMDB", "off"},
		{"GOWORK", "off"},
		{"GO111MODULE", "on"},
		{"GOTOOLCHAIN", "local"},
		// No C compiler is needed, and the binary does not depend on this machine's libc.
		{"CGO_ENABLED", "0"},
		// The compiler collects its own garbage less often: it takes more memory and an eighth less time.
		// What it writes is the same, so this is not part of a build's key.
		{"GOGC", cmp.Or(os.Getenv("GOGC"), "400")},
	}
}

// generateSettings is, with buildInherited and GOPATH, the whole environment of a generator.
func (t Toolchain) generateSettings() []setting {
	return []setting{
		{"GOENV", "off"},
		// It finds packages as folders below GOPATH, without asking the go command.
		{"GO111MODULE", "off"},
		{"GOTOOLCHAIN", "local"},
	}
}

// buildInherited lists what a build takes over from the user: where the go
// command finds its home and puts temporary files.
var buildInherited = []string{"HOME", "PATH", "TMPDIR", "USER"}

func (t Toolchain) fetchEnv(c *Cache) []string {
	// These would make the go command resolve for another platform.
	drop := []string{"GOOS", "GOARCH", "GOEXPERIMENT"}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(drop, name)
	})
	return append(env, assignments(t.fetchSettings(c))...)
}

func (t Toolchain) buildEnv(c *Cache) []string {
	return append(inherit(buildInherited), assignments(t.buildSettings(c))...)
}

// inherit gives the assignments of those variables that are set in our own environment.
func inherit(names []string) []string {
	var env []string
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func assignments(settings []setting) []string {
	var env []string
	for _, s := range settings {
		env = append(env, s.name+"="+s.value)
	}
	return env
}
