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

	"github.com/kubeapitrace/apitrace/internal/message"
)

const (
	// pollEvery is the interval of polling.
	pollEvery = 10 * time.Millisecond
	// pollTimeout is the time after which polling gives up.
	pollTimeout = 90 * time.Second
	// nudgeAfter is the time after which a deleted object that is still there is nudged, and again.
	nudgeAfter = 2 * time.Second
)

// settle waits until the server's caches have the changes of h.
func (w *wire) settle(ctx context.Context, h *HTTP, sent *Sent) error {
	switch {
	case !h.changes():
		return nil
	case h.Method == http.MethodDelete && !h.Stays:
		return w.awaitGone(ctx, h.Path)
	default:
		return w.awaitCache(ctx, h, sent)
	}
}

// awaitCache waits until the server's watch cache has the change of h. Writes start from
// the object in that cache: if it is stale, they are retried, and the trace shows that.
// The cache answers a GET with a resourceVersion, and only when it is that fresh.
func (w *wire) awaitCache(ctx context.Context, h *HTTP, sent *Sent) error {
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
	if get.Status == http.StatusNotFound { // h has removed the last finalizer of a deleted object
		return nil
	}
	return get.must(http.StatusOK)
}

// awaitGone waits until there is no object at the path or, if the path is that of a
// collection with a selector, no selected object.
func (w *wire) awaitGone(ctx context.Context, path string) error {
	nudged := time.Now()
	return poll(ctx, func() (bool, error) {
		sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: path, As: Admin}, "")
		if sent.Status == http.StatusNotFound {
			return true, nil
		}
		if time.Since(nudged) > nudgeAfter {
			nudged = time.Now()
			w.nudge(ctx, path, sent.Body)
		}
		return isEmptyList(sent.Body), sent.must(http.StatusOK)
	}, message.Of("%s to be gone: does it have finalizers or a grace period? Then write \"stays: true\" at its deletion", path))
}

// nudge changes a CustomResourceDefinition that is on its way out, so that kube-apiserver's finalizer takes it up again.
// It may have dropped it: if the first list of the custom resources fails because their cache is not ready yet, the finalizer
// notes that in the condition Terminating and tries again 5 ms later; if its informer has not seen the note by then, the
// attempt ends in a conflict that is taken for somebody else's change, and a change of that condition alone wakes nobody until
// the informer's resync after five minutes (CRDFinalizer.sync and updateCustomResourceDefinition, crd_finalizer.go of
// k8s.io/apiextensions-apiserver v0.37.1). What the server answers is of no interest: the object may just have gone.
func (w *wire) nudge(ctx context.Context, path string, body []byte) {
	var marked metav1.PartialObjectMetadata
	if json.Unmarshal(body, &marked) != nil || !slices.Contains(marked.Finalizers, cleanupByServer) {
		return
	}
	annotation := fmt.Sprintf(`{"metadata": {"annotations": {"apitrace/nudged": %q}}}`, marked.ResourceVersion)
	w.send(ctx, mergePatch(path, annotation), "")
}

func isEmptyList(body []byte) bool {
	var list struct {
		Items *[]json.RawMessage `json:"items"`
	}
	return json.Unmarshal(body, &list) == nil && list.Items != nil && len(*list.Items) == 0
}

// usualTimeout limits the wait for an answer that another server than upstream's need not give.
const usualTimeout = 5 * time.Second

// awaitUsual sends h until it is answered with the usual status, for a limited time.
func (r *run) awaitUsual(ctx context.Context, h *HTTP) *Sent {
	for end := time.Now().Add(usualTimeout); ; time.Sleep(pollEvery) {
		sent := r.send(ctx, h, "")
		if sent.Status == h.usual && sent.asked || sent.Err != nil || time.Now().After(end) {
			return sent
		}
	}
}

// await sends h until it is answered with its status, and the webhook that must be asked was.
func (r *run) await(ctx context.Context, h *HTTP) (*Sent, error) {
	var sent *Sent
	err := poll(ctx, func() (bool, error) {
		sent = r.send(ctx, h, "")
		return sent.Status == h.Status && sent.asked, sent.Err
	}, message.Of("%s %s to be answered %d%s", h.Method, h.Path, h.Status, afterAsking(h.Asks)))
	if err != nil {
		return nil, message.Errorf("%w; the last answer: %d, %s", err, sent.Status, sent.message())
	}
	return sent, nil
}

func afterAsking(webhook string) message.Message {
	if webhook == "" {
		return message.Message{}
	}
	return message.Of(", after asking the webhook %q", webhook)
}

// poll calls done until it returns true. what completes "waited 1m30s for ...".
func poll(ctx context.Context, done func() (bool, error), what message.Message) error {
	deadline := time.Now().Add(pollTimeout)
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return message.Errorf("waited %s for %s", pollTimeout, what)
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}
