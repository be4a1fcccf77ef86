package e2e

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestSlowClientsKubectl checks that kubectl works with the instrumented server.
func TestSlowClientsKubectl(t *testing.T) {
	testenv.Slow(t)
	binary, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skipf("there is no kubectl on PATH: %v", err)
	}
	const namespace = "kubectl"
	s := server(t, traced)
	makeNamespace(t, s, namespace)
	k := kubectl{binary: binary, args: []string{"--kubeconfig", s.AdminKubeconfig, "--namespace", namespace}, home: t.TempDir()}

	k.run(t, "", "Server Version: "+s.K8sVersion, "version")
	k.run(t, "", "configmap/a created", "create", "configmap", "a", "--from-literal=k=v")
	k.fail(t, "already exists", "create", "configmap", "a")
	k.run(t, "", "v", "get", "configmap", "a", "-o", "jsonpath={.data.k}")
	k.run(t, deploymentManifest("1"), "deployment.apps/web created", "apply", "-f", "-")
	k.run(t, deploymentManifest("2"), "deployment.apps/web configured", "apply", "-f", "-")
	k.run(t, deploymentManifest("2"), "deployment.apps/web unchanged", "apply", "-f", "-")
	k.run(t, deploymentManifest("3"), "deployment.apps/web serverside-applied", "apply", "--server-side", "--force-conflicts", "-f", "-")
	k.run(t, "", "web    0/3", "get", "deployments")
	k.run(t, "", "FIELD: replicas <integer>", "explain", "deployment.spec.replicas")

	// With -v=6 kubectl logs the request that begins its watch.
	waiting := k.start(t, "wait", "configmap/a", "--for=jsonpath={.data.k}=w", "--timeout=2m", "-v=6")
	waiting.want(t, "watch=true")
	k.run(t, "", "configmap/a patched", "patch", "configmap", "a", "--type=merge", "-p", `{"data":{"k":"w"}}`)
	waiting.want(t, "configmap/a condition met")

	watching := k.start(t, "get", "configmap", "a", "--watch", "--output-watch-events", "--request-timeout=2m")
	watching.want(t, "ADDED")
	k.run(t, "", `configmap "a" deleted`, "delete", "configmap/a", "deployment/web")
	watching.want(t, "DELETED")
	k.fail(t, "NotFound", "get", "configmap", "a")
}

func deploymentManifest(replicas string) string {
	return `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": ` + replicas + `,
	"selector": {"matchLabels": {"app": "web"}},
	"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}`
}

type kubectl struct {
	binary string
	args   []string
	home   string // for kubectl's cache, so that the user's cache does not change
}

// run runs kubectl. It must succeed and print want.
func (k kubectl) run(t *testing.T, stdin, want string, args ...string) {
	t.Helper()
	if out, err := k.output(t, stdin, args); err != nil || !strings.Contains(out, want) {
		t.Errorf("kubectl %s: want %q in its output, got %v and\n%s", strings.Join(args, " "), want, err, out)
	}
}

// fail runs kubectl. It must fail and print want.
func (k kubectl) fail(t *testing.T, want string, args ...string) {
	t.Helper()
	if out, err := k.output(t, "", args); err == nil || !strings.Contains(out, want) {
		t.Errorf("kubectl %s: want an error and %q in its output, got %v and\n%s", strings.Join(args, " "), want, err, out)
	}
}

func (k kubectl) output(t *testing.T, stdin string, args []string) (string, error) {
	cmd := k.command(t.Context(), args)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// start starts kubectl and returns its output as a stream. The end of the test kills
// kubectl.
func (k kubectl) start(t *testing.T, args ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := k.command(ctx, args)
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in.CloseWithError(cmp.Or(cmd.Wait(), io.EOF))
	}()
	t.Cleanup(func() {
		cancel()
		out.Close()
		<-ended
	})
	return &stream{command: "kubectl " + strings.Join(args, " "), lines: bufio.NewReader(out)}
}

// A stream is the output of a running command.
type stream struct {
	command string
	lines   *bufio.Reader
	read    strings.Builder
}

// want reads until a line has the text.
func (s *stream) want(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		s.read.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%s: want a line with %q, got %v after\n%s", s.command, text, err, s.read.String())
		}
	}
}

func (k kubectl) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.binary, slices.Concat(k.args, args)...)
	cmd.Env = append(os.Environ(), "HOME="+k.home, "KUBECACHEDIR="+path.Join(k.home, "cache"))
	return cmd
}

