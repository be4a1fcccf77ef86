package apiserver

import (
	"context"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// Name is the name of the program in traces.
	Name   = trace.ProcessAPIServer
	module = "k8s.io/kubernetes"
)

// kubeAPIServer is kube-apiserver as a program that apitrace traces.
var kubeAPIServer = traced.Program{
	Name: Name,
	ForVersion: func(k8s string, _ func() (program.Upstream, error)) (program.Program, error) {
		return Program(k8s), nil
	},
	Explain: func(r *traced.Recipe, err error) error {
		if program.IsLocal(r.K8sVersion) {
			up, _ := program.CopyRecord(r.Cache, r.Program)
			return explainCheckout(err, up)
		}
		return explainUnknown(r.K8sVersion, err)
	},
}

// Programs lists the programs that apitrace traces. A search for a source file goes through
// the programs in this order.
func Programs() []traced.Program {
	return []traced.Program{kubeAPIServer, storage.Traced, sample}
}

// Recipe returns how to build one of Programs.
func Recipe(ctx context.Context, name string, o BuildOptions) (*traced.Recipe, error) {
	p, ok := traced.Find(Programs(), name)
	if !ok {
		return nil, message.Errorf("no program %q: expected one of %s", name, message.List(programNames()))
	}
	return RecipeOf(ctx, p, o)
}

// RecipeOf returns how to build a program of a release of Kubernetes.
func RecipeOf(ctx context.Context, p traced.Program, o BuildOptions) (*traced.Recipe, error) {
	options, err := o.traced(ctx)
	if err != nil {
		return nil, err
	}
	return o.recipe(ctx, p, options)
}

func programNames() []string {
	var names []string
	for _, p := range Programs() {
		names = append(names, p.Name)
	}
	return names
}

// Program returns how to build kube-apiserver.
// The version has the form that ParseVersion returns.
func Program(version string) program.Program {
	p := Component(Name, "cmd/kube-apiserver/apiserver.go", version)
	p.Space = 4e9
	return p
}

// Component returns how to build a program of Kubernetes' own repository.
// main is the path of the file with its func main.
// The version has the form that ParseVersion returns.
// The caller sets the Space.
func Component(name, main, version string) program.Program {
	return withRepairs(program.Program{
		Name:    name,
		Module:  module,
		Version: version,
		Main:    main,
		LocalReplace: func(_, dir string) (string, bool) {
			return stagingVersion(version), strings.HasPrefix(dir, "staging/src/")
		},
		Stamp: stamp,
	})
}

// stamp returns the variables that upstream's release build sets at link time
// (hack/lib/version.sh).
// Without them, the server and its client library report v0.0.0. kubectl, and admission
// that depends on the version, do not accept this.
func stamp(up program.Upstream) []string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(up.Version), "v"), ".")
	if _, err := strconv.Atoi(minor); err != nil {
		major, minor = "", ""
	}
	state := "clean"
	if up.Local != nil && up.Local.Dirty {
		state = "dirty"
	}
	var set []string
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		set = append(set,
			pkg+".gitVersion="+up.Version,
			pkg+".gitMajor="+major,
			pkg+".gitMinor="+minor,
			pkg+".gitTreeState="+state,
			pkg+".gitCommit="+up.Commit)
		if !up.Time.IsZero() { // zero in a plan without upstream's source
			// Upstream's reproducible builds also have the commit's time. So the same source
			// gives the same binary.
			set = append(set, pkg+".buildDate="+up.Time.Format(time.RFC3339))
		}
	}
	return set
}
