package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
)

const (
	// pollEvery is the interval of polling.
	pollEvery = 10 * time.Millisecond
	// pollTimeout is the time after which polling gives up.
	pollTimeout = 90 * time.Second
	// nudgeAfter is the time after which an object that is not gone is nudged, and the
	// interval of further nudges.
	nudgeAfter = 2 * time.Second
)

// settle waits until the server's caches have the changes of h.
func (w *wire) settle(ctx context.Context, h *HTTP, sent *Sent) error {
	switch {
	case !h.changes() || !succeeded(sent.Status):
		return nil
	case h.Method == http.MethodDelete && !h.Stays:
		return w.awaitGone(ctx, h.Path)
	default:
		return w.awaitCache(ctx, h, sent)
	}
}

// awaitCache waits until the server's watch cache has the change of h. A write starts
// from the object in that cache. If this object is stale, the write is retried, and the
// trace would show the retry. A GET with a resourceVersion is answered from the cache
// once the cache is fresh enough. awaitCache gets the object even if h changes a
// subresource, because some subresources cannot be read.
func (w *wire) awaitCache(ctx context.Context, h *HTTP, sent *Sent) error {
	var changed metav1.PartialObjectMetadata
	if json.Unmarshal(sent.Body, &changed) != nil || changed.ResourceVersion == "" {
		return nil // not an object that is stored, such as a review
	}
	path, _, _ := strings.Cut(h.Path, "?")
	if path = objectPath(path); h.Method == http.MethodPost && isCollection(path) {
		path += "/" + changed.Name
	}
	query := url.Values{"resourceVersion": {changed.ResourceVersion}}
	get := w.send(ctx, &HTTP{Method: http.MethodGet, Path: path + "?" + query.Encode(), As: Admin}, "")
	if get.Status == http.StatusNotFound { // h has removed the last finalizer of a deleted object
		return nil
	}
	return get.must(http.StatusOK)
}

// awaitGone waits until there is no object at the path. If the path is a collection, it
// waits until the list is empty.
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

// nudge changes a CustomResourceDefinition that is being deleted, so that
// kube-apiserver's finalizer retries it. The finalizer may have dropped it:
//
// If the first list of the custom resources fails because their cache is not ready yet,
// the finalizer notes that in the condition Terminating and tries again 5 ms later. If
// its informer has not seen the note by then, the second try ends in a conflict. The
// finalizer takes the conflict for somebody else's change, and expects an event about it.
// But a change of that condition alone triggers no retry until the informer's resync
// after five minutes (CRDFinalizer.sync and updateCustomResourceDefinition,
// crd_finalizer.go of k8s.io/apiextensions-apiserver v0.37.1).
//
// nudge ignores the answer, because the object may just have been removed.
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

// usualTimeout limits the waiting for expected effects if the server may behave
// differently (HTTP.lenient).
const usualTimeout = 5 * time.Second

// isAwaited reports whether an answer to h ends the waiting for it.
func (h *HTTP) isAwaited(sent *Sent) bool {
	if !h.Status.allow(sent.Status) || !sent.asked {
		return false
	}
	place, _ := h.lacks(sent.Body)
	return place == ""
}

// awaitUsual sends h until the answer is the scenario's, but gives up after usualTimeout.
// It returns the last answer.
func (r *run) awaitUsual(ctx context.Context, h *HTTP) *Sent {
	for end := time.Now().Add(usualTimeout); ; time.Sleep(pollEvery) {
		sent := r.send(ctx, h, "")
		if h.isAwaited(sent) || sent.Err != nil || time.Now().After(end) {
			return sent
		}
	}
}

// await sends h until the answer has the expected status and the values of h.Has, and the
// server has called the webhook of h.Asks, if any. It also repeats h if the server cuts the answer, as
// kube-apiserver does now and then at the end of a request's time
// (baseTimeoutWriter.timeout, server/filters/timeout.go of k8s.io/apiserver v0.37.1).
func (r *run) await(ctx context.Context, h *HTTP) (*Sent, error) {
	var sent *Sent
	err := pollFor(ctx, time.Duration(h.Await), func() (bool, error) {
		sent = r.send(ctx, h, "")
		if errors.As(sent.Err, new(http2.StreamError)) {
			return false, nil
		}
		return h.isAwaited(sent), sent.Err
	}, message.Of("%s %s to be answered %s%s%s", h.Method, h.Path, h.Status, h.having(), afterAsking(h.Asks)))
	switch {
	case err == nil:
		return sent, nil
	case sent.Err == nil && h.Status.allow(sent.Status) && sent.asked && !(collect.Secrets{}).Hold(h.Path):
		place, found := h.lacks(sent.Body)
		return nil, message.Errorf("%w; the last answer: %d, with %q at %q", err, sent.Status, found, place)
	case sent.Err == nil:
		return nil, message.Errorf("%w; the last answer: %d, %s", err, sent.Status, sent.message())
	case errors.Is(err, sent.Err):
		return nil, message.Errorf("%s %s: %w", h.Method, h.Path, err)
	}
	return nil, message.Errorf("%w; the last time: %w", err, sent.Err)
}

func afterAsking(webhook string) message.Message {
	if webhook == "" {
		return message.Message{}
	}
	return message.Of(", after asking the webhook %q", webhook)
}

// poll is pollFor with pollTimeout.
func poll(ctx context.Context, done func() (bool, error), what message.Message) error {
	return pollFor(ctx, pollTimeout, done, what)
}

// pollFor calls done until it returns true, and gives up after the timeout. what
// completes the error "waited 1m30s for ...".
func pollFor(ctx context.Context, timeout time.Duration, done func() (bool, error), what message.Message) error {
	deadline := time.Now().Add(timeout)
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return message.Errorf("waited %s for %s", timeout, what)
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}