// TestClientsGo checks that client-go's typed clients and informers work while each of
// their requests is traced.
func TestClientsGo(t *testing.T) {
	const namespace = "client-go"
	s := server(t, traced)
	makeNamespace(t, s, namespace)
	client, sent := tracedClient(t, s)
	events := watchDeployments(t, client, namespace)
	deployments := client.AppsV1().Deployments(namespace)

	if _, err := deployments.Create(t.Context(), deployment(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "add web 1")
	d, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	*d.Spec.Replicas = 2
	if _, err := deployments.Update(t.Context(), d, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "update web 2")
	list, err := deployments.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || *list.Items[0].Spec.Replicas != 2 {
		t.Errorf("the list is %v (error: %v), want one deployment with 2 replicas", list, err)
	}
	if err := deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "delete web 2")
	if _, err := deployments.Get(t.Context(), "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get after the deletion: got the error %v, want \"not found\"", err)
	}
	events.stop()

	all := sent.all()
	// Five requests of the calls above, and at least one of the informer.
	if len(all) < 6 {
		t.Errorf("%d requests were sent, want at least 6", len(all))
	}
	// It takes 3 s to collect the informer's watch: kube-apiserver leaves a goroutine
	// with a timer behind (cacher.(*watchCache).waitUntilFreshLocked).
	for _, one := range all {
		collectTree(t, s, one)
	}
}

func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	replicas := int32(1)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
}

// deploymentEvents are the events of a shared informer.
type deploymentEvents struct {
	seen chan string
	stop func()
}

// watchDeployments starts an informer, and returns when it has synchronized with the
// server.
func watchDeployments(t *testing.T, client kubernetes.Interface, namespace string) *deploymentEvents {
	t.Helper()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Apps().V1().Deployments().Informer()
	seen := make(chan string, 100)
	tell := func(what string, object any) {
		d := object.(*appsv1.Deployment)
		seen <- fmt.Sprintf("%s %s %d", what, d.Name, *d.Spec.Replicas)
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("add", object) },
		UpdateFunc: func(_, object any) { tell("update", object) },
		DeleteFunc: func(object any) { tell("delete", object) },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	stop := func() {
		cancel()
		factory.Shutdown()
	}
	t.Cleanup(stop)
	testenv.Await(t, "the informer is in step with the server", informer.HasSynced)
	return &deploymentEvents{seen, stop}
}

func (e *deploymentEvents) want(t *testing.T, want string) {
	t.Helper()
	if got := testenv.Receive(t, fmt.Sprintf("the informer reports %q", want), e.seen); got != want {
		t.Errorf("the informer reports %q, want %q", got, want)
	}
}

