package trace

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A repository is the upstream repository of one or more programs.
type repository struct {
	url string
	// tag returns the tag with a recording's source, or "" if unknown.
	tag func(*Recording) string
	// path returns the repository's path for a file as in Call.File.
	path func(file string) (path string, ok bool)
}

var (
	kubernetes = &repository{"https://github.com/kubernetes/kubernetes", (*Recording).kubernetes, KubernetesPath}
	etcd       = &repository{"https://github.com/etcd-io/etcd", (*Recording).etcd, etcdPath}
)

// upstream returns the place of a call's file in upstream's repository. ok is
// false if the place is unknown, as for a checkout, or if the file was edited.
func (r *Recording) upstream(call *Call) (in *repository, tag, path string, ok bool) {
	in = ProcessOf(call.Process).repository
	if in == nil || call.File == "" || slices.Contains(r.Edited, call.File) {
		return nil, "", "", false
	}
	tag = in.tag(r)
	path, ok = in.path(call.File)
	return in, tag, path, ok && tag != "" && !strings.Contains(tag, "+") // a version with "+" is a checkout; upstream may lack its commit
}

// SourceURL returns the address of upstream's source of a call, at the traced
// version. It returns "" if the address is unknown, as for a checkout, or if the
// file was edited.
func (r *Recording) SourceURL(call *Call) string {
	in, tag, path, ok := r.upstream(call)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s/blob/%s/%s#L%d", in.url, tag, path, call.Line)
}

// CompareURL returns the address of upstream's comparison of two recordings' tags, at a
// call's file. It returns "" if the address is unknown, or if both have the same tag.
func CompareURL(a, b *Recording, call *Call) string {
	in, from, path, okA := a.upstream(call)
	_, to, _, okB := b.upstream(call)
	if !okA || !okB || from == to {
		return ""
	}
	// GitHub uses the hash of a file's path as its anchor.
	return fmt.Sprintf("%s/compare/%s...%s#diff-%x", in.url, from, to, sha256.Sum256([]byte(path)))
}

// KubernetesFile returns the path of a call's file in the kubernetes repository.
// ok is false for a file of another program.
func (c *Call) KubernetesFile() (path string, ok bool) {
	if ProcessOf(c.Process).repository != kubernetes {
		return "", false
	}
	return KubernetesPath(c.File)
}

// etcdPath returns the path of one of etcd's own files in etcd's repository. ok is
// false for other files, because the repository has no copy of etcd's dependencies.
func etcdPath(file string) (path string, ok bool) {
	path, ok = strings.CutPrefix(file, "go.etcd.io/etcd/")
	return strings.Replace(path, "/v3/", "/", 1), ok
}

// vendoredK8s are the modules below k8s.io/ that are not developed in the
// kubernetes repository itself.
var vendoredK8s = []string{"k8s.io/gengo", "k8s.io/klog", "k8s.io/kube-openapi", "k8s.io/system-validators", "k8s.io/utils"}

// KubernetesPath returns the path in the kubernetes repository for a file as in
// Call.File: below staging/src or vendor, except for k8s.io/kubernetes itself. ok is
// false for Go's standard library, which the repository lacks.
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
