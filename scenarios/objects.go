package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// pollEvery is how often something is looked at that will soon be so.
	pollEvery = 10 * time.Millisecond
	// pollTimeout is when we no longer believe that it will.
	pollTimeout = 15 * time.Second
)

// An object is a document of the setup and the place where the server keeps it.
type object struct {
	*Document
	collection string // "/apis/apps/v1/namespaces/default/deployments"
}

func (o object) path() string { return o.collection + "/" + o.head.Metadata.Name }

// locate finds the URL paths of the objects by asking the server what it serves.
func (w *wire) locate(ctx context.Context, documents []Document) ([]object, error) {
	served := map[string]*metav1.APIResourceList{}
	var objects []object
	for i := range documents {
		d := &documents[i]
		group, err := schema.ParseGroupVersion(d.head.APIVersion)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		list := served[d.head.APIVersion]
		if list == nil {
			if list, err = w.discover(ctx, group); err != nil {
				return nil, fmt.Errorf("finding the resource of %s: %w", d, err)
			}
			served[d.head.APIVersion] = list
		}
		collection, err := collectionOf(d, group, list)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object{d, collection})
	}
	return objects, nil
}

// discover asks for the resources of one group and version.
func (w *wire) discover(ctx context.Context, group schema.GroupVersion) (*metav1.APIResourceList, error) {
	sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: groupPath(group), As: Admin}, "")
	if err := sent.must(http.StatusOK); err != nil {
		return nil, err
	}
	list := &metav1.APIResourceList{}
	if err := json.Unmarshal(sent.Body, list); err != nil {
		return nil, fmt.Errorf("reading the answer to GET %s: %w", sent.Path, err)
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
	return "", fmt.Errorf("the server has no kind %q in %q: check apiVersion and kind of %s", d.head.Kind, d.head.APIVersion, d)
}

// create creates an object of the setup and waits until reads from the server's
// cache show it.
func (w *wire) create(ctx context.Context, o object) error {
	h := &HTTP{Method: http.MethodPost, Path: o.collection, As: Admin, Status: http.StatusCreated, Body: o.Document}
	sent := w.send(ctx, h, "")
	if err := sent.must(h.Status); err != nil {
		return fmt.Errorf("creating %s: %w", o, err)
	}
	return w.awaitCache(ctx, h, sent)
}

// awaitCache waits until the server's watch cache has what h has changed. Writes
// start from the object in that cache: if it is stale they try again, and the
// trace shows it. A GET with a resourceVersion is answered by the cache, and not
// before it is that fresh.
func (w *wire) awaitCache(ctx context.Context, h *HTTP, sent *Sent) error {
	if !h.changes() || h.Method == http.MethodDelete {
		return nil
	}
	var changed metav1.PartialObjectMetadata
	if json.Unmarshal(sent.Body, &changed) != nil || changed.ResourceVersion == "" {
		return nil // not an object that is stored, such as a review
	}
	path, _, _ := strings.Cut(h.Path, "?")
	if h.Method == http.MethodPost {
		path += "/" + changed.Name
	}
	query := url.Values{"resourceVersion": {changed.ResourceVersion}}
	get := w.send(ctx, &HTTP{Method: http.MethodGet, Path: path + "?" + query.Encode(), As: Admin}, "")
	return get.must(http.StatusOK)
}

// sweep deletes everything that the scenario can have brought to be, the last
// first, and waits until it is gone.
func (r *run) sweep(ctx context.Context) error {
	for _, path := range r.scenario.created() {
		if err := r.wire.remove(ctx, path); err != nil {
			return err
		}
	}
	for i := len(r.objects) - 1; i >= 0; i-- {
		if err := r.wire.remove(ctx, r.objects[i].path()); err != nil {
			return err
		}
	}
	return r.awaitRights(ctx, false)
}

// created lists the paths of the objects that the requests create.
func (s *Scenario) created() []string {
	var paths []string
	for i := range s.Requests {
		for _, h := range append([]HTTP{s.Requests[i].HTTP}, s.Requests[i].Warmup...) {
			if h.Method != http.MethodPost || h.Body == nil || h.Body.head.Metadata.Name == "" {
				continue
			}
			collection, _, _ := strings.Cut(h.Path, "?")
			path := collection + "/" + h.Body.head.Metadata.Name
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// remove deletes an object at once if it is there, and waits until it is gone.
func (w *wire) remove(ctx context.Context, path string) error {
	sent := w.send(ctx, &HTTP{Method: http.MethodDelete, Path: path + "?gracePeriodSeconds=0&propagationPolicy=Background", As: Admin}, "")
	if sent.Status == http.StatusNotFound {
		return nil
	}
	if sent.Status != http.StatusAccepted { // the answer for an object that goes later
		if err := sent.must(http.StatusOK); err != nil {
			return err
		}
	}
	return w.awaitGone(ctx, path)
}

// awaitGone waits until there is no object at the path.
func (w *wire) awaitGone(ctx context.Context, path string) error {
	path, _, _ = strings.Cut(path, "?")
	return poll(ctx, func() (bool, error) {
		sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: path, As: Admin}, "")
		if sent.Status == http.StatusNotFound {
			return true, nil
		}
		return false, sent.must(http.StatusOK)
	}, path+" to be gone: has it finalizers?")
}

// poll calls done until it says so. what completes "waited 15s for ...".
func poll(ctx context.Context, done func() (bool, error), what string) error {
	deadline := time.Now().Add(pollTimeout)
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %s for %s", pollTimeout, what)
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}
