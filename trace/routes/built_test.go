package routes

import (
	"cmp"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestBuiltHasEveryRouteOnce compares the parts that a start has built with its routes, in
// v1.26 and in the newest release.
func TestBuiltHasEveryRouteOnce(t *testing.T) {
	for _, release := range []string{"1.26", recordings.Latest} {
		rec, err := recordings.Load(release, "boot")
		if err != nil {
			t.Fatal(err)
		}
		want, err := Of(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := BuiltBy(&rec.Requests[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []Route
		add := func(all []BuiltRoute) {
			for _, r := range all {
				got = append(got, r.Route)
				if function := rec.Requests[0].Calls[r.Call].Function; function != build {
					t.Errorf("%s: call %d, which built the route %s %s, is a call of %s, expected the function in build", release, r.Call, r.Method, r.Path, function)
				}
			}
		}
		for _, s := range b.Servers {
			if s.Name == "" || s.Call < 0 || s.Routes == 0 {
				t.Errorf("%s: got server %q, call %d, %d routes, expected a name, a call and routes", release, s.Name, s.Call, s.Routes)
			}
			before := len(got)
			add(s.Others)
			for _, g := range s.Groups {
				add(g.Others)
				for _, r := range g.Resources {
					add(r.Routes)
					for _, route := range r.Routes {
						if route.GroupVersion != g.GroupVersion || route.Resource != r.Name || route.Storage != r.Storage || route.Strategy != r.Strategy {
							t.Errorf("%s: the route %+v is in the list of %s %s, expected the same group, resource, storage and strategy", release, route, g.GroupVersion, r.Name)
						}
					}
				}
			}
			if n := len(got) - before; n != s.Routes {
				t.Errorf("%s: server %s has %d routes, but its field Routes is %d", release, s.Name, n, s.Routes)
			}
		}
		slices.SortFunc(got, func(a, b Route) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Operation, b.Operation))
		})
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: BuiltBy has %d different routes, expected the %d routes of Of", release, len(got), len(want))
		}
		var names []string
		for _, s := range b.Servers {
			names = append(names, s.Name)
		}
		if order := []string{"apiextensions-apiserver", "kube-apiserver", "kube-aggregator"}; !slices.Equal(names, order) {
			t.Errorf("%s: got the servers %v, expected %v", release, names, order)
		}
		at := slices.IndexFunc(b.Servers[1].Groups, func(g Group) bool { return g.GroupVersion == "apps/v1" })
		deployments := slices.IndexFunc(b.Servers[1].Groups[at].Resources, func(r Resource) bool { return r.Name == "deployments" })
		r := b.Servers[1].Groups[at].Resources[deployments]
		if r.Strategy != "k8s.io/kubernetes/pkg/registry/apps/deployment.deploymentStrategy" || r.Store < 0 || len(r.Routes) < 8 {
			t.Errorf("%s: got the resource %+v, expected deployments with their strategy, store and at least 8 routes", release, r)
		}
	}
}
