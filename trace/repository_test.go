package trace_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

func TestKubernetesPath(t *testing.T) {
	for file, want := range map[string]string{
		"k8s.io/kubernetes/pkg/registry/apps/deployment/strategy.go": "pkg/registry/apps/deployment/strategy.go",
		"k8s.io/apiserver/pkg/server/handler.go":                     "staging/src/k8s.io/apiserver/pkg/server/handler.go",
		"k8s.io/kube-openapi/pkg/builder3/openapi.go":                "vendor/k8s.io/kube-openapi/pkg/builder3/openapi.go",
		"go.etcd.io/etcd/client/v3/kv.go":                            "vendor/go.etcd.io/etcd/client/v3/kv.go",
		"runtime/proc.go":                                            "",
		"net/http/server.go":                                         "",
	} {
		path, ok := trace.KubernetesPath(file)
		if ok != (want != "") || ok && path != want {
			t.Errorf("KubernetesPath(%s) = %q, %t, expected %q, or false for \"\"", file, path, ok, want)
		}
	}
}
