package history

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/trace"
)

// upstreamFacts are changes that upstream announced. Each has the pull request of
// kubernetes/kubernetes that made the change, and a check of the recordings' history. Unless
// noted, the pull request's release note is in the CHANGELOG of the release.
var upstreamFacts = []struct {
	release string
	pull    int
	fact    string
	check   func(t *testing.T, h upstreamHistory)
}{
	{"v1.20", 96527, "API priority and fairness graduated to beta", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "flowcontrol.matchesFlowSchema", "v1.20")
		h.gate(t, "APIPriorityAndFairness", "v1.19", false)
		h.gate(t, "APIPriorityAndFairness", "v1.20", true)
	}},
	{"v1.22", 100488, "The etcd client has been updated to 3.5.0", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "client/v3.(*kv).Get", "v1.22")
		h.calledSince(t, "client/v3.(*kv).Do", "v1.22")
	}},
	{"v1.22", 101688, "Warnings for the use of deprecated and known-bad values in pod specs are now sent", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "deployment.deploymentStrategy.WarningsOnCreate", "v1.22")
	}},
	{"v1.23", 104748, "requests to aggregated APIs will get 503, not 404 while the APIServiceRegistrationController hasn't finished its job", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "filters.WithMuxAndDiscoveryComplete.func1", "v1.23")
	}},
	{"v1.23", 106089, "The PodSecurity admission plugin has graduated to beta and is enabled by default", func(t *testing.T, h upstreamHistory) {
		h.gate(t, "PodSecurity", "v1.22", false)
		h.gate(t, "PodSecurity", "v1.23", true)
	}},
	{"v1.25", 109798, "The beta PodSecurityPolicy admission plugin, deprecated since 1.21, is removed", func(t *testing.T, h upstreamHistory) {
		const plugin = "podsecuritypolicy.(*Plugin).Validate"
		if s := h.at(t, plugin, "v1.24"); s.State != notCalled {
			t.Errorf("v1.24: %s has the state %d, expected notCalled", plugin, s.State)
		}
		if s := h.at(t, plugin, "v1.25"); s.State != notThere {
			t.Errorf("v1.25: expected the state notThere for %s", plugin)
		}
	}},
	{"v1.25", 110178, "Graduated ServerSideFieldValidation to beta", func(t *testing.T, h upstreamHistory) {
		h.gate(t, "ServerSideFieldValidation", "v1.24", false)
		h.gate(t, "ServerSideFieldValidation", "v1.25", true)
	}},
	// The source is the pull request: its release note is "NONE".
	{"v1.25", 110351, "Switch to v3 of github.com/emicklei/go-restful by updating kube-openapi", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "go-restful/v3.(*Container).dispatch", "v1.25")
	}},
	{"v1.27", 116108, "Promote aggregated discovery endpoint to beta and it will be enabled by default", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "discovery/aggregated.(*resourceDiscoveryManager).ServeHTTP", "v1.27")
		h.gate(t, "AggregatedDiscoveryEndpoint", "v1.26", false)
		h.gate(t, "AggregatedDiscoveryEndpoint", "v1.27", true)
	}},
	{"v1.30", 123405, "ValidatingAdmissionPolicy is promoted to GA and will be enabled by default", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "policy/validating.(*Plugin).Validate", "v1.30")
		h.gate(t, "ValidatingAdmissionPolicy", "v1.29", false)
		h.gate(t, "ValidatingAdmissionPolicy", "v1.30", true)
	}},
	{"v1.30", 122887, "When the RetryGenerateName feature gate is enabled … This feature is in alpha", func(t *testing.T, h upstreamHistory) {
		const retry = "registry.(*Store).createWithGenerateNameRetry"
		if s := h.at(t, retry, "v1.29"); s.State != notThere {
			t.Errorf("v1.29: expected the state notThere for %s", retry)
		}
		if s := h.at(t, retry, "v1.30"); s.State != notCalled {
			t.Errorf("v1.30: %s has the state %d, expected notCalled", retry, s.State)
		}
	}},
	{"v1.31", 124673, "Promoted generateName retries to beta, and made the feature gate enabled by default", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "registry.(*Store).createWithGenerateNameRetry", "v1.31")
		h.gate(t, "RetryGenerateName", "v1.30", false)
		h.gate(t, "RetryGenerateName", "v1.31", true)
	}},
	{"v1.31", 126469, "Move ConsistentListFromCache feature flag to Beta and enable it by default", func(t *testing.T, h upstreamHistory) {
		// A list without a resourceVersion waits for the watch cache. It still reads the newest
		// revision from etcd.
		for _, a := range h.of(t, "cacher.(*watchCache).waitUntilFreshAndBlock") {
			if since := semver.Compare(a.Version, "v1.31.0") >= 0; slices.Contains(a.Scenarios, "list-nodes") != since {
				t.Errorf("%s: a list of nodes waits for the watch cache: got %t, expected the opposite", a.Version, !since)
			}
		}
		h.gate(t, "ConsistentListFromCache", "v1.30", false)
		h.gate(t, "ConsistentListFromCache", "v1.31", true)
	}},
	// The source is the pull request: its release note is "NONE".
	{"v1.32", 125258, "Etcd kubernetes interface", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "kubernetes.Client.Get", "v1.32")
		h.calledSince(t, "kubernetes.Client.OptimisticPut", "v1.32")
	}},
	{"v1.33", 129334, "List responses in JSON are marshalled one element at the time", func(t *testing.T, h upstreamHistory) {
		h.calledSince(t, "serializer/json.streamEncodeCollections", "v1.33")
		h.gate(t, "StreamingCollectionEncodingToJSON", "v1.33", true)
	}},
	{"v1.33", 131359, "Stop exposing list-via-watch from the server", func(t *testing.T, h upstreamHistory) {
		h.gate(t, "WatchList", "v1.32", true)
		h.gate(t, "WatchList", "v1.33", false)
		h.gate(t, "WatchList", "v1.34", true)
		h.recordedSince(t, "watch-list", "v1.34")
	}},
	{"v1.34", 132932, "Add SizeBasedListCostEstimate feature gate, enabled by default", func(t *testing.T, h upstreamHistory) {
		h.gate(t, "SizeBasedListCostEstimate", "v1.34", true)
		// The function that counted objects now also returns their size.
		for _, a := range h.of(t, "registry.(*DryRunnableStorage).Stats") {
			want := "Count"
			if semver.Compare(a.Version, "v1.34.0") >= 0 {
				want = "Stats"
			}
			if want = "k8s.io/apiserver/pkg/registry/generic/registry.(*DryRunnableStorage)." + want; a.Name != want {
				t.Errorf("%s: got the name %s, expected %s", a.Version, a.Name, want)
			}
		}
	}},
	{"v1.36", 136039, "Promote MutatingAdmissionPolicy to v1 (GA)", func(t *testing.T, h upstreamHistory) {
		h.gate(t, "MutatingAdmissionPolicy", "v1.35", false)
		h.gate(t, "MutatingAdmissionPolicy", "v1.36", true)
	}},
	{"v1.36", 137609, "The ConstrainedImpersonation feature is now beta and enabled by default", func(t *testing.T, h upstreamHistory) {
		const filter = "impersonation.(*constrainedImpersonationHandler).ServeHTTP"
		h.calledSince(t, filter, "v1.36")
		if s := h.at(t, filter, "v1.35"); s.State != notCalled {
			t.Errorf("v1.35: %s has the state %d, expected notCalled", filter, s.State)
		}
	}},
}

