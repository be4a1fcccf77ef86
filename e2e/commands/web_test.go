package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// A webServer sends requests to the API of a running "apitrace web".
type webServer struct {
	testing.TB
	base, token string
	// answers has the bodies of all answers to ask so far.
	answers strings.Builder
}

func startWeb(m *machine) (*running, *webServer) {
	m.Helper()
	r := m.start("web", "--no-open")
	base, token, ok := strings.Cut(r.line, "/?token=")
	if !ok {
		m.Fatalf("the address is %q, expected one with a token", r.line)
	}
	return r, &webServer{TB: m, base: base + web.Base, token: token}
}

func (w *webServer) open(ctx context.Context, method, path, body string) *http.Response {
	w.Helper()
	request, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	return response
}

// ask sends a request and decodes the answer. The answer must have status 200.
func ask[A any](w *webServer, method, path, body string) (answer A) {
	w.Helper()
	response := w.open(w.Context(), method, path, body)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		w.Fatalf("%s %s: got %s: %s and the error %v, expected 200", method, path, response.Status, text, err)
	}
	w.answers.Write(text)
	if err := json.Unmarshal(text, &answer); err != nil {
		w.Fatal(err)
	}
	return answer
}

// listen reads the events of the server until leave is called.
func (w *webServer) listen() (leave func()) {
	ctx, cancel := context.WithCancel(w.Context())
	response := w.open(ctx, "GET", "/live/events", "")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		}
	}()
	return func() { cancel(); <-ended; response.Body.Close() }
}

// ready starts a server, waits until it is ready, and returns its entry.
func (w *webServer) ready() (server web.LiveServer) {
	w.Helper()
	ask[web.LiveServer](w, "POST", "/live/servers", `{"release":"latest"}`)
	testenv.Await(w, "the server is ready", func() bool {
		state := ask[web.LiveState](w, "GET", "/live", "")
		if len(state.Servers) != 1 || state.Servers[0].State == "failed" {
			w.Fatalf("the servers are %+v, expected one that has not failed", state.Servers)
		}
		server = state.Servers[0]
		return server.State == "ready"
	})
	return server
}

// TestWebLive starts a server, replays a scenario, sends a request, and lets a client
// send a request. Each request must have a trace. When nobody listens to the events any
// longer, the server must stop.
func TestWebLive(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, w := startWeb(m)
	leave := w.listen()
	defer leave()
	server := w.ready()

	replayed := ask[web.LiveTrace](w, "POST", "/live/servers/latest/replays", `{"scenario":"create-deployment"}`)
	if replayed.Status != http.StatusCreated || replayed.Calls < 1000 {
		t.Errorf("the replay is %+v, expected the status 201 and at least 1000 calls", replayed)
	}
	sent := ask[web.LiveTrace](w, "POST", "/live/servers/latest/requests", `{"method":"GET","path":"/api/v1/namespaces/kube-system/secrets","as":"learner"}`)
	if sent.Status != http.StatusForbidden || len(sent.Notices) == 0 {
		t.Errorf("the request is %+v, expected the status 403 and a notice", sent)
	}

	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), "kube-system", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	var traces []web.LiveTrace
	testenv.Await(t, "the list of traces has the request of the client", func() bool {
		traces = ask[web.LiveState](w, "GET", "/live", "").Traces
		return len(traces) == 3
	})
	if traces[0].Kind != "client" || traces[0].Title != "GET /api/v1/namespaces/kube-system" || traces[0].Etcd != "Range" {
		t.Errorf("the first trace is %+v, expected the request of the client", traces[0])
	}
	for _, trace := range traces {
		calls := ask[web.CallTable](w, "GET", "/releases/live/scenarios/"+trace.ID+"/requests/1/calls", "")
		if first := calls.Same[0].Name; len(calls.Of) < 100 || first != "server.(*APIServerHandler).ServeHTTP" {
			t.Errorf("%s: %d calls, the first is %s; expected at least 100 calls, and ServeHTTP first", trace.Title, len(calls.Of), first)
		}
		ask[map[string]any](w, "GET", "/releases/live/scenarios/"+trace.ID+"/requests/1/view", "")
		ask[map[string]any](w, "GET", "/releases/live/scenarios/"+trace.ID+"/export", "")
	}
	if secret := config.BearerToken; secret == "" || strings.Contains(w.answers.String(), secret) {
		t.Errorf("expected a token of the client, and no answer with this token: %q", secret)
	}
	for _, file := range filesNamed(t, filepath.Dir(filepath.Dir(server.Kubeconfig)), "token") {
		for line := range strings.Lines(file) {
			if token, _, _ := strings.Cut(line, ","); strings.Contains(w.answers.String(), token) {
				t.Errorf("the answers have a token of the server: %s", line)
			}
		}
	}

	leave()
	testenv.Await(t, "the server is gone", func() bool {
		_, err := os.Stat(server.Kubeconfig)
		return os.IsNotExist(err) && len(ask[web.LiveState](w, "GET", "/live", "").Servers) == 0 && len(serversIn(t, m.tmp)) == 0
	})
	if len(ask[web.LiveState](w, "GET", "/live", "").Traces) != 3 {
		t.Error("expected 3 traces after the server has stopped")
	}
}

