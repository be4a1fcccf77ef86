package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// withoutSample has the releases without a sample server on the module proxy.
var withoutSample = map[string]bool{"v1.25.16": true}

// TestNightlyOlderReleases plays every scenario that a release before v1.26 can run, in
// the checking mode. It also checks the server's OpenAPI document, which is made from
// generated definitions.
func TestNightlyOlderReleases(t *testing.T) {
	testenv.Nightly(t)
	const one = "v1.22.17" // "make test-nightly" builds this release, because it needs most of the repairs
	for _, version := range apiserver.Releases() {
		if semver.Compare(version, "v1.26.0") >= 0 {
			continue // TestSlowLibrary replays one of them
		}
		t.Run(version, func(t *testing.T) {
			if version != one && os.Getenv("APITRACE_OLDER") == "" {
				t.Skipf("only %s is tested, because each release takes minutes to build: set APITRACE_OLDER=1 for all", one)
			}
			k := kind{check: true, version: version}
			// This must run before a scenario adds its own kinds to the document.
			t.Run("OpenAPI", func(t *testing.T) {
				if semver.Compare(version, "v1.24.0") >= 0 {
					t.Skip("from v1.24 on, the definitions are upstream's own, and upstream's document was made with the gate OpenAPIEnums off")
				}
				checkOpenAPI(t, server(t, k))
			})
			played := 0
			for _, scenario := range library(t) {
				if scenario.RunsOn(version) != nil || withoutSample[version] && (scenario.Setup.Aggregated || scenario.Boots(sampleserver.Name)) {
					continue
				}
				played++
				t.Run(scenario.Name, func(t *testing.T) {
					requests, found := play(t, serverFor(t, k, scenario), scenario.Name)
					checkExpectations(t, scenario, requests)
					for _, m := range found.Mismatches {
						t.Error(m)
					}
				})
			}
			if played < 35 {
				t.Errorf("%d scenarios run on %s, expected at least 35", played, version)
			}
		})
	}
}

// checkOpenAPI compares the server's OpenAPI document with the document in upstream's
// repository for the same release. Upstream's document has all alpha groups, which this
// server does not have.
func checkOpenAPI(t *testing.T, s *apiserver.Server) {
	type document struct {
		Definitions, Paths map[string]any
	}
	var ours, theirs document
	for text, into := range map[string]*document{string(openAPI(t, s)): &ours, string(publishedOpenAPI(t, s.K8sVersion)): &theirs} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	for what, parts := range map[string][2]map[string]any{
		"definition": {ours.Definitions, theirs.Definitions}, "path": {ours.Paths, theirs.Paths},
	} {
		if len(parts[0]) < 300 {
			t.Errorf("the server's document has %d %ss, expected at least 300", len(parts[0]), what)
		}
		for name, part := range parts[0] {
			if !reflect.DeepEqual(part, parts[1][name]) {
				t.Errorf("the %s %q differs from upstream's document", what, name)
			}
		}
	}
}

func publishedOpenAPI(t *testing.T, version string) []byte {
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes@"+version)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "api/openapi-spec/swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
