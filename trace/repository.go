package trace

import "strings"

// vendoredK8s are the modules below k8s.io/ that are not developed in the
// kubernetes repository itself.
var vendoredK8s = []string{"k8s.io/gengo", "k8s.io/klog", "k8s.io/kube-openapi", "k8s.io/system-validators", "k8s.io/utils"}

// KubernetesPath returns the path in the kubernetes repository of a file in the form of Call.File: below pkg
// or cmd, staging/src or vendor. ok is false for files of Go's standard library, which the repository does
// not have.
func KubernetesPath(file string) (path string, ok bool) {
	if path, ok := strings.CutPrefix(file, "k8s.io/kubernetes/"); ok {
		return path, true
	}
	for _, module := range vendoredK8s {
		if strings.HasPrefix(file, module+"/") {
			return "vendor/" + file, true
		}
	}
	if strings.HasPrefix(file, "k8s.io/") {
		return "staging/src/" + file, true
	}
	domain, _, _ := strings.Cut(file, "/")
	return "vendor/" + file, strings.Contains(domain, ".")
}
