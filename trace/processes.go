package trace

import (
	"slices"
	"strings"
)

// Names of the traced programs, as in [Call.Process].
const (
	// ProcessAPIServer is kube-apiserver.
	ProcessAPIServer = "kube-apiserver"
	// ProcessSample is the sample API server, which kube-apiserver can have behind it.
	ProcessSample = "sample-apiserver"
	// ProcessEtcd is etcd.
	ProcessEtcd = "etcd"
)

// A Process tells readers of a recording what they need to know of a traced program.
type Process struct {
	// Name is the name of the program, as in Call.Process.
	Name string
	// Store is set for a program that keeps the objects of the others: a request ends there.
	Store bool
	// Behind is set for a program behind the aggregator of kube-apiserver.
	Behind bool

	version    func(*Recording) string
	repository *repository
}

// processes are the programs that recordings of apitrace have. A server of the user's own is a Recording.OwnServer.
var processes = []Process{
	{Name: ProcessAPIServer, version: (*Recording).kubernetes, repository: kubernetes},
	{Name: ProcessSample, Behind: true, version: (*Recording).staging, repository: kubernetes},
	{Name: ProcessEtcd, Store: true, version: (*Recording).etcd, repository: etcd},
}

// ProcessOf returns what is known of a program by its name: nothing but the name for a program that this apitrace does not know.
func ProcessOf(name string) Process {
	if i := slices.IndexFunc(processes, func(p Process) bool { return p.Name == name }); i >= 0 {
		return processes[i]
	}
	return Process{Name: name}
}

func (r *Recording) kubernetes() string { return r.K8sVersion }
func (r *Recording) etcd() string       { return r.EtcdVersion }

// staging is the version of the modules that are developed in the Kubernetes repository and released with it: v0.37.1 with v1.37.1.
func (r *Recording) staging() string {
	if minor, ok := strings.CutPrefix(r.K8sVersion, "v1."); ok {
		return "v0." + minor
	}
	return ""
}

// Version is the version of a traced program, with its "v"; "" if it is not known.
func (r *Recording) Version(process string) string {
	if server, ok := r.OwnServer(process); ok {
		return server.Version
	}
	if p := ProcessOf(process); p.version != nil {
		return p.version(r)
	}
	return ""
}

// Behind reports whether a program runs behind the aggregator of kube-apiserver.
func (r *Recording) Behind(process string) bool {
	_, own := r.OwnServer(process)
	return own || ProcessOf(process).Behind
}

// Versions returns a recording without requests of a version of Kubernetes in which a program has its version: enough for its links to
// upstream's source.
func Versions(k8sVersion, process, version string) *Recording {
	r := &Recording{K8sVersion: k8sVersion}
	if ProcessOf(process).Store {
		r.EtcdVersion = version
	}
	return r
}
