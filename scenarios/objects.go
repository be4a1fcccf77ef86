package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// An object is a document of the setup, with its place on the server.
type object struct {
	*Document
	collection string // "/apis/apps/v1/namespaces/default/deployments"
	defined    bool   // another object of the setup defines its kind
}

func (o object) path() string { return o.collection + "/" + o.head.Metadata.Name }

// locate finds the URL paths of the objects. The resource of a kind comes from a
// CustomResourceDefinition among the documents, or else from the server.
func (w *wire) locate(ctx context.Context, documents []Document) ([]object, error) {
	defined, err := definedBy(documents)
	if err != nil {
		return nil, err
	}
	served := map[string]*metav1.APIResourceList{}
	var objects []object
	for i := range documents {
		d := &documents[i]
		group, err := schema.ParseGroupVersion(d.head.APIVersion)
		if err != nil {
			return nil, message.Errorf("%s: %s: %w", d.at, d, err)
		}
		list := defined[d.head.APIVersion]
		own := list != nil && slices.Contains(kindsOf(list), d.head.Kind)
		if !own {
			list = served[d.head.APIVersion]
		}
		if list == nil {
			if list, err = w.discover(ctx, group); err != nil {
				return nil, message.Errorf("%s: finding the resource of %s: %w", d.at, d, err)
			}
			served[d.head.APIVersion] = list
		}
		collection, err := collectionOf(d, group, list)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object{d, collection, own})
	}
	return objects, nil
}

// discover requests the resources of one group and version.
func (w *wire) discover(ctx context.Context, group schema.GroupVersion) (*metav1.APIResourceList, error) {
	sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: groupPath(group), As: Admin}, "")
	if err := sent.must(http.StatusOK); err != nil {
		return nil, err
	}
	list := &metav1.APIResourceList{}
	if err := json.Unmarshal(sent.Body, list); err != nil {
		return nil, message.Errorf("reading the answer to GET %s: %w", sent.Path, err)
	}
	return list, nil
}

func groupPath(group schema.GroupVersion) string {
	if group.Group == "" {
		return "/api/" + group.Version
	}
	return "/apis/" + group.String()
}

func collectionOf(d *Document, group schema.GroupVersion, list *metav1.APIResourceList) (string, error) {
	for _, resource := range list.APIResources {
		if resource.Kind != d.head.Kind || strings.Contains(resource.Name, "/") {
			continue
		}
		if !resource.Namespaced {
			return groupPath(group) + "/" + resource.Name, nil
		}
		return groupPath(group) + "/namespaces/" + namespaceOr(d.head.Metadata.Namespace) + "/" + resource.Name, nil
	}
	return "", message.Errorf("%s: the server has no kind %q in %q%s", d.at, d.head.Kind, d.head.APIVersion, strictyaml.Suggest(d.head.Kind, kindsOf(list)))
}

