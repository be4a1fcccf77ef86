package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// BuildOptions select the kube-apiserver to build, together with its etcd.
type BuildOptions struct {
	// Version is the Kubernetes version; "" means DefaultVersion.
	Version string
	// Plain builds upstream's programs without tracing.
	Plain bool
	// Debuggable is program.Options.Debuggable.
	Debuggable bool
	// EditsDir is a folder of program.Edits; "" means no edits.
	// Traced builds include its edits of this version.
	EditsDir string
	// Trace names packages to trace besides the packages that apitrace always traces.
	// It has the form of traced.ParsePackages.
	// A program that lacks a package is built without it.
	Trace []string
	// Dry is set for a plan: nothing is fetched to learn which packages of Trace a program
	// has. A program without source in the cache is assumed to have all.
	Dry bool
	// Cache is the cache of the builds; nil means the default one.
	Cache *program.Cache
	// Progress receives the progress of the build; nil discards it.
	Progress program.Progress
}

// A Build is a built kube-apiserver with the etcd that belongs to it.
type Build struct {
	// K8sVersion and EtcdVersion begin with "v".
	K8sVersion, EtcdVersion string
	APIServer, Etcd         *program.Binary
	// Edited lists the files that differ from upstream's, by path below the vendor folder.
	// It is empty in an ordinary build.
	Edited []string
	// More names the packages of BuildOptions.Trace that a program has, without the
	// packages that are always traced.
	More []string

	// baseKey is the key of the build without BuildOptions.Trace and Debuggable.
	// It is "" if the options had neither.
	baseKey string
}

// Release allows other processes to remove the binaries from the cache when no server
// runs them.
func (b *Build) Release() {
	b.APIServer.Release()
	b.Etcd.Release()
}

// key identifies the pair of binaries by content.
// It is the key of the build without BuildOptions.Trace and Debuggable.
// StartOptions.Variant distinguishes servers with other traced packages. A debuggable
// server answers like any other, so it needs no key of its own.
func (b *Build) key() string { return cmp.Or(b.baseKey, pairKey(b.APIServer.Key, b.Etcd.Key)) }

func pairKey(apiserver, etcd string) string { return apiserver[:16] + etcd[:16] }

// traced returns the options for the recipes of Programs.
func (o BuildOptions) traced(ctx context.Context) (traced.Options, error) {
	version, err := ParseVersion(o.Version)
	if err != nil {
		return traced.Options{}, err
	}
	if o.Cache == nil {
		if o.Cache, err = program.OpenCache(""); err != nil {
			return traced.Options{}, err
		}
	}
	return traced.Options{
		Version: version, Plain: o.Plain, Debuggable: o.Debuggable, EditsDir: o.EditsDir, Cache: o.Cache, Progress: o.Progress,
		Kubernetes: sync.OnceValues(func() (program.Upstream, error) {
			up, err := program.Resolve(ctx, o.Cache, module, version)
			return up, explainUnknown(version, err)
		}),
	}, nil
}

// pair returns the recipes of kube-apiserver and of the etcd that belongs to it.
func (o BuildOptions) pair(ctx context.Context) (apiserver, etcd *traced.Recipe, err error) {
	options, err := o.traced(ctx)
	if err != nil {
		return nil, nil, err
	}
	if apiserver, err = o.recipe(ctx, kubeAPIServer, options); err != nil {
		return nil, nil, err
	}
	etcd, err = o.recipe(ctx, storage.Traced, options)
	return apiserver, etcd, err
}

// Key returns the version of Kubernetes and the key of the Build that BuildPrograms
// would make. It makes no build and reads no binaries.
// Attach finds a server of this Build by version and key.
func Key(ctx context.Context, o BuildOptions) (k8sVersion, key string, err error) {
	apiserver, etcd, err := o.pair(ctx)
	if err != nil {
		return "", "", err
	}
	first, err := apiserver.Key(ctx)
	if err != nil {
		return "", "", err
	}
	second, err := etcd.Key(ctx)
	if err != nil {
		return "", "", err
	}
	return apiserver.K8sVersion, pairKey(first, second), nil
}

// BuildPrograms builds kube-apiserver and its etcd, or finds them in the cache.
func BuildPrograms(ctx context.Context, o BuildOptions) (*Build, error) {
	apiserver, etcd, err := o.pair(ctx)
	if err != nil {
		return nil, err
	}
	b := &Build{K8sVersion: apiserver.K8sVersion, EtcdVersion: etcd.Program.Release()}
	b.Edited = traced.NamesOf(slices.Concat(apiserver.Edits, etcd.Edits))
	if b.More = unionOf(apiserver.More, etcd.More); len(o.Trace) > 0 || o.Debuggable {
		base := o
		base.Trace, base.Debuggable = nil, false
		if _, b.baseKey, err = Key(ctx, base); err != nil {
			return nil, err
		}
	}
	if b.Etcd, err = etcd.Build(ctx); err != nil {
		return nil, adviseTestedRelease(b.K8sVersion, err)
	}
	if b.APIServer, err = apiserver.Build(ctx); err != nil {
		return nil, adviseTestedRelease(b.K8sVersion, err)
	}
	return b, nil
}

// Space returns how many bytes of disk BuildPrograms needs with an empty cache.
func Space() int64 { return Program(DefaultVersion).Space + storage.Program("").Space }

// explainUnknown rewrites the error for a version that does not exist.
// It returns any other error unchanged.
func explainUnknown(version string, err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return message.Errorf("the source of Kubernetes %s is not available: there is no such release, or the module proxy (go env GOPROXY) does not have it: %w; choose one of https://kubernetes.io/releases/, such as %s",
			version, download, testedRelease(version))
	}
	return err
}

// WritePlan prints the steps of BuildPrograms without executing them.
// It does not use the network. If a version was never built, WritePlan does not know
// its version of etcd.
func WritePlan(ctx context.Context, w io.Writer, in message.Printer, o BuildOptions) error {
	options, err := o.traced(ctx)
	if err != nil {
		return err
	}
	o.Cache, o.Dry = options.Cache, true
	apiserver, err := o.recipe(ctx, kubeAPIServer, options)
	if err != nil {
		return err
	}
	plan, err := apiserver.Plan(ctx)
	if err != nil {
		return err
	}
	options.Kubernetes = func() (program.Upstream, error) { return plan.Upstream, nil }
	etcd, err := o.recipe(ctx, storage.Traced, options)
	if err != nil {
		fmt.Fprint(w, "# ", in.Sprintf("VERSION stands for the version of %s that %s %s requires: its go.mod is not here yet",
			storage.ClientModule, apiserver.Program.Module, apiserver.Program.Version), "\n\n")
		unknown := storage.Traced
		unknown.ForVersion = func(string, func() (program.Upstream, error)) (program.Program, error) {
			return storage.Program("VERSION"), nil
		}
		if etcd, err = o.recipe(ctx, unknown, options); err != nil {
			return err
		}
	}
	if err := etcd.WritePlan(ctx, w, in); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return plan.Write(w, in)
}