// TestHistoryAgreesWithUpstream compares the history of the recordings with upstream's own
// statements about its releases.
func TestHistoryAgreesWithUpstream(t *testing.T) {
	releases, err := Releases()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range upstreamFacts {
		t.Run(fmt.Sprintf("%s #%d %s", f.release, f.pull, f.fact), func(t *testing.T) { f.check(t, releases) })
	}
}

// TestNotTraced follows two functions. For BuildInsecureHandlerChain, the program stopped
// compiling the package before the file was removed. For RunWardleServer, the module was not
// available for v1.25.
func TestNotTraced(t *testing.T) {
	releases, err := Releases()
	if err != nil {
		t.Fatal(err)
	}
	h := upstreamHistory(releases)
	for minor, want := range map[string]State{"v1.19": notCalled, "v1.20": notTraced, "v1.21": notThere} {
		if a := h.at(t, "server.BuildInsecureHandlerChain", minor); a.State != want || (a.Place == "") != (want == notThere) {
			t.Errorf("%s: %+v, expected state %d", minor, a, want)
		}
	}
	for minor, want := range map[string]State{"v1.24": Called, "v1.25": notSeen} {
		if a := h.at(t, "server.WardleServerOptions.RunWardleServer", minor); a.State != want {
			t.Errorf("%s: %+v, expected state %d", minor, a, want)
		}
	}
}

type upstreamHistory []Release

func (h upstreamHistory) of(t *testing.T, function string) []Appearance {
	t.Helper()
	all, err := Of(h, function)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(h) {
		t.Fatalf("%s: got %d appearances for %d releases, expected one for each", function, len(all), len(h))
	}
	return all
}

// at returns the appearance of a function in the recorded release of a minor version.
func (h upstreamHistory) at(t *testing.T, function, minor string) Appearance {
	t.Helper()
	for _, a := range h.of(t, function) {
		if semver.MajorMinor(a.Version) == minor {
			return a
		}
	}
	t.Fatalf("no release of %s is recorded", minor)
	return Appearance{}
}

// calledSince checks that recordings call a function, under its name, from a release on and
// not before.
func (h upstreamHistory) calledSince(t *testing.T, function, minor string) {
	t.Helper()
	for _, a := range h.of(t, function) {
		named := len(trace.FindFunctions(function, []string{a.Name})) > 0
		called, since := a.State == Called && named, semver.Compare(semver.MajorMinor(a.Version), minor) >= 0
		if called != since {
			t.Errorf("%s calls %s: got %t, expected the opposite", a.Version, function, called)
		}
	}
}

// gate checks whether a feature gate of kube-apiserver is on by default.
func (h upstreamHistory) gate(t *testing.T, name, minor string, want bool) {
	t.Helper()
	for _, r := range h {
		if semver.MajorMinor(r.Version) != minor {
			continue
		}
		if on, known := r.Code.Gate(trace.ProcessAPIServer, name); on != want || want && !known {
			t.Errorf("%s: gate %s has on = %t, known = %t, expected the other default", r.Version, name, on, known)
		}
		return
	}
	t.Errorf("no release of %s is recorded", minor)
}

// recordedSince checks that a scenario is recorded from a release on and not before.
func (h upstreamHistory) recordedSince(t *testing.T, scenario, minor string) {
	t.Helper()
	for _, r := range h {
		if recorded, since := slices.Contains(r.Recorded, scenario), semver.Compare(semver.MajorMinor(r.Version), minor) >= 0; recorded != since {
			t.Errorf("%s has a recording of %s: got %t, expected the opposite", r.Version, scenario, recorded)
		}
	}
}
