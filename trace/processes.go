package trace

// Names of the traced programs, as in [Call.Process].
const (
	// ProcessAPIServer is kube-apiserver.
	ProcessAPIServer = "kube-apiserver"
	// ProcessSample is the sample API server, which kube-apiserver can have behind it.
	ProcessSample = "sample-apiserver"
	// ProcessEtcd is etcd.
	ProcessEtcd = "etcd"
)
