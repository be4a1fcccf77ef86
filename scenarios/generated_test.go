package scenarios

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// creationOf returns a review of the creation of a pod.
func creationOf(name, generateName string, dryRun bool) admissionv1.AdmissionReview {
	pod, _ := json.Marshal(map[string]any{"kind": "Pod", "metadata": map[string]any{"name": name, "generateName": generateName}})
	return admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, DryRun: &dryRun, Namespace: "a", Object: runtime.RawExtension{Raw: pod},
		Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
	}}
}

func TestWebhookTakesNames(t *testing.T) {
	server := newFakeServer(t)
	wire, err := newWire(server.player(), &lock{learner: &tokenCache{}})
	if err != nil {
		t.Fatal(err)
	}
	defer wire.close()
	all, ask := serve(t, Webhook{Name: "rival", TakesNames: 1}, wire)
	defer all.close()
	for _, step := range []struct {
		what   string
		review admissionv1.AdmissionReview
		begin  bool
		want   []string // the objects after the step
	}{
		{"before a request", creationOf("web-0", "web-", false), false, nil},
		{"a dry run", creationOf("web-1", "web-", true), true, nil},
		{"a name that the client chose", creationOf("web", "", false), true, nil},
		{"the first attempt", creationOf("web-2", "web-", false), true, []string{"/api/v1/namespaces/a/pods/web-2"}},
		{"the review of the rival's own object", creationOf("web-2", "web-", false), false, []string{"/api/v1/namespaces/a/pods/web-2"}},
		{"the second attempt", creationOf("web-3", "web-", false), false, []string{"/api/v1/namespaces/a/pods/web-2"}},
		{"another request", creationOf("web-4", "web-", false), true, []string{"/api/v1/namespaces/a/pods/web-2", "/api/v1/namespaces/a/pods/web-4"}},
	} {
		if step.begin {
			all.begin("rival")
		}
		answer, err := ask(t.Context(), step.review)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := server.paths(); answer.StatusCode != http.StatusOK || !slices.Equal(got, step.want) {
			t.Errorf("after %s: the webhook answered %d, the objects are %q, expected 200 and %q", step.what, answer.StatusCode, got, step.want)
		}
	}
}

func TestSweepGenerated(t *testing.T) {
	text := `
name: mine
title: {en: mine}
requests:
  - {method: POST, path: "/api/v1/namespaces/${namespace}/pods", status: 201, traced: true, warmup: [], body: {metadata: {generateName: web-}}}
  - {method: POST, path: "/api/v1/namespaces/default/pods", status: 201, body: {metadata: {generateName: web-}}}
`
	s, err := parse("mine.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	server := newFakeServer(t)
	for path, generateName := range map[string]string{"mine/pods/web-1": "web-", "mine/pods/web-2": "", "default/pods/web-3": "web-"} {
		namespace, name, _ := strings.Cut(path, "/pods/")
		server.objects["/api/v1/namespaces/"+path] = map[string]any{"metadata": map[string]any{"name": name, "namespace": namespace, "generateName": generateName}}
	}
	wire, err := newWire(server.player(), &lock{learner: &tokenCache{}})
	if err != nil {
		t.Fatal(err)
	}
	defer wire.close()
	r := &run{wire: wire, scenario: s}
	if err := r.sweepGenerated(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{"/api/v1/namespaces/default/pods/web-3", "/api/v1/namespaces/mine/pods/web-2"}
	if got := server.paths(); !slices.Equal(got, want) {
		t.Errorf("the objects left are %q, expected %q", got, want)
	}
}
