package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// BuildOptions says which kube-apiserver to build, and its etcd with it.
type BuildOptions struct {
	// Version is the Kubernetes version; "" means DefaultVersion.
	Version string
	// Plain builds upstream's programs as they are, without the tracing.
	Plain bool
	// Cache is where builds are kept. Nil: the default one.
	Cache *program.Cache
	// Progress is told what happens. Nil: nobody is.
	Progress program.Progress
}

// A Build is a built kube-apiserver with the etcd that belongs to it.
type Build struct {
	// K8sVersion and EtcdVersion have their "v".
	K8sVersion, EtcdVersion string
	APIServer, Etcd         *program.Binary
}

// Key identifies the pair of binaries by content.
func (b *Build) Key() string { return pairKey(b.APIServer.Key, b.Etcd.Key) }

func pairKey(apiserver, etcd string) string { return apiserver[:16] + etcd[:16] }

// Key gives the key of the Build that BuildPrograms would make, and its version of
// Kubernetes, without making it or reading the binaries: enough to Attach to a
// server that runs it.
func Key(ctx context.Context, o BuildOptions) (k8sVersion, key string, err error) {
	pair, err := o.resolve(ctx)
	if err != nil {
		return "", "", err
	}
	apiserver, err := program.Key(ctx, pair.apiserver, pair.apiserverOptions)
	if err != nil {
		return "", "", err
	}
	etcd, err := program.Key(ctx, pair.etcd, pair.etcdOptions)
	if err != nil {
		return "", "", err
	}
	return pair.apiserver.Version, pairKey(apiserver, etcd), nil
}

// BuildPrograms builds kube-apiserver and its etcd, or finds them in the cache.
func BuildPrograms(ctx context.Context, o BuildOptions) (*Build, error) {
	pair, err := o.resolve(ctx)
	if err != nil {
		return nil, err
	}
	b := &Build{K8sVersion: pair.apiserver.Version, EtcdVersion: pair.etcd.Version}
	if b.Etcd, err = program.Build(ctx, pair.etcd, pair.etcdOptions); err != nil {
		return nil, err
	}
	if b.APIServer, err = program.Build(ctx, pair.apiserver, pair.apiserverOptions); err != nil {
		return nil, err
	}
	return b, nil
}

// A pair is what has to be built, and how.
type pair struct {
	apiserver, etcd               program.Program
	apiserverOptions, etcdOptions program.Options
}

func (o BuildOptions) resolve(ctx context.Context) (*pair, error) {
	version, err := ParseVersion(o.Version)
	if err != nil {
		return nil, err
	}
	if o.Cache == nil {
		if o.Cache, err = program.OpenCache(""); err != nil {
			return nil, err
		}
	}
	apiserver := Program(version)
	up, err := program.Resolve(ctx, o.Cache, apiserver.Module, version)
	if err != nil {
		return nil, explainUnknown(version, err)
	}
	etcdVersion, err := up.Requires(storage.ClientModule)
	if err != nil {
		return nil, fmt.Errorf("which etcd belongs to Kubernetes %s: %w", version, err)
	}
	p := &pair{apiserver: apiserver, etcd: storage.Program(etcdVersion)}
	p.apiserverOptions = program.Options{Cache: o.Cache, Progress: o.Progress}
	p.etcdOptions = p.apiserverOptions
	if o.Plain {
		return p, nil
	}
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	p.apiserverOptions.Rewrite = instrumentation(guide, p.apiserver)
	p.etcdOptions.Rewrite = instrumentation(guide, p.etcd)
	return p, nil
}

// explainUnknown tells a version that does not exist from trouble on the way to it.
func explainUnknown(version string, err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return fmt.Errorf("there is no Kubernetes %s, or its source is not published as a Go module (yet): %s; the releases are listed at https://kubernetes.io/releases/patch-releases/, and %s is known to work",
			version, download.Reason, DefaultVersion)
	}
	return err
}

// WritePlan prints what BuildPrograms would do, without doing it. Only to learn
// which etcd belongs to a version, the module of that version is resolved.
func WritePlan(ctx context.Context, w io.Writer, o BuildOptions) error {
	pair, err := o.resolve(ctx)
	if err != nil {
		return err
	}
	for i, p := range []struct {
		program program.Program
		options program.Options
	}{{pair.etcd, pair.etcdOptions}, {pair.apiserver, pair.apiserverOptions}} {
		plan, err := program.MakePlan(ctx, p.program, p.options)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := plan.Write(w); err != nil {
			return err
		}
	}
	return nil
}
