package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// objectsEach is the number of objects that each client keeps.
const objectsEach = 10

// A worker is a client with its own connection, namespace and objects. It sends one
// request after the other.
type worker struct {
	configMaps typed.ConfigMapInterface
	objects    []*corev1.ConfigMap // as the server last returned them
	steps      int
	// took has the time of each answer since the last call of run.
	took []time.Duration
}

// mix are the steps that a worker repeats. The watch step opens a watch, waits for the
// worker's own update, and closes the watch.
var mix = []func(*worker, context.Context) error{
	(*worker).get, (*worker).list, (*worker).get, (*worker).update, (*worker).get, (*worker).create, (*worker).get,
	(*worker).get, (*worker).watch, (*worker).get, (*worker).list, (*worker).get, (*worker).update, (*worker).get,
	(*worker).get, (*worker).delete, (*worker).get, (*worker).list, (*worker).get, (*worker).update,
}

// newWorkers makes clients of a server, and the objects of each client. If c is not
// nil, it chooses the traced requests.
func newWorkers(tb testing.TB, s *apiserver.Server, count int, c *collector) []*worker {
	tb.Helper()
	workers := make([]*worker, count)
	for i := range workers {
		w, err := newWorker(tb.Context(), s, fmt.Sprintf("load-%d", i), c)
		if err != nil {
			tb.Fatalf("preparing client %d: %v", i, err)
		}
		workers[i] = w
	}
	return workers
}

func newWorker(ctx context.Context, s *apiserver.Server, namespace string, c *collector) (*worker, error) {
	const protobuf = "application/vnd.kubernetes.protobuf" // like controllers
	config := &rest.Config{
		Host: s.BaseURL, BearerToken: s.AdminToken, TLSClientConfig: rest.TLSClientConfig{CAData: s.CAPEM},
		ContentConfig: rest.ContentConfig{ContentType: protobuf, AcceptContentTypes: protobuf},
		QPS:           -1,                          // no limit
		Dial:          (&net.Dialer{}).DialContext, // a separate Dial function gives the client a separate connection
	}
	if c != nil {
		config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return &tracer{c, next} }
	}
	client, err := typed.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	_, err = client.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	w := &worker{configMaps: client.ConfigMaps(namespace)}
	for i := range objectsEach {
		object, err := w.configMaps.Create(ctx, newObject(fmt.Sprintf("object-%d", i)), metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		w.objects = append(w.objects, object)
	}
	return w, nil
}

func newObject(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"text": strings.Repeat("a line of a configuration\n", 40)}}
}

// run lets workers work until end, with a pause after every step. It returns the time
// of each answer. The first error stops all workers.
func run(ctx context.Context, workers []*worker, end time.Time, pause time.Duration) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i, w := range workers {
		w.took = w.took[:0]
		wg.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				if err := w.step(ctx); err != nil {
					cancel(fmt.Errorf("client %d: %w", i, err))
					return
				}
				time.Sleep(pause)
			}
		})
	}
	wg.Wait()
	var took []time.Duration
	for _, w := range workers {
		took = append(took, w.took...)
	}
	return took, context.Cause(ctx)
}

func (w *worker) step(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	next := mix[w.steps%len(mix)]
	w.steps++
	return next(w, ctx)
}

// timed sends a request and adds the time until its answer to took.
func (w *worker) timed(request func() error) error {
	start := time.Now()
	err := request()
	w.took = append(w.took, time.Since(start))
	return err
}

// next returns the index of the object for this step.
func (w *worker) next() int { return w.steps % len(w.objects) }

// extra is the name of the object that each round of the mix creates and deletes.
const extra = "extra"

func (w *worker) get(ctx context.Context) error {
	return w.timed(func() error {
		_, err := w.configMaps.Get(ctx, w.objects[w.next()].Name, metav1.GetOptions{})
		return err
	})
}

func (w *worker) list(ctx context.Context) error {
	return w.timed(func() error {
		list, err := w.configMaps.List(ctx, metav1.ListOptions{})
		if err == nil && len(list.Items) < objectsEach {
			err = fmt.Errorf("the list has %d objects, expected at least %d", len(list.Items), objectsEach)
		}
		return err
	})
}

func (w *worker) create(ctx context.Context) error {
	return w.timed(func() error {
		_, err := w.configMaps.Create(ctx, newObject(extra), metav1.CreateOptions{})
		return err
	})
}

func (w *worker) delete(ctx context.Context) error {
	return w.timed(func() error { return w.configMaps.Delete(ctx, extra, metav1.DeleteOptions{}) })
}

func (w *worker) update(ctx context.Context) error {
	i := w.next()
	object := w.objects[i].DeepCopy()
	object.Data["step"] = fmt.Sprint(w.steps)
	return w.timed(func() (err error) {
		if object, err = w.configMaps.Update(ctx, object, metav1.UpdateOptions{}); err == nil {
			w.objects[i] = object
		}
		return err
	})
}

// watch opens a watch, updates the object and waits for the event. It measures the time
// until the headers of the watch's answer. The watch begins with the current object,
// because the server may have forgotten the events since the last update.
func (w *worker) watch(ctx context.Context) error {
	object := w.objects[w.next()]
	var events watch.Interface
	err := w.timed(func() (err error) {
		events, err = w.configMaps.Watch(ctx, metav1.ListOptions{
			FieldSelector: "metadata.name=" + object.Name, ResourceVersion: "0",
		})
		return err
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := w.update(ctx); err != nil {
		return err
	}
	want := w.objects[w.next()].ResourceVersion
	for e := range events.ResultChan() { // closed when ctx ends
		seen, ok := e.Object.(*corev1.ConfigMap)
		if !ok || e.Type == watch.Deleted {
			return fmt.Errorf("the watch of %q returned %s %v, expected its update at revision %s", object.Name, e.Type, e.Object, want)
		}
		if seen.ResourceVersion == want {
			return nil
		}
	}
	return fmt.Errorf("the watch of %q ended before its update at revision %s", object.Name, want)
}
