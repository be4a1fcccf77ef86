package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

const (
	kubernetesTree = "https://github.com/kubernetes/kubernetes/blob/"
	etcdTree       = "https://github.com/etcd-io/etcd/blob/"
)

// SourceURL returns the address of upstream's source of a call, at the traced
// version, or "" if it is not known, as of a
// checkout, or the file was edited.
func SourceURL(rec *trace.Recording, call *trace.Call) string {
	var base string
	switch {
	case call.File == "" || slices.Contains(rec.Edited, call.File):
		return ""
	case (call.Process == trace.ProcessAPIServer || call.Process == trace.ProcessSample) && rec.K8sVersion != "":
		if strings.Contains(rec.K8sVersion, "+") {
			return "" // built from a checkout: upstream's repository need not have the commit
		}
		path, ok := trace.KubernetesPath(call.File)
		if !ok {
			return ""
		}
		base = kubernetesTree + rec.K8sVersion + "/" + path
	case call.Process == trace.ProcessEtcd && rec.EtcdVersion != "":
		path, ok := strings.CutPrefix(call.File, "go.etcd.io/etcd/")
		if !ok {
			return "" // etcd's repository has no copy of its dependencies
		}
		base = etcdTree + rec.EtcdVersion + "/" + strings.Replace(path, "/v3/", "/", 1)
	default:
		return ""
	}
	return fmt.Sprintf("%s#L%d", base, call.Line)
}
