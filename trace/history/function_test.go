package history

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recorded makes a release with recordings. scenarios has, by scenario, the names of the
// functions of its only request. Each function calls the next.
func recorded(version string, scenarios map[string]string) Release {
	made := map[string]*trace.Recording{}
	r := Release{Version: version, Load: func(scenario string) (*trace.Recording, error) { return made[scenario], nil }}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		request := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Status: 200}
		for i, f := range strings.Fields(scenarios[name]) {
			call := trace.Call{ID: fmt.Sprintf("%016x", i+1), Function: f, File: strings.SplitN(f, ".", 2)[0] + "/x.go", Process: "kube-apiserver", StartNs: int64(i)}
			if i > 0 {
				call.Parent = fmt.Sprintf("%016x", i)
			}
			request.Calls = append(request.Calls, call)
			at := slices.IndexFunc(r.Functions, func(known recordings.Function) bool { return known.Name == f })
			if at < 0 {
				at = len(r.Functions)
				r.Functions = append(r.Functions, recordings.Function{Name: f})
			}
			r.Functions[at].Scenarios = append(r.Functions[at].Scenarios, name)
		}
		made[name] = &trace.Recording{Scenario: name, K8sVersion: version, Requests: []trace.Request{request}}
	}
	return r
}

var releases = []Release{
	recorded("v1", map[string]string{"a": "p.Root cacher.(*Cacher).Get p.Get", "b": "p.Root p.Other"}),
	recorded("v2", map[string]string{"a": "p.Root cacher.(*Delegator).Get p.Get", "b": "p.Root p.Other"}),
	recorded("v3", map[string]string{"a": "p.Root cacher.(*Delegator).Get p.Get", "b": "p.Root cacher.(*Delegator).Get"}),
}

// TestWriteOtherNames checks that a table names the function that was asked for, and says why
// some rows have another name.
func TestWriteOtherNames(t *testing.T) {
	followed := []Appearance{
		{Version: "v1.30.4", State: notThere, Name: "k8s.io/p.Old"},
		{Version: "v1.31.0", State: notCalled, Name: "k8s.io/p.Old", Place: "p.go"},
		{Version: "v1.32.2", State: Called, Name: "k8s.io/p.Old", Place: "p.go:7", Scenarios: []string{"get-node"}, Recorded: 2},
		{Version: "v1.33.13", State: Called, Name: "k8s.io/p.New", Place: "p.go:8", Scenarios: []string{"get-node"}, Recorded: 2},
	}
	releases := make([]Release, len(followed))
	for i := range releases {
		releases[i].Recorded = []string{"get-node"}
	}
	for query, want := range map[string]string{
		"p.New": "p.New in the recorded releases\nfrom v1.31.0 to v1.32.2, p.Old is in its place: this list follows them as one\nfunction\n",
		"p.Old": "p.Old in the recorded releases\nin v1.33.13, p.New is in its place: this list follows them as one function\n",
	} {
		var out strings.Builder
		if err := Write(&out, query, releases, followed, false, message.For("en")); err != nil {
			t.Fatal(err)
		}
		rows := "\nRELEASE      SCENARIOS  FUNCTION  PLACE\nv1.30.4   -\nv1.31.0   ○             p.Old     p.go\n"
		if !strings.HasPrefix(out.String(), want+rows) {
			t.Errorf("%s: got\n%s\nexpected it to begin with\n%s", query, &out, want+rows)
		}
	}
}

func TestOf(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"cacher.(*Delegator).Get", "v1 cacher.(*Cacher).Get [a]; v2 cacher.(*Delegator).Get [a]; v3 cacher.(*Delegator).Get [a b]"},
		{"Cacher.Get", "v1 cacher.(*Cacher).Get [a]; v2 cacher.(*Delegator).Get [a]; v3 cacher.(*Delegator).Get [a b]"},
		{"p.Other", "v1 p.Other [b]; v2 p.Other [b]; v3 -"},
	} {
		t.Run(test.query, func(t *testing.T) {
			path, err := Of(releases, test.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range path {
				if a.State == notSeen {
					got = append(got, a.Version+" -")
					continue
				}
				got = append(got, fmt.Sprintf("%s %s %v", a.Version, a.Name, a.Scenarios))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOfRefuses(t *testing.T) {
	var unknown *trace.UnknownFunctionError
	if _, err := Of(releases, "p.Nothing"); !errors.As(err, &unknown) {
		t.Errorf("Of a function in no recording returned the error %v, expected an UnknownFunctionError", err)
	}
	var ambiguous *trace.AmbiguousFunctionError
	if _, err := Of(releases, "Get"); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 3 {
		t.Errorf("Of a name of several functions returned the error %v, expected an AmbiguousFunctionError with 3 candidates", err)
	}
}

// TestSourcesDecideRenames follows two filters of the audit log, withAuditID and
// WithAuditAnnotations. In the calls of v1.26, withAuditInit took the place of both. According
// to the released sources, it is the renamed withAuditID.
func TestSourcesDecideRenames(t *testing.T) {
	all, err := Releases()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ query, v125, v126 string }{
		{"filters.withAuditInit", "withAuditID", "withAuditInit"},
		{"filters.withAuditID", "withAuditID", "withAuditInit"},
		{"filters.WithAuditAnnotations", "WithAuditAnnotations", ""},
	} {
		appearances, err := Of(all, test.query)
		if err != nil {
			t.Fatal(err)
		}
		for minor, want := range map[string]string{"v1.25": test.v125, "v1.26": test.v126} {
			at := slices.IndexFunc(appearances, func(a Appearance) bool { return semver.MajorMinor(a.Version) == minor })
			got := ""
			if appearances[at].State == Called {
				got = funcname.Last(appearances[at].Name)
			}
			if got != want {
				t.Errorf("%s has the name %q in %s, expected %q", test.query, got, minor, want)
			}
		}
	}
}
