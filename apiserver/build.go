package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// BuildOptions select the kube-apiserver to build, together with its etcd.
type BuildOptions struct {
	// Version is the Kubernetes version; "" means DefaultVersion.
	Version string
	// Plain builds upstream's programs as they are, without the tracing.
	Plain bool
	// EditsDir is a folder of program.Edits. Traced builds include the edits of the
	// version. "" means no edits.
	EditsDir string
	// Own is the server of BuildOwn; the other functions ignore it.
	Own serverconfig.Own
	// Cache is the cache of the builds; nil means the default one.
	Cache *program.Cache
	// Progress receives the progress of the build; nil discards it.
	Progress program.Progress
}

// A Build is a built kube-apiserver with the etcd that belongs to it.
type Build struct {
	// K8sVersion and EtcdVersion have their "v".
	K8sVersion, EtcdVersion string
	APIServer, Etcd         *program.Binary
	// Edited lists the files that are not upstream's, by their path below the vendor
	// folder; none in an ordinary build.
	Edited []string
}

// Release allows other processes to remove the binaries from the cache when no server runs them.
func (b *Build) Release() {
	b.APIServer.Release()
	b.Etcd.Release()
}

// key identifies the pair of binaries by content.
func (b *Build) key() string { return pairKey(b.APIServer.Key, b.Etcd.Key) }

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
	b := &Build{K8sVersion: pair.apiserver.Version, EtcdVersion: pair.etcd.Release()}
	b.Edited = namesOf(slices.Concat(pair.apiserverEdits, pair.etcdEdits))
	if b.Etcd, err = program.Build(ctx, pair.etcd, pair.etcdOptions); err != nil {
		return nil, advise(pair.apiserver.Version, explainCompile(err, pair.etcdEdits))
	}
	if b.APIServer, err = program.Build(ctx, pair.apiserver, pair.apiserverOptions); err != nil {
		if program.IsLocal(pair.apiserver.Version) {
			return nil, explainCheckout(err, pair.upstream)
		}
		return nil, advise(pair.apiserver.Version, explainCompile(err, pair.apiserverEdits))
	}
	return b, nil
}

// Space is how much disk BuildPrograms needs with an empty cache, in bytes.
func Space() int64 { return Program(DefaultVersion).Space + storage.Program("").Space }

// A pair has the programs to build, and how.
type pair struct {
	apiserver, etcd               program.Program
	upstream                      program.Upstream // of kube-apiserver, once it is resolved
	apiserverOptions, etcdOptions program.Options
	// guide is nil for plain builds.
	guide *instrument.Guide
	// The edits to include; none for plain builds.
	apiserverEdits, etcdEdits []program.Edit
}

func (o BuildOptions) resolve(ctx context.Context) (*pair, error) {
	p, err := o.withoutEtcd()
	if err != nil {
		return nil, err
	}
	version := p.apiserver.Version
	up, err := program.Resolve(ctx, p.apiserverOptions.Cache, p.apiserver.Module, version)
	if err != nil {
		return nil, explainUnknown(version, err)
	}
	etcd, err := storage.ProgramOf(up)
	if err != nil {
		return nil, message.Errorf("finding the etcd of Kubernetes %s: %w", version, err)
	}
	p.setEtcd(etcd)
	p.upstream = up
	return p, nil
}

// withoutEtcd fills in the parts that do not depend on upstream's module.
func (o BuildOptions) withoutEtcd() (*pair, error) {
	version, err := ParseVersion(o.Version)
	if err != nil {
		return nil, err
	}
	if o.Cache == nil {
		if o.Cache, err = program.OpenCache(""); err != nil {
			return nil, err
		}
	}
	p := &pair{apiserver: Program(version), apiserverOptions: program.Options{Cache: o.Cache, Progress: o.Progress}}
	if o.Plain {
		return p, nil
	}
	if p.guide, err = instrument.Load(); err != nil {
		return nil, err
	}
	edits := program.Edits{Dir: o.EditsDir, Version: version}
	if p.apiserverEdits, err = edits.Changed(Name); err != nil {
		return nil, err
	}
	if p.etcdEdits, err = edits.Changed(storage.Name); err != nil {
		return nil, err
	}
	p.apiserverOptions.Rewrite = instrumentation(p.guide, p.apiserver, version, p.apiserverEdits)
	return p, nil
}

func (p *pair) setEtcd(etcd program.Program) {
	p.etcd, p.etcdOptions = etcd, p.apiserverOptions
	if p.guide != nil {
		p.etcdOptions.Rewrite = instrumentation(p.guide, p.etcd, etcd.Release(), p.etcdEdits)
	}
}

// explainUnknown returns one error for a version that does not exist, and another if it could not be fetched.
func explainUnknown(version string, err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return message.Errorf("the source of Kubernetes %s is not available: there is no such release, or the module proxy (go env GOPROXY) does not have it: %w; choose one of https://kubernetes.io/releases/, such as %s",
			version, download, triedLike(version))
	}
	return err
}

// WritePlan prints the steps of BuildPrograms without executing them. It does not use the
// network, so for a version that was never built it does not know the version of etcd.
func WritePlan(ctx context.Context, w io.Writer, in message.Printer, o BuildOptions) error {
	p, err := o.withoutEtcd()
	if err != nil {
		return err
	}
	plans := make([]*program.Plan, 2)
	if plans[1], err = program.MakePlan(ctx, p.apiserver, p.apiserverOptions); err != nil {
		return err
	}
	etcd, err := storage.ProgramOf(plans[1].Upstream)
	if err != nil {
		etcd = storage.Program("VERSION")
		fmt.Fprint(w, "# ", in.Sprintf("VERSION stands for the version of %s that %s %s requires: its go.mod is not here yet",
			storage.ClientModule, p.apiserver.Module, p.apiserver.Version), "\n\n")
	}
	p.setEtcd(etcd)
	if plans[0], err = program.MakePlan(ctx, p.etcd, p.etcdOptions); err != nil {
		return err
	}
	for i, plan := range plans {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := plan.Write(w, in); err != nil {
			return err
		}
	}
	return nil
}