// kindsOf lists the kinds of the resources, without subresources, sorted.
func kindsOf(list *metav1.APIResourceList) []string {
	var kinds []string
	for _, resource := range list.APIResources {
		if !strings.Contains(resource.Name, "/") {
			kinds = append(kinds, resource.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// create creates an object of the setup and waits until reads from the server's
// cache show it.
func (w *wire) create(ctx context.Context, o object) error {
	if o.defined {
		if err := w.awaitServed(ctx, o); err != nil {
			return message.Errorf("%s: creating %s: %w", o.at, o, err)
		}
	}
	h := &HTTP{Method: http.MethodPost, Path: o.collection, As: Admin, Status: Statuses{http.StatusCreated}, Body: o.Document}
	sent := w.send(ctx, h, "")
	if err := sent.must(h.Status...); err != nil {
		return message.Errorf("%s: creating %s: %w", o.at, o, err)
	}
	return w.settle(ctx, h, sent)
}

// sweep deletes everything that the scenario may have created: the objects of its
// requests, then the objects of its setup, the last one first. It waits until they are
// gone and the authorizer has forgotten their rights.
func (r *run) sweep(ctx context.Context) error {
	for _, path := range r.scenario.created() {
		if err := r.wire.remove(ctx, path); err != nil {
			return err
		}
	}
	if err := r.sweepGenerated(ctx); err != nil {
		return err
	}
	for i := len(r.objects) - 1; i >= 0; i-- {
		if err := r.wire.remove(ctx, r.objects[i].path()); err != nil {
			return err
		}
	}
	return r.awaitRights(ctx, false)
}

// created lists the paths of the objects that requests can create.
func (s *Scenario) created() []string {
	var paths []string
	for i := range s.Requests {
		for _, h := range s.Requests[i].all() {
			if path := h.creates(); path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// creates returns the path of the object that h can create, or "".
func (h *HTTP) creates() string {
	path, _, _ := strings.Cut(h.Path, "?")
	switch {
	case h.Method == http.MethodPost && isCollection(path) && h.Body != nil && h.Body.head.Metadata.Name != "":
		return path + "/" + h.Body.head.Metadata.Name
	case slices.Contains(h.Status, http.StatusCreated) && (h.Method == http.MethodPatch || h.Method == http.MethodPut):
		return path // an apply, or an update that may create
	default:
		return ""
	}
}

// isCollection reports whether a path is the path of a collection (".../pods"). A
// subresource (".../pods/web/binding") may accept POST, too.
func isCollection(path string) bool {
	collection, below := splitPath(path)
	return collection != "" && len(below) == 0
}

// objectPath cuts the subresource off an object's path.
func objectPath(path string) string {
	if collection, below := splitPath(path); len(below) > 1 {
		return collection + "/" + below[0]
	}
	return path
}

// splitPath splits a path into a collection and the parts below: an object's name and a
// subresource. collection is "" if the path names no resource.
func splitPath(path string) (collection string, below []string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	prefix := 3 // apis, group, version
	if parts[0] == "api" {
		prefix = 2
	}
	// After the name of a namespace comes one of its two subresources
	// (namespaceSubresources in requestinfo.go of k8s.io/apiserver v0.37.1), or a
	// resource in the namespace.
	if len(parts) > prefix+2 && parts[prefix] == "namespaces" && parts[prefix+2] != "status" && parts[prefix+2] != "finalize" {
		prefix += 2
	}
	if len(parts) <= prefix {
		return "", nil
	}
	return "/" + strings.Join(parts[:prefix+1], "/"), parts[prefix+1:]
}

// remove deletes an object immediately, if it exists, and waits until it is gone. If it
// does not exist, remove sends no DELETE, because a user's own server may fail to answer
// that.
func (w *wire) remove(ctx context.Context, path string) error {
	found := w.send(ctx, &HTTP{Method: http.MethodGet, Path: path, As: Admin}, "")
	if found.Status == http.StatusNotFound {
		return nil
	}
	sent := w.send(ctx, &HTTP{Method: http.MethodDelete, Path: path + "?gracePeriodSeconds=0&propagationPolicy=Background", As: Admin}, "")
	if sent.Status == http.StatusNotFound {
		return nil
	}
	if sent.Status == http.StatusConflict && isMarked(found.Body) {
		// v1.16 refuses to delete a namespace again while it has
		// finalizers (pkg/registry/core/namespace/storage/storage.go).
		sent = found
	}
	if sent.Status != http.StatusAccepted { // the status for an object that is deleted later
		if err := sent.must(http.StatusOK); err != nil {
			return err
		}
	}
	if err := w.release(ctx, path, sent.Body); err != nil {
		return err
	}
	return w.awaitGone(ctx, path)
}

// isMarked reports whether the object in body is deleted, but waits for its finalizers.
func isMarked(body []byte) bool {
	var object metav1.PartialObjectMetadata
	return json.Unmarshal(body, &object) == nil && object.DeletionTimestamp != nil
}

// cleanupByServer is the finalizer of CustomResourceDefinitions. A controller in
// kube-apiserver removes it after deleting the custom resources.
const cleanupByServer = "customresourcecleanup.apiextensions.k8s.io"

// release removes a deleted object's finalizers, because their controllers do not run
// here. answer is the answer to the DELETE.
func (w *wire) release(ctx context.Context, path string, answer []byte) error {
	var marked metav1.PartialObjectMetadata
	if err := json.Unmarshal(answer, &marked); err != nil {
		return message.Errorf("reading the answer to DELETE %s: %w", path, err)
	}
	if marked.Kind == "Namespace" {
		body := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q}, "spec": {"finalizers": []}}`, marked.Name)
		h := &HTTP{Method: http.MethodPut, Path: path + "/finalize", As: Admin, Body: &Document{json: []byte(body)}}
		return w.send(ctx, h, "").must(http.StatusOK)
	}
	if len(marked.Finalizers) == 0 || slices.Contains(marked.Finalizers, cleanupByServer) {
		return nil
	}
	return w.send(ctx, mergePatch(path, `{"metadata": {"finalizers": null}}`), "").must(http.StatusOK)
}

func mergePatch(path, patch string) *HTTP {
	return &HTTP{
		Method: http.MethodPatch, Path: path, As: Admin, Headers: map[string]string{"Content-Type": "application/merge-patch+json"},
		Body: &Document{json: []byte(patch)},
	}
}
