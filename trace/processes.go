package trace

import (
	"slices"
	"strings"
)

// These are the names of the traced programs, as in [Call.Process].
const (
	// ProcessAPIServer is kube-apiserver.
	ProcessAPIServer = "kube-apiserver"
	// ProcessSample is the sample API server, which can run behind kube-apiserver.
	ProcessSample = "sample-apiserver"
	// ProcessEtcd is etcd.
	ProcessEtcd = "etcd"
	// ProcessControllerManager is kube-controller-manager.
	ProcessControllerManager = "kube-controller-manager"
	// ProcessScheduler is kube-scheduler.
	ProcessScheduler = "kube-scheduler"
	// ProcessKubelet is upstream's hollow node: the kubelet with a fake container runtime.
	ProcessKubelet = "hollow-kubelet"
)

// A Process has facts about a traced program for readers of recordings.
type Process struct {
	// Name is the name of the program, as in Call.Process.
	Name string
	// Store is set for a program that stores the objects of other programs. It calls no
	// other program.
	Store bool
	// Behind is set for a program behind the aggregator of kube-apiserver.
	Behind bool
	// Beside is set for a program that makes a cluster of kube-apiserver, which runs without it.
	Beside bool

	version    func(*Recording) string
	repository *repository
}

// processes are the programs in recordings of apitrace. A server of the user is a
// Recording.OwnServer instead.
var processes = []Process{
	{Name: ProcessAPIServer, version: (*Recording).kubernetes, repository: kubernetes},
	{Name: ProcessSample, Behind: true, version: (*Recording).staging, repository: kubernetes},
	{Name: ProcessEtcd, Store: true, version: (*Recording).etcd, repository: etcd},
	{Name: ProcessControllerManager, Beside: true, version: (*Recording).kubernetes, repository: kubernetes},
	{Name: ProcessScheduler, Beside: true, version: (*Recording).kubernetes, repository: kubernetes},
	{Name: ProcessKubelet, Beside: true, version: (*Recording).kubernetes, repository: kubernetes},
}

// ProcessOf returns the Process with a name. For an unknown program, it has only
// the name.
func ProcessOf(name string) Process {
	if i := slices.IndexFunc(processes, func(p Process) bool { return p.Name == name }); i >= 0 {
		return processes[i]
	}
	return Process{Name: name}
}

func (r *Recording) kubernetes() string { return r.K8sVersion }
func (r *Recording) etcd() string       { return r.EtcdVersion }

// staging returns the version of the modules that are developed in the Kubernetes
// repository and released with it: v0.37.1 for v1.37.1.
func (r *Recording) staging() string {
	if minor, ok := strings.CutPrefix(r.K8sVersion, "v1."); ok {
		return "v0." + minor
	}
	return ""
}

// Version returns the version of a traced program with its "v", or "" if it is
// not known.
func (r *Recording) Version(process string) string {
	if server, ok := r.OwnServer(process); ok {
		return server.Version
	}
	if p := ProcessOf(process); p.version != nil {
		return p.version(r)
	}
	return ""
}

// Behind reports whether a program runs behind kube-apiserver's aggregator.
func (r *Recording) Behind(process string) bool {
	_, own := r.OwnServer(process)
	return own || ProcessOf(process).Behind
}

// Versions returns a recording without requests, for links to upstream's source. The
// recording has the Kubernetes version k8sVersion. If process is etcd, it has the etcd
// version version.
func Versions(k8sVersion, process, version string) *Recording {
	r := &Recording{K8sVersion: k8sVersion}
	if ProcessOf(process).Store {
		r.EtcdVersion = version
	}
	return r
}
