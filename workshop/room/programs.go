package room

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// fileFor returns the file name of apitrace for a platform.
func fileFor(p program.Platform) string { return "apitrace-" + p.OS + "-" + p.Arch }

// platforms lists the platforms that the folder has apitrace for, this machine's first.
func (o *Preparation) platforms() []program.Platform {
	all := []program.Platform{{OS: runtime.GOOS, Arch: runtime.GOARCH}}
	if o.Checkout == "" {
		return all
	}
	for _, p := range program.Platforms {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// programNames lists the files of apitrace in the folder.
func (o *Preparation) programNames() (names []string) {
	for _, p := range o.platforms() {
		names = append(names, fileFor(p))
	}
	return names
}

// addPrograms adds apitrace: a copy of the running program, and builds of the checkout
// for other platforms.
func (o *Preparation) addPrograms(ctx context.Context, to session.Reporter) error {
	for i, p := range o.platforms() {
		file := filepath.Join(o.Folder, programs, fileFor(p))
		if i == 0 {
			if err := copySelf(file); err != nil {
				return err
			}
			continue
		}
		to.Notice("building apitrace for %s", p)
		if err := o.buildProgram(ctx, p, file); err != nil {
			return err
		}
	}
	return nil
}

func copySelf(file string) error {
	self, err := os.Executable()
	if err != nil {
		return message.Errorf("finding apitrace: %w", err)
	}
	text, err := os.ReadFile(self)
	if err == nil {
		err = renameio.WriteFile(file, text, 0o755, renameio.WithStaticPermissions(0o755))
	}
	if err != nil {
		return message.Errorf("copying apitrace: %w", err)
	}
	return nil
}

// buildProgram builds apitrace for another platform, without a C compiler.
func (o *Preparation) buildProgram(ctx context.Context, p program.Platform, file string) error {
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, toolchain.Go, "build", "-trimpath", "-o", out, "./cmd/apitrace")
	build.Dir = o.Checkout
	build.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return message.Errorf("building apitrace for %s in %s: %w\n%s", p, o.Checkout, err, said)
	}
	return nil
}
