package session

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestDifferentReplays checks that the error for replays with different traces says what
// differs between the last two.
func TestDifferentReplays(t *testing.T) {
	calls := func(functions ...string) *trace.Recording {
		r := trace.Request{TraceID: "0af7651916cd43dd8448eb211c80319c", Method: "GET", Path: "/api", Status: 200}
		for i, function := range functions {
			call := trace.Call{ID: fmt.Sprintf("%016x", i+1), Process: trace.ProcessAPIServer, Function: "k8s.io/p." + function}
			if i > 0 {
				call.Parent = r.Calls[0].ID
			}
			r.Calls = append(r.Calls, call)
		}
		return &trace.Recording{Requests: []trace.Request{r}}
	}
	for _, test := range []struct {
		name       string
		last, want string
	}{
		{"other functions", "a new", "only the last but one called k8s.io/p.b; only the last called k8s.io/p.new"},
		{"another number", "a b b", "a different number of times: k8s.io/p.b (1, 2)"},
	} {
		n := 0
		_, err := typical(func() (*trace.Recording, error) {
			if n++; n == attempts {
				return calls(append([]string{"root"}, strings.Fields(test.last)...)...), nil
			} else if n == attempts-1 {
				return calls("root", "a", "b"), nil
			}
			return calls("root", "only"+strconv.Itoa(n)), nil
		})
		if err == nil || !strings.Contains(err.Error(), "6 replays gave 6 different traces") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got the error %v, expected %q", test.name, err, test.want)
		}
	}
}
