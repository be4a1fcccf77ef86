package controlplane

import (
	"context"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// These are averages for one program, after kube-apiserver is built: minutes on two idle
// cores, and bytes in the cache. With v1.37.1, all three took 12 minutes of processor time.
// Their workspaces and binaries have 0.7 GB. The rest is an estimate of Go's build cache.
const (
	minutes = 2
	space   = 1e9
)

// BuildMinutes returns how many minutes it takes to build this many of Programs.
func BuildMinutes(programs int) int { return programs * minutes }

// Space returns how many bytes of disk it takes to build this many of Programs.
func Space(programs int) int64 { return int64(programs) * space }

// A Build has the built programs of one release.
type Build struct {
	binaries map[string]*program.Binary // by the program's name
}

// Paths returns the paths of the executables, in the order of Programs.
func (b *Build) Paths() []string {
	var paths []string
	for _, p := range Programs() {
		paths = append(paths, b.binaries[p.Name].Path)
	}
	return paths
}

// Release allows other processes to remove the binaries from the cache when nothing runs
// them.
func (b *Build) Release() {
	if b == nil {
		return
	}
	for _, binary := range b.binaries {
		binary.Release()
	}
}

// BuildPrograms builds the programs, or finds them in the cache.
func BuildPrograms(ctx context.Context, o apiserver.BuildOptions) (*Build, error) {
	b := &Build{binaries: map[string]*program.Binary{}}
	err := eachRecipe(ctx, o, func(r *traced.Recipe) (err error) {
		b.binaries[r.Program.Name], err = r.Build(ctx)
		return err
	})
	if err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// Missing returns the names of the programs that BuildPrograms would build, because they
// are not in the cache. It may use the network to find the release.
func Missing(ctx context.Context, o apiserver.BuildOptions) (names []string, err error) {
	err = eachRecipe(ctx, o, func(r *traced.Recipe) error {
		entries, err := r.Cache.Entries(program.KindBuild)
		if err != nil {
			return err
		}
		built, err := r.IsBuilt(ctx, entries)
		if err == nil && !built {
			names = append(names, r.Program.Name)
		}
		return err
	})
	return names, err
}

// WritePlan prints the steps of BuildPrograms, each program's after an empty line. It does
// not use the network.
func WritePlan(ctx context.Context, w io.Writer, in message.Printer, o apiserver.BuildOptions) error {
	return eachRecipe(ctx, o, func(r *traced.Recipe) error {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return r.WritePlan(ctx, w, in)
	})
}

// eachRecipe calls do with how to build each of Programs, until an error.
func eachRecipe(ctx context.Context, o apiserver.BuildOptions, do func(*traced.Recipe) error) error {
	version, err := apiserver.ParseVersion(o.Version)
	if err != nil {
		return err
	}
	if err := CheckVersion(version); err != nil {
		return err
	}
	for _, p := range Programs() {
		recipe, err := apiserver.RecipeOf(ctx, p, o)
		if err != nil {
			return err
		}
		if err := do(recipe); err != nil {
			return err
		}
	}
	return nil
}

// CheckVersion returns a message.UsageError if the programs cannot be built or run for a
// version. The version has the form that apiserver.ParseVersion returns.
func CheckVersion(version string) error {
	if program.IsLocal(version) {
		return message.UsageErrorf("--control-plane is for releases of Kubernetes: the programs beside kube-apiserver are not built from a checkout")
	}
	if !supported.Has(version) {
		return message.UsageErrorf("--control-plane needs Kubernetes %s or newer, not %s", supported.Since, version)
	}
	return nil
}
