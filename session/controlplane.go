package session

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// checkControlPlane returns a message.UsageError if the options cannot have a control
// plane.
func (o ServerOptions) checkControlPlane() error {
	if !o.ControlPlane {
		return nil
	}
	if o.Etcd.URL != "" {
		return message.UsageErrorf("--control-plane needs its own etcd: in the etcd of --etcd-servers, the controllers could change the objects of another cluster")
	}
	version, err := apiserver.ParseVersion(o.Version)
	if err != nil {
		return message.ToUsageError(err)
	}
	return controlplane.CheckVersion(version)
}

// buildControlPlane builds the programs beside kube-apiserver, or finds them in the cache.
// It returns nil without ControlPlane. With plain it builds upstream's programs without
// tracing.
func (o ServerOptions) buildControlPlane(ctx context.Context, plain bool, to Reporter) (*controlplane.Build, error) {
	if !o.ControlPlane {
		return nil, nil
	}
	wanted, err := o.buildOptions(plain, nil)
	if err != nil {
		return nil, err
	}
	if wanted.Cache, err = program.OpenCache(""); err != nil {
		return nil, err
	}
	missing, err := controlplane.Missing(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		to.Notice("building %s: this takes about %d min on two idle cores, and %s of disk in %s", message.List(missing),
			controlplane.BuildMinutes(len(missing)), program.FormatBytes(controlplane.Space(len(missing))), wanted.Cache.Root)
	}
	progress := to.Building()
	defer progress.Close()
	wanted.Progress = progress
	return controlplane.BuildPrograms(ctx, wanted)
}

// introduceCluster reports that the programs beside the server are ready, and what to do
// with them.
func (r *Running) introduceCluster(to Reporter) {
	to.Notice("kube-controller-manager and kube-scheduler are healthy (without leader election), and the node %s is ready for pods", controlplane.Node)
	to.Notice("the kubelet of %s is upstream's, with upstream's fake container runtime: its pods have no processes and no logs", controlplane.Node)
	to.Notice("as the administrator, create a Deployment and see how it gets its pods:")
	for _, command := range []string{"kubectl create deployment web --image=nginx --replicas=2", "kubectl get pods --watch"} {
		to.Notice("  %s", command)
	}
}
