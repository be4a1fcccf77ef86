package main

import (
	"bytes"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// wantValues has, by scenario, regular expressions of the values that the full view must
// show. It must show them in every release, except in the releases before wantSince.
var wantValues = map[string][]string{
	"create-deployment": {
		`user\.name=learner`,
		`decision=Allow .*allowed by RoleBinding "learner-deploys/[\w-]+" of Role "deployer"`,
		`rbac\.binding='RoleBinding "learner-deploys/[\w-]+" of Role "deployer"`,
		`rbac\.rule\.verbs=create`,
		`flow_schema=global-default +flowcontrol\.priority_level=global-default`,
		`NegotiateInputSerializer.* media_type=application/json`,
		`NegotiateOutputMediaType.* media_type=application/json`,
		`hub_version=apps/__internal`,
		`convert\.from=\*k8s\.io/api/apps/v1\.Deployment +convert\.to=\*k8s\.io/kubernetes/pkg/apis/apps\.Deployment`,
		`admission\.plugin=NamespaceLifecycle.* admission\.verdict=accepted`,
		`admission\.verdict="not asked"`,
		`storage\.type=\*k8s\.io/kubernetes/pkg/registry/apps/deployment/storage\.REST`,
		`strategy\.type=k8s\.io/kubernetes/pkg/registry/apps/deployment\.deploymentStrategy`,
		`etcd\.key=/registry/deployments/[\w-]+/nginx`,
		`etcd\.txn\.compare='target:MOD +key:"/registry/deployments/[\w-]+/nginx" +mod_revision:0`,
		`etcd\.txn\.put=/registry/deployments/[\w-]+/nginx`,
		`upstream span "Create"`,
	},
	"update-deployment":     {`etcd\.txn\.compare='target:MOD +key:"/registry/deployments/[\w-]+/nginx" +mod_revision:[1-9]`},
	"get-node-cached":       {`cache\.revision=[1-9]`, `cache\.hit=true`},
	"list-nodes":            {`cache\.delegate_to_etcd=(true|false)`},
	"get-node":              {`etcd\.revision=[1-9]`, `etcd\.mod_revision=[1-9]`, `etcd\.serializable=false`},
	"get-forbidden":         {`decision=NoOpinion`, `rbac\.bindings=0`},
	"namespace-terminating": {`admission\.plugin=NamespaceLifecycle.* admission\.verdict=refused`},
}

// wantSince has the first release of values that older releases lack. In the older
// releases, priority and fairness was off by default, the decision of the watch cache was
// not a function of its own, and the server did not make spans.
var wantSince = map[string]string{
	`flow_schema=global-default +flowcontrol\.priority_level=global-default`: "v1.20.0",
	`cache\.delegate_to_etcd=(true|false)`:                                   "v1.22.0",
	`upstream span "Create"`:                                                 "v1.26.0",
}

// TestValuesAreTold checks the values in the full view of every release that has the
// scenario.
func TestValuesAreTold(t *testing.T) { checkValues(t) }

func TestSlowValuesAreTold(t *testing.T) {
	testenv.Slow(t)
	checkValues(t)
}

func checkValues(t *testing.T) {
	eachRelease(t, slices.Sorted(maps.Keys(wantValues)), func(t *testing.T, release string, draw func(scenario string, o render.Options) string) {
		for scenario, values := range wantValues {
			full := draw(scenario, render.Options{Options: view.Options{Choice: view.Choice{Full: true}}, Layout: render.Layout{Width: 1000}})
			for _, value := range values {
				if full == "" || semver.Compare(release, wantSince[value]) < 0 {
					continue
				}
				if !regexp.MustCompile(value).MatchString(full) {
					t.Errorf("%s: the full view lacks a value that matches %s", scenario, value)
				}
			}
		}
	})
}

// wantFailures has, by scenario, a regular expression of the sentences that describe its
// failure, from the origin of the error to the HTTP status code.
var wantFailures = map[string]string{
	"get-not-found":       `^error born in etcd3\.\(\*store\)\.Get: StorageError: key not found, .* → turned into another error in errors\.InterpretGetError: nodes "missing" not found → Status NotFound 404 in responsewriters\.ErrorToAPIStatus$`,
	"get-forbidden":       `^denied in authorization/union\.unionAuthzHandler\.Authorize: decision=NoOpinion, nobody allowed it \(RBAC: there are no bindings\) → error born in endpoints/filters\.[wW]ithAuthorization\.func1: nodes "n1" is forbidden: User "learner" cannot get .* → Status Forbidden 403 in `,
	"get-anonymous":       `^denied in authorization/union\.unionAuthzHandler\.Authorize: decision=NoOpinion, .* → error born in endpoints/filters\.[wW]ithAuthorization\.func1: nodes "n1" is forbidden: User "system:anonymous" .* → Status Forbidden 403 in `,
	"get-unauthenticated": `^denied in tokenfile\.\(\*TokenAuthenticator\)\.AuthenticateToken: does not know who calls → error born in bearertoken\.\(\*Authenticator\)\.AuthenticateRequest: invalid bearer token → turned into another error in endpoints/filters\.Unauthorized\.func1: Unauthorized → Status Unauthorized 401 in `,
	"create-invalid":      `^error born in validation\.ValidatePodTemplateSpecForReplicaSet: spec\.template\.metadata\.labels: .* → wrapped in rest\.BeforeCreate: Deployment\.\w+ "nginx" is invalid: … → Status Invalid 422 in `,
	"create-exists":       `^error born in etcd3\.\(\*store\)\.Create: StorageError: key exists, .* → turned into another error in errors\.InterpretCreateError: deployments\.apps "nginx" already exists → Status AlreadyExists 409 in `,
	"update-conflict":     `^error born in registry\.\(\*Store\)\.Update\.func1: Operation cannot be fulfilled .* → Status Conflict 409 in `,
	"apply-conflict":      `^error born in merge\.\(\*Updater\)\.update: conflict with .* → turned into another error in \w+\.\(\*(FieldManager|structuredMergeManager)\)\.Apply: Apply failed with 1 conflict: .* → Status Conflict 409 in `,
	"policy-deny":         `^error born in .*: a ConfigMap needs the label "team" → refused by admission plugin ValidatingAdmissionPolicy → Status Invalid 422 in `,
	"webhook-deny":        `^error born in validating\.\(\*validatingDispatcher\)\.callHook: admission webhook "guard\.example\.com" denied .* → refused by admission plugin ValidatingAdmissionWebhook → Status 403 in `,
	"quota-exceeded":      `^error born in resourcequota\.\(\*quotaEvaluator\)\.Evaluate: .* → refused by admission plugin ResourceQuota → Status Forbidden 403 in `,
	"aggregated-deny":     `^error born in banflunder\.\(\*DisallowFlunder\)\.Admit: .* → refused by admission plugin BanFlunder → Status Forbidden 403 in `,
}

// TestFailuresAreTold checks that the view describes the failing scenarios in the same
// way for every release.
func TestFailuresAreTold(t *testing.T) { checkFailures(t) }

func TestSlowFailuresAreTold(t *testing.T) {
	testenv.Slow(t)
	checkFailures(t)
}

// checkFailures compares how each error came about, without the line at which it was born:
// each release has another one.
func checkFailures(t *testing.T) {
	line := regexp.MustCompile(` at \S+\.go:\d+: `)
	eachRelease(t, slices.Sorted(maps.Keys(wantFailures)), func(t *testing.T, _ string, draw func(scenario string, o render.Options) string) {
		for scenario, want := range wantFailures {
			lines := strings.Split(draw(scenario, render.Options{Layout: render.Layout{Width: 2000}}), "\n")
			if len(lines) > 2 && !regexp.MustCompile(want).MatchString(line.ReplaceAllString(lines[2], ": ")) {
				t.Errorf("%s: got %s\nwant %s", scenario, lines[2], want)
			}
		}
	})
}

// eachRelease calls f for each release that the test covers. The function draw draws the
// recording of a scenario. It returns "" if the release has no such recording. At least
// one release must have a recording of each scenario.
func eachRelease(t *testing.T, scenarios []string, f func(t *testing.T, release string, draw func(scenario string, o render.Options) string)) {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, version := range carriedReleases(t) {
		t.Run(version.K8sVersion, func(t *testing.T) {
			f(t, version.K8sVersion, func(scenario string, o render.Options) string {
				rec, err := recordings.Load(version.K8sVersion, scenario)
				var unknown *recordings.UnknownScenarioError
				if errors.As(err, &unknown) {
					return ""
				}
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				traces, err := view.NewTraces(rec, guide.ForReader("en", rec), o.Options)
				if err != nil {
					t.Fatal(err)
				}
				if err := render.WriteTree(&out, traces, o); err != nil {
					t.Fatal(err)
				}
				drawn[scenario] = true
				return out.String()
			})
		})
	}
	for _, scenario := range scenarios {
		if !drawn[scenario] {
			t.Errorf("no release has a recording of %s", scenario)
		}
	}
}