// filesNamed returns the texts of the files below a folder that have part in their
// name.
func filesNamed(t *testing.T, folder, part string) (texts []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(entry.Name(), part) {
			return nil // another user's folder
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	if err != nil || len(texts) == 0 {
		t.Fatalf("no file with %q in its name below %s: %v", part, folder, err)
	}
	return texts
}

// TestWebKilled kills the command while a server runs, and checks that nothing is left
// of it.
func TestWebKilled(t *testing.T) {
	t.Parallel()
	endWeb(t, func(r *running) {
		if err := syscall.Kill(r.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWebInterrupted ends the command with Ctrl-C while a server runs.
func TestWebInterrupted(t *testing.T) {
	t.Parallel()
	endWeb(t, func(r *running) {
		if r.end(); r.status != 0 {
			t.Errorf("after Ctrl-C, web ended with exit status %d, expected 0", r.status)
		}
	})
}

func endWeb(t *testing.T, end func(*running)) {
	m := newMachine(t)
	r, w := startWeb(m)
	leave := w.listen()
	w.ready()
	if len(serversIn(t, m.tmp)) < 2 {
		t.Fatalf("the servers are %v, expected etcd and kube-apiserver", serversIn(t, m.tmp))
	}
	end(r)
	leave()
	testenv.Await(t, "nothing is left in "+m.tmp, func() bool {
		left, err := os.ReadDir(m.tmp)
		return err == nil && len(left) == 0 && len(serversIn(t, m.tmp)) == 0
	})
}

// TestWebJudgesALiveExercise gives a wrong and a right answer to an exercise that asks
// for a request. The page must be able to show the trace of the request that decided.
func TestWebJudgesALiveExercise(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, w := startWeb(m)
	const path = "/workshop/exercises/known-path-wrong-method"
	reply := ask[web.ExerciseReply](w, "POST", path+"/answers", `{"request":{"method":"GET","path":"/api/v1/nodes/n1"}}`)
	if reply.Passed || reply.Text == "" || reply.Exercise.Tries != 1 {
		t.Errorf("the reply to a wrong answer is %+v, expected a text and one try", reply)
	}
	reply = ask[web.ExerciseReply](w, "POST", path+"/answers",
		`{"request":{"method":"POST","path":"/api/v1/nodes/n1","body":"{apiVersion: v1, kind: Node, metadata: {name: n1}}"}}`)
	if !reply.Passed || !reply.Exercise.Passed || reply.Exercise.Debrief == "" {
		t.Errorf("the reply to the right answer is %+v, expected that the exercise is passed", reply)
	}
	calls := ask[web.CallTable](w, "GET", "/releases/live/scenarios/"+reply.Trace+"/requests/1/calls", "")
	if !slices.ContainsFunc(calls.Same, func(k web.CallKind) bool { return strings.Contains(k.Function, "SelectRoute") }) {
		t.Error("the trace of the right answer has no call of SelectRoute")
	}
	if out, notices, _ := m.run("workshop"); !strings.Contains(out, "✓  1.9") {
		t.Errorf("\"apitrace workshop\" does not list the exercise as passed:\n%s%s", out, notices)
	}
}
