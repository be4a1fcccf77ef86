package session

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

const deploymentToFollow = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2,
	"selector": {"matchLabels": {"app": "web"}},
	"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}}}`

// TestSlowFollowsADeployment creates a Deployment and follows it until its pods run.
func TestSlowFollowsADeployment(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Slow(t)
	o := ServerOptions{Spec: Spec{Version: apiserver.DefaultVersion, ControlPlane: true, Check: true}, Edits: EditsIn(t.TempDir()), Reuse: ReuseNone}
	ctx, server, err := o.Obtain(t.Context(), &noted{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var body scenarios.Document
	if err := yaml.Unmarshal([]byte(deploymentToFollow), &body); err != nil {
		t.Fatal(err)
	}
	h := &scenarios.HTTP{Method: http.MethodPost, Path: "/apis/apps/v1/namespaces/default/deployments", Body: &body, As: scenarios.Admin}
	recording, err := server.Follow(ctx, time.Minute, func() (*trace.Recording, error) {
		recording, _, err := server.Request(ctx, h, time.Minute, &noted{})
		return recording, err
	})
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, r := range recording.Follow.Requests {
		path, _, _ := strings.Cut(r.Path, "?")
		sent = append(sent, r.Method+" "+path)
	}
	for _, want := range []string{
		"POST /apis/apps/v1/namespaces/default/replicasets",
		"POST /api/v1/namespaces/default/pods",
		"PUT /apis/apps/v1/namespaces/default/deployments/web/status",
	} {
		if !slices.Contains(sent, want) {
			t.Errorf("the Deployment did not cause %s", want)
		}
	}
	for _, suffix := range []string{"/binding", "/status"} {
		if !slices.ContainsFunc(sent, func(s string) bool { return strings.Contains(s, "/pods/web-") && strings.HasSuffix(s, suffix) }) {
			t.Errorf("the Deployment did not cause a request that ends with %s", suffix)
		}
	}
	if !recording.Follow.Complete {
		t.Errorf("not all was over: %+v", recording.Follow.Pending)
	}
	if err := server.fetcher.verdict(true, &noted{}); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Logf("the Deployment caused\n%s", strings.Join(sent, "\n"))
	}
}