// TestClientsAtOnce checks that concurrent requests have separate traces. Each trace is
// one tree, belongs to its own request, and names no object of another request.
func TestClientsAtOnce(t *testing.T) {
	const namespace, workers, objects = "at-once", 8, 5
	s := server(t, traced)
	makeNamespace(t, s, namespace)
	client, sent := tracedClient(t, s)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for o := range objects {
				if err := useObject(t.Context(), client, namespace, objectName(w, o)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all := sent.all()
	if want := workers * objects * 5; len(all) != want {
		t.Errorf("%d requests were sent, want %d", len(all), want)
	}
	traces := make([]*trace.Request, len(all))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(all); i += workers {
				if traces[i] = collectTree(t, s, all[i]); traces[i] != nil {
					checkOwn(t, traces[i], all[i], namespace)
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	if n := mostAtOnce(traces); n < 2 {
		t.Errorf("at most %d request was served at any time: the test needs concurrent requests", n)
	}
}

// mostAtOnce returns the greatest number of requests that were served at the same time.
func mostAtOnce(all []*trace.Request) int {
	most := 0
	for _, r := range all {
		n := 0
		for _, other := range all {
			end := other.Start.Add(time.Duration(other.Calls[0].DurationNs))
			if !other.Start.After(r.Start) && end.After(r.Start) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// objectName returns the name of an object. No name is part of another name.
func objectName(worker, object int) string { return fmt.Sprintf("mine-%d-%d", worker, object) }

// useObject creates, updates, patches, reads and deletes an object, with five requests.
func useObject(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	ctx = context.WithValue(ctx, objectKey{}, name)
	maps := client.CoreV1().ConfigMaps(namespace)
	m, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	m.Data = map[string]string{"k": "v"}
	_, updateErr := maps.Update(ctx, m, metav1.UpdateOptions{})
	_, patchErr := maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data": {"k": "w"}}`), metav1.PatchOptions{})
	m, getErr := maps.Get(ctx, name, metav1.GetOptions{})
	if getErr == nil && m.Data["k"] != "w" {
		getErr = fmt.Errorf("configmap %q holds %q, expected k=w, the value of the patch", name, m.Data)
	}
	return errors.Join(updateErr, patchErr, getErr, maps.Delete(ctx, name, metav1.DeleteOptions{}))
}

// handlerOf has the function that serves a method.
var handlerOf = map[string]string{
	"GET": "getResourceHandler.func1", "POST": "createHandler.func1", "PUT": "UpdateResource.func1",
	"PATCH": "PatchResource.func1", "DELETE": "DeleteResource.func1",
}

// checkOwn checks that a trace belongs to one request of useObject and to no other.
func checkOwn(t *testing.T, r *trace.Request, sent sentObject, namespace string) {
	t.Helper()
	own := "/registry/configmaps/" + namespace + "/" + sent.object
	handlers := map[string]int{}
	processes := map[string]int{} // the number of calls with the key own, by program
	for _, c := range r.Calls {
		if strings.HasPrefix(c.Function, "k8s.io/apiserver/pkg/endpoints/handlers.") {
			handlers[path.Base(c.Function)]++
		}
		key := c.Attributes["apitrace.etcd.key"]
		if strings.Contains(key, "/configmaps/") && key != own {
			t.Errorf("%s %s: its trace has %s of the key %q, want only %q", r.Method, r.Path, c.Function, key, own)
		}
		if key == own {
			processes[c.Process]++
		}
	}
	for method, handler := range handlerOf {
		want := 0
		if method == r.Method {
			want = 1
		}
		if n := handlers["handlers."+handler]; n != want {
			t.Errorf("%s %s: its trace has %s %d times, want %d", r.Method, r.Path, handler, n, want)
		}
	}
	if processes["kube-apiserver"] == 0 || processes["etcd"] == 0 {
		t.Errorf("%s %s: calls with the key %q by process: %v, want some in both programs", r.Method, r.Path, own, processes)
	}
}

// collectTree fetches the trace of a request. It checks that the trace is complete and
// has one root.
func collectTree(t *testing.T, s *apiserver.Server, sent sentObject) *trace.Request {
	t.Helper()
	r, _, err := collect.Request(t.Context(), s.ProbeSockets, sent.Sent)
	if err != nil {
		t.Error(err)
		return nil
	}
	if len(r.Incomplete) > 0 {
		t.Errorf("%s %s: the trace is incomplete: %q", r.Method, r.Path, r.Incomplete)
	}
	roots := 0
	for _, c := range r.Calls {
		if c.Parent == "" {
			roots++
		}
	}
	if roots != 1 {
		t.Errorf("%s %s: the trace has %d roots, want one tree", r.Method, r.Path, roots)
	}
	return r
}

// A sentObject is a request that a client sent, and the name of its object. The path of
// a creation lacks the name, so the context of the request has it under objectKey.
type sentObject struct {
	trace.Sent
	object string
}

type objectKey struct{}

// A tracer asks for a trace of every request of a client, and keeps a list of the
// requests.
type tracer struct {
	next http.RoundTripper
	mu   sync.Mutex
	sent []sentObject
}

// RoundTrip implements http.RoundTripper.
func (tr *tracer) RoundTrip(req *http.Request) (*http.Response, error) {
	id := hexID(16)
	req = req.Clone(req.Context())
	req.Header.Set("Traceparent", "00-"+id+"-"+hexID(8)+"-01")
	resp, err := tr.next.RoundTrip(req)
	sent := sentObject{Sent: trace.Sent{TraceID: id, Method: req.Method, Path: req.URL.RequestURI()}}
	sent.object, _ = req.Context().Value(objectKey{}).(string)
	if err == nil {
		sent.Status = resp.StatusCode
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.sent = append(tr.sent, sent)
	return resp, err
}

func (tr *tracer) all() []sentObject {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.sent)
}

// tracedClient returns a client that asks for a trace of each request, and the tracer that
// lists these requests.
func tracedClient(t *testing.T, s *apiserver.Server) (kubernetes.Interface, *tracer) {
	t.Helper()
	sent := &tracer{}
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:            s.BaseURL,
		BearerToken:     s.AdminToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: s.CAPEM},
		QPS:             -1, // no limit
		WrapTransport: func(next http.RoundTripper) http.RoundTripper {
			sent.next = next
			return sent
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, sent
}
