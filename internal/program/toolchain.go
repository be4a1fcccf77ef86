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

// minGo is the oldest Go toolchain for apitrace's builds.
const minGo = "go1.26"

// A Toolchain is the installed Go toolchain.
type Toolchain struct {
	// Go is the path of the go command.
	Go string `json:"-"`
	// Version is the version of Go, such as "go1.26.8".
	Version string `json:"GOVERSION"`
	// OS and Arch are the platform of this machine. Builds are for the same platform.
	OS   string `json:"GOHOSTOS"`
	Arch string `json:"GOHOSTARCH"`
	// ModCache is the user's module cache, which the go command copies source from.
	ModCache string `json:"GOMODCACHE"`
}

// A tempDirError reports that the folder for temporary files cannot be used. The go
// command and the servers need it.
type tempDirError struct {
	Dir string
	// Set is set if TMPDIR names the folder.
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

// A NoGoError reports that there is no go command, or only an old one.
// It says where to get a newer one.
type NoGoError struct{ message.Message }

func (e *NoGoError) Error() string { return e.String() }

func noGo(format string, args ...any) error { return &NoGoError{message.Of(format, args...)} }

// FindToolchain finds the go command on PATH and runs "go env".
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
	// A go.mod or go.work in the current folder must not switch the toolchain.
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
	// A development version ("devel go1.27-abcdef") is accepted, although it is not valid.
	if version.IsValid(t.Version) && version.Compare(t.Version, minGo) < 0 {
		return noGo("the Go toolchain %s is %s, and apitrace needs %s or newer: see https://go.dev/dl", t.Go, t.Version, minGo)
	}
	if t.ModCache == "" {
		return message.NewError("the go command has no module cache: GOMODCACHE, GOPATH and HOME are all empty; set one of them")
	}
	return nil
}

// fits reports whether the toolchain is new enough for a go.mod.
func (t Toolchain) fits(goVersion string) bool {
	return !version.IsValid(t.Version) || version.Compare(t.Version, "go"+goVersion) >= 0
}

// A setting is an environment variable for the go command.
type setting struct{ name, value string }

// fetchSettings changes the user's environment for commands that may use the network.
// GOPROXY, GOPRIVATE, GOSUMDB and similar variables keep their values.
func (t Toolchain) fetchSettings(c *Cache) []setting {
	return []setting{
		// The user's flags (-mod=vendor, -modfile, -tags) are for the user's modules. An
		// empty value would not override "go env -w".
		{"GOFLAGS", "-mod=mod"},
		// The workspace is a module of its own, whatever the user has set.
		{"GOWORK", "off"},
		{"GO111MODULE", "on"},
		// The build must use the toolchain of its key. The go command must not download
		// another one without the user's knowledge.
		{"GOTOOLCHAIN", "local"},
		// The build uses the same cache, which counts to apitrace's cache.
		{"GOCACHE", c.goCache()},
	}
}

// buildSettings and buildInherited are the whole environment of a build.
func (t Toolchain) buildSettings(c *Cache) []setting {
	return []setting{
		// Settings of "go env -w" (flags, experiments) must not affect the build.
		{"GOENV", "off"},
		{"GOCACHE", c.goCache()},
		// With GOENV=off, the go command does not read it from "go env -w".
		{"GOMODCACHE", t.ModCache},
		// All source is in the vendor folder, so the build needs no network.
		{"GOPROXY", "off"},
		{"GOSUMDB", "off"},
		{"GOWORK", "off"},
		{"GO111MODULE", "on"},
		{"GOTOOLCHAIN", "local"},
		// The build then needs no C compiler, and does not depend on the machine's libc.
		{"CGO_ENABLED", "0"},
		// The compiler collects garbage less often: more memory, an eighth less time.
		// Its output is the same, so the build's key does not include this.
		{"GOGC", cmp.Or(os.Getenv("GOGC"), "400")},
	}
}

// generateSettings, buildInherited and GOPATH are a generator's whole environment.
func (t Toolchain) generateSettings() []setting {
	return []setting{
		{"GOENV", "off"},
		// A generator finds packages below GOPATH, without the go command.
		{"GO111MODULE", "off"},
		{"GOTOOLCHAIN", "local"},
	}
}

// buildInherited lists the variables that a build inherits from the user.
var buildInherited = []string{"HOME", "PATH", "TMPDIR", "USER"}

func (t Toolchain) fetchEnv(c *Cache) []string {
	// With these variables, the go command would resolve for another platform.
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

// inherit returns the variables that are set, as "NAME=value".
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
