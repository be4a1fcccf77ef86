package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// TestSampleServerHasRecordings opens the source of the sample server, which --server
// names like any other server. The recordings of a release include the release's sample
// server. Another version of the sample server, or a copy, has no recordings.
func TestSampleServerHasRecordings(t *testing.T) {
	for _, test := range []struct {
		choice Choice
		want   []string
	}{
		{Choice{Own: serverconfig.Own{Server: "k8s.io/sample-apiserver@v0.37.1"}}, []string{"aggregated-api", "aggregated-deny", "boot-sample"}},
		{Choice{Own: serverconfig.Own{Server: "k8s.io/sample-apiserver@v0.37.1", Main: "./"}, Scenario: "boot-sample"}, []string{"boot-sample"}},
		{Choice{Own: serverconfig.Own{Server: "k8s.io/sample-apiserver@v0.30.4"}, K8s: "1.30"}, []string{"aggregated-api", "aggregated-deny", "boot-sample"}},
		{Choice{Own: serverconfig.Own{Server: "k8s.io/sample-apiserver@v0.37.1"}, K8s: "1.30"}, nil},
		{Choice{Own: serverconfig.Own{Server: "./mine"}}, nil},
	} {
		if err := test.choice.Validate(); err != nil {
			t.Errorf("%+v: %v", test.choice, err)
			continue
		}
		base, err := test.choice.Open(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range base.Recordings {
			got = append(got, rec.Scenario)
		}
		if slices.Sort(got); !slices.Equal(got, test.want) || base.Indexed() != (test.want != nil) {
			t.Errorf("%+v: got the recordings %q, expected %q; Indexed is %v", test.choice, got, test.want, base.Indexed())
		}
	}
	other := Choice{Own: serverconfig.Own{Server: "k8s.io/sample-apiserver@v0.36.0"}, Scenario: "boot-sample"}
	if err := other.Validate(); err == nil || !strings.Contains(err.Error(), "none has the server of --server") {
		t.Errorf("a recording of apitrace for another version of the sample server: got %v, expected an error", err)
	}
}

// TestPlaceInOwnServer asks for the place of a function that both kube-apiserver and
// the server behind it have. The result is the place in the server that --server names.
func TestPlaceInOwnServer(t *testing.T) {
	const shared = "k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP"
	rec := &trace.Recording{K8sVersion: "v1.37.1", Servers: []string{"mine example.com/mine v1.2.3"}, Requests: []trace.Request{{Calls: []trace.Call{
		{Function: shared, Process: trace.ProcessAPIServer, File: "handler.go", Line: 187},
		{Function: shared, Process: "mine", File: "handler.go", Line: 200},
		{Function: shared, Process: trace.ProcessAPIServer, File: "handler.go", Line: 187},
	}}}}
	for own, want := range map[string]string{"": "kube-apiserver v1.37.1", "./mine": "mine v1.2.3"} {
		base, err := open("v1.37.1", serverconfig.Own{Server: own}, []*trace.Recording{rec}, nil)
		if err != nil {
			t.Fatal(err)
		}
		name, kind, err := base.ResolveAny(t.Context(), shared)
		if err != nil || kind != lineage.Function {
			t.Fatalf("%q: %s, %v", own, name, err)
		}
		if place, err := base.PlaceOf(t.Context(), name); err != nil || place.Program != want {
			t.Errorf("--server %q: %+v, %v, expected the place in %s", own, place, err, want)
		}
	}
}
