package trace

import "testing"

func TestVersion(t *testing.T) {
	rec := &Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0", Servers: []string{"metrics-server sigs.k8s.io/metrics-server v0.9.0", "odd"}}
	if got := rec.Version("metrics-server"); got != "v0.9.0" {
		t.Errorf("Version(metrics-server) = %q, expected v0.9.0", got)
	}
	for process, want := range map[string]string{
		"kube-apiserver": "v1.37.1", "sample-apiserver": "v0.37.1", "etcd": "v3.7.0", "other": "",
	} {
		if got := rec.Version(process); got != want {
			t.Errorf("Version(%s) = %q, expected %q", process, got, want)
		}
	}
	if got := new(Recording).Version("sample-apiserver"); got != "" {
		t.Errorf("Version of an unknown release = %q, expected \"\"", got)
	}
}
