package view

import "testing"

func TestShorten(t *testing.T) {
	for value, want := range map[string]string{
		"*k8s.io/kubernetes/pkg/registry/core/node/storage.REST":                     "*node/storage.REST",
		"*k8s.io/apiserver/pkg/storage/cacher.CacheDelegator":                        "*cacher.CacheDelegator",
		"k8s.io/kubernetes/pkg/registry/apps/deployment.deploymentStrategy":          "deployment.deploymentStrategy",
		"*k8s.io/api/apps/v1.Deployment":                                             "*apps/v1.Deployment",
		"*k8s.io/api/apps/v1beta2.Deployment":                                        "*apps/v1beta2.Deployment",
		"apps/v1, Kind=Deployment":                                                   "apps/v1 Deployment",
		"/v1, Kind=Node":                                                             "v1 Node",
		`{"accepted":",","coerce":"true","name":"multi","target":"apps/__internal"}`: "apps/__internal",
		`{"a": 1}`:                               `{"a": 1}`,
		"/registry/minions/n1":                   "/registry/minions/n1",
		"/registry/configmaps/a/b.txt":           "/registry/configmaps/a/b.txt",
		"application/json":                       "application/json",
		"application/strategic-merge-patch+json": "application/strategic-merge-patch+json",
		"/api/v1/nodes/{name}":                   "/api/v1/nodes/{name}",
		`RBAC: allowed by ClusterRoleBinding "a/b.c" of ClusterRole "d"`: `RBAC: allowed by ClusterRoleBinding "a/b.c" of ClusterRole "d"`,
		"": "",
	} {
		if got := Shorten(value); got != want {
			t.Errorf("%q becomes %q, want %q", value, got, want)
		}
	}
}
