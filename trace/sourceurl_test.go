package trace

import (
	"testing"
)

func TestSourceURL(t *testing.T) {
	rec := &Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0"}
	for _, test := range []struct{ process, file, want string }{
		{"kube-apiserver", "k8s.io/kubernetes/pkg/registry/core/node/strategy.go", "kubernetes/kubernetes/blob/v1.37.1/pkg/registry/core/node/strategy.go"},
		{"kube-apiserver", "k8s.io/apiserver/pkg/server/handler.go", "kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/apiserver/pkg/server/handler.go"},
		{"kube-apiserver", "k8s.io/kube-openapi/pkg/a.go", "kubernetes/kubernetes/blob/v1.37.1/vendor/k8s.io/kube-openapi/pkg/a.go"},
		{"kube-apiserver", "k8s.io/klog/v2/klog.go", "kubernetes/kubernetes/blob/v1.37.1/vendor/k8s.io/klog/v2/klog.go"},
		{"kube-apiserver", "go.etcd.io/etcd/client/v3/kv.go", "kubernetes/kubernetes/blob/v1.37.1/vendor/go.etcd.io/etcd/client/v3/kv.go"},
		{"sample-apiserver", "k8s.io/sample-apiserver/pkg/apiserver/apiserver.go", "kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/sample-apiserver/pkg/apiserver/apiserver.go"},
		{"etcd", "go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc/key.go", "etcd-io/etcd/blob/v3.7.0/server/etcdserver/api/v3rpc/key.go"},
		{"etcd", "google.golang.org/grpc/server.go", ""},
		{"other", "k8s.io/apiserver/a.go", ""},
		{"etcd", "", ""},
	} {
		want := test.want
		if want != "" {
			want = "https://github.com/" + want + "#L7"
		}
		if got := rec.SourceURL(&Call{Process: test.process, File: test.file, Line: 7}); got != want {
			t.Errorf("SourceURL in %s of %s = %q, expected %q", test.process, test.file, got, want)
		}
	}
	rec.Edited = []string{"k8s.io/apiserver/pkg/server/handler.go"}
	if got := rec.SourceURL(&Call{Process: "kube-apiserver", File: rec.Edited[0], Line: 7}); got != "" {
		t.Errorf("SourceURL of an edited file = %q, expected \"\", because upstream's file differs", got)
	}
	if got := (&Recording{}).SourceURL(&Call{Process: "etcd", File: "go.etcd.io/etcd/server/v3/a.go"}); got != "" {
		t.Errorf("SourceURL without a version = %q, expected \"\"", got)
	}
}
