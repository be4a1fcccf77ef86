package trace

import (
	"slices"
	"testing"
	"time"
)

func TestResource(t *testing.T) {
	for path, want := range map[string][3]string{
		"/api/v1/nodes/n1":                                 {"nodes", "n1", ""},
		"/api/v1/namespaces/x/pods?fieldManager=y":         {"pods", "", ""},
		"/api/v1/namespaces/x/pods/web-1/status":           {"pods", "web-1", "status"},
		"/apis/apps/v1/namespaces/x/replicasets/web/scale": {"replicasets", "web", "scale"},
		"/api/v1/namespaces/x":                             {"namespaces", "x", ""},
		"/api/v1/namespaces/x/finalize":                    {"namespaces", "x", "finalize"},
		"/version":                                         {"", "", ""},
	} {
		resource, name, subresource := (&Request{Path: path}).Resource()
		if got := [3]string{resource, name, subresource}; got != want {
			t.Errorf("%s: got %q, expected %q", path, got, want)
		}
	}
}

// TestTook checks that an event took until its last call returned, and a request as long as its
// first call.
func TestTook(t *testing.T) {
	calls := []Call{
		{StartNs: 0, DurationNs: 1e6},
		{StartNs: 2e6, DurationNs: 5e6},
		{StartNs: 3e6, DurationNs: 1e6},
		{StartNs: 4e6, DurationNs: 9e9, Unfinished: true},
	}
	for method, want := range map[string]time.Duration{MethodEvent: 7 * time.Millisecond, "POST": time.Millisecond} {
		if got := (&Request{Method: method, Calls: calls}).Took(); got != want {
			t.Errorf("%s took %v, expected %v", method, got, want)
		}
	}
}

// TestWaiting checks that work with two timers is listed once, with the earlier one.
func TestWaiting(t *testing.T) {
	soon, later := time.Unix(100, 0), time.Unix(200, 0)
	work := func(item string, due time.Time) Pending {
		return Pending{Process: "kube-controller-manager", Queue: "deployment", Item: item, Due: due}
	}
	got := Waiting([]Request{
		{Pending: []Pending{work("x/web", later), work("x/api", later)}},
		{Pending: []Pending{work("x/web", soon)}},
	})
	if want := []Pending{work("x/web", soon), work("x/api", later)}; !slices.Equal(got, want) {
		t.Errorf("got %+v, expected %+v", got, want)
	}
}
