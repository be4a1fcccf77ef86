package scenarios

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// sweepGenerated deletes the objects with generated names that the scenario's requests
// created in its own namespace. It recognizes these objects by their generateName. In
// other namespaces, such objects may belong to somebody else.
func (r *run) sweepGenerated(ctx context.Context) error {
	if !r.scenario.OwnNamespace {
		return nil
	}
	own := "/namespaces/" + r.scenario.Name + "/"
	for i := range r.scenario.Requests {
		for _, h := range r.scenario.Requests[i].all() {
			path, _, _ := strings.Cut(h.Path, "?")
			if h.generateName() == "" || !strings.Contains(path, own) {
				continue
			}
			if err := r.wire.removeGenerated(ctx, path, h.generateName()); err != nil {
				return err
			}
		}
	}
	return nil
}

// generateName returns the prefix of the generated name of the object that h creates, or
// "" if there is none.
func (h *HTTP) generateName() string {
	path, _, _ := strings.Cut(h.Path, "?")
	if h.Method != http.MethodPost || !isCollection(path) || h.Body == nil || h.Body.head.Metadata.Name != "" {
		return ""
	}
	return h.Body.head.Metadata.GenerateName
}

// removeGenerated deletes the collection's objects with the generateName.
func (w *wire) removeGenerated(ctx context.Context, collection, generateName string) error {
	sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: collection, As: Admin}, "")
	if sent.Status == http.StatusNotFound {
		return nil // the collection is not served yet
	}
	if err := sent.must(http.StatusOK); err != nil {
		return err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(sent.Body, &list); err != nil {
		return message.Errorf("reading the answer to GET %s: %w", collection, err)
	}
	for _, o := range list.Items {
		if o.GenerateName != generateName {
			continue
		}
		if err := w.remove(ctx, collection+"/"+o.Name); err != nil {
			return err
		}
	}
	return nil
}

// A nameTaker takes generated names for a webhook: as the administrator, it creates an
// object with the name before the server stores the client's object.
type nameTaker struct {
	wire *wire

	mu    sync.Mutex
	left  int    // names still to take for the current request
	taken string // the name taken last; the server calls the webhook for its object, too
}

// begin is called before a request. The first n names that the server generates for the
// request are then taken.
func (t *nameTaker) begin(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = n
}

// take takes the name of the object in a review: it creates an object with this name. It
// takes only generated names of new objects, no names of dry runs, and no more names than
// left.
func (t *nameTaker) take(ctx context.Context, asked *admissionv1.AdmissionRequest) error {
	var o metav1.PartialObjectMetadata
	if asked.Operation != admissionv1.Create || asked.DryRun != nil && *asked.DryRun ||
		json.Unmarshal(asked.Object.Raw, &o) != nil || o.GenerateName == "" || o.Name == "" {
		return nil
	}
	if !t.takes(o.Name) {
		return nil
	}
	path := groupPath(schema.GroupVersion{Group: asked.Resource.Group, Version: asked.Resource.Version})
	if asked.Namespace != "" {
		path += "/namespaces/" + asked.Namespace
	}
	h := &HTTP{Method: http.MethodPost, Path: path + "/" + asked.Resource.Resource, As: Admin, Body: rawDocument(asked.Object.Raw)}
	return t.wire.send(ctx, h, "").must(http.StatusCreated)
}

// takes reports whether to take the name. If so, it counts the name as taken.
func (t *nameTaker) takes(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == 0 || name == t.taken {
		return false
	}
	t.left--
	t.taken = name
	return true
}
