package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// ownNamespace is the placeholder for the scenario's own namespace, which has the name of
// the scenario.
const ownNamespace = "${namespace}"

// This label marks the namespaces that the player creates for scenarios.
const (
	managedByLabel = "app.kubernetes.io/managed-by"
	managedByUs    = "apitrace"
)

// fillNamespace replaces ownNamespace in a text by the name of a scenario. uses reports
// whether the text contains ownNamespace.
func fillNamespace(text []byte, name string) (filled []byte, uses bool) {
	return bytes.ReplaceAll(text, []byte(ownNamespace), []byte(name)), bytes.Contains(text, []byte(ownNamespace))
}

// nameIn returns the scenario's name in a file's text. If text or name is invalid, it
// returns ownNamespace, and parse reports the error.
func nameIn(text []byte) string {
	var s struct {
		Name string `yaml:"name"`
	}
	if err := yaml.Unmarshal(text, &s); err != nil || !validName.MatchString(s.Name) {
		return ownNamespace
	}
	return s.Name
}

// ensureNamespace creates the scenario's own namespace, if the scenario uses one. No run
// deletes the namespace: for 30 seconds after a namespace was deleted, the admission
// plugin NamespaceLifecycle reads the namespace of that name from the store
// (apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go, forceLiveLookupTTL).
// The next traces would show these reads.
func (r *run) ensureNamespace(ctx context.Context) error {
	if !r.scenario.OwnNamespace {
		return nil
	}
	name := r.scenario.Name
	sent := r.wire.send(ctx, &HTTP{Method: http.MethodGet, Path: "/api/v1/namespaces/" + name, As: Admin}, "")
	if sent.Status == http.StatusNotFound {
		body := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q, "labels": {%q: %q}}}`, name, managedByLabel, managedByUs)
		h := &HTTP{Method: http.MethodPost, Path: "/api/v1/namespaces", As: Admin, Status: Statuses{http.StatusCreated}, Body: rawDocument([]byte(body))}
		sent = r.wire.send(ctx, h, "")
		if err := sent.must(h.Status...); err != nil {
			return message.Errorf("creating the namespace %q: %w", name, err)
		}
		return r.wire.settle(ctx, h, sent)
	}
	if err := sent.must(http.StatusOK); err != nil {
		return message.Errorf("looking for the namespace %q: %w", name, err)
	}
	var found metav1.PartialObjectMetadata
	if err := json.Unmarshal(sent.Body, &found); err != nil {
		return message.Errorf("reading the answer to GET %s: %w", sent.Path, err)
	}
	if found.Labels[managedByLabel] != managedByUs {
		return message.Errorf("the namespace %q belongs to somebody else, and the scenario of that name would delete its objects: replay it on another server, or give the namespace the label %s=%s", name, managedByLabel, managedByUs)
	}
	return nil
}
