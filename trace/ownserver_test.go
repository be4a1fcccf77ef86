package trace

import "testing"

func TestOwnServers(t *testing.T) {
	want := []OwnServer{
		{Name: "metrics-server", Module: "sigs.k8s.io/metrics-server", Version: "v0.9.0"},
		{Name: "x", Module: "example.org/x", Version: "v1.2.3", Main: "./cmd/my server"},
	}
	r := Recording{K8sVersion: "v1.37.1", Servers: []string{"broken"}}
	for _, s := range want {
		r.Servers = append(r.Servers, s.String())
	}
	for i, got := range r.OwnServers() {
		if got != want[i] {
			t.Errorf("OwnServers()[%d] = %+v, expected %+v", i, got, want[i])
		}
	}
	if len(r.OwnServers()) != len(want) || r.Version("x") != "v1.2.3" || r.Version(ProcessAPIServer) != "v1.37.1" {
		t.Errorf("got the servers %+v, version %q of x, or another version of kube-apiserver", r.OwnServers(), r.Version("x"))
	}
}
