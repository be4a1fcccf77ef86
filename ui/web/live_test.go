package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// A fakeEngine starts fake servers, which answer with
// recordings. The end-to-end tests use real servers.
type fakeEngine struct {
	// hold, if not nil, delays starts and replays until it is closed.
	hold chan struct{}
	// fail, if not nil, is the error of each start.
	fail error
	// say, if not empty, is the format of a
	// notice of each start. Its argument is 42.
	say string

	mu      sync.Mutex
	started []*fakeServer
}

type fakeServer struct {
	release string
	live    session.LiveOptions
	engine  *fakeEngine
	done    chan struct{}
	close   func() error
}

func (e *fakeEngine) Releases(context.Context) ([]web.Buildable, error) {
	return []web.Buildable{{K8sVersion: "v1.37.1", Built: true}, {K8sVersion: "v1.36.3"}}, nil
}

func (e *fakeEngine) Start(ctx context.Context, release string, live session.LiveOptions, to session.Reporter) (web.Server, error) {
	build := to.Building()
	build.Report(program.Event{Program: "kube-apiserver " + release, Stage: program.StageCompile, Done: 7, Total: 70, Note: message.Of("built <b>for</b> the first time")})
	if e.say != "" {
		to.Notice(e.say, "42")
	}
	if err := e.wait(ctx); err != nil {
		return nil, err
	}
	build.Close()
	if e.fail != nil {
		return nil, e.fail
	}
	s := &fakeServer{release: release, live: live, engine: e, done: make(chan struct{})}
	s.close = sync.OnceValue(func() error { close(s.done); return nil })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.started = append(e.started, s)
	return s, nil
}

func (e *fakeEngine) wait(ctx context.Context) error {
	if e.hold == nil {
		return nil
	}
	select {
	case <-e.hold:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// server returns the most recently started server.
func (e *fakeEngine) server(t *testing.T) *fakeServer {
	t.Helper()
	var last *fakeServer
	testenv.Await(t, "a server is started", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		if n := len(e.started); n > 0 {
			last = e.started[n-1]
		}
		return last != nil
	})
	return last
}

func (s *fakeServer) Release() string       { return s.release }
func (s *fakeServer) Own() bool             { return true }
func (s *fakeServer) Environment() []string { return []string{"KUBECONFIG=/run/fake/kubeconfig"} }
func (s *fakeServer) Done() <-chan struct{} { return s.done }
func (s *fakeServer) Death() error          { return nil }
func (s *fakeServer) Close() error          { return s.close() }

func (s *fakeServer) Replay(ctx context.Context, scenario *scenarios.Scenario, to session.Reporter, deliver func(*trace.Recording) error) error {
	if err := s.engine.wait(ctx); err != nil {
		return err
	}
	rec, err := recordings.Load(s.release, scenario.Name)
	if err != nil {
		return err
	}
	return deliver(rec)
}

func (s *fakeServer) Request(ctx context.Context, h *scenarios.HTTP, _ time.Duration, to session.Reporter) (*trace.Recording, *session.Answer, error) {
	rec, err := recordings.Load(s.release, "get-node")
	if err != nil {
		return nil, nil, err
	}
	own := *rec
	own.Scenario, own.Requests = "request", []trace.Request{rec.Requests[0]}
	own.Requests[0].Method, own.Requests[0].Path = h.Method, h.Path
	to.Notice("the answer: %s", "as "+h.As)
	answer := &session.Answer{Type: "application/json", Body: []byte(`{"kind":"Node","note":"<b>"}`)}
	if strings.Contains(h.Path, "/secrets") {
		answer = &session.Answer{Type: "application/json", Hidden: true}
	}
	return &own, answer, nil
}

// client simulates a request of a client.
func (s *fakeServer) client(t *testing.T, path string) {
	t.Helper()
	rec, _, err := s.Request(t.Context(), &scenarios.HTTP{Method: "GET", Path: path}, 0, noticeless{})
	if err != nil {
		t.Fatal(err)
	}
	s.live.Kept(session.Row{Method: "GET", Path: path, Status: 200, Duration: time.Millisecond, Etcd: map[string]int{"Range": 1}}, rec)
}

type noticeless struct{}

func (noticeless) Notice(string, ...any)           {}
func (noticeless) Building() session.BuildReporter { return buildless{} }

type buildless struct{}

func (buildless) Report(program.Event) {}
func (buildless) Close()               {}

// events reads the event stream of a listener.
type events struct {
	lines *bufio.Scanner
	leave func()
}

func listen(t *testing.T, address string) *events {
	t.Helper()
	return listenIn(t, address, "en")
}

// listenIn listens to the events in a language.
func listenIn(t *testing.T, address, lang string) *events {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+web.Base+"/live/events?lang="+lang, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("got the status %s and the type %s, expected a stream of events", response.Status, kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	leave := func() { cancel(); response.Body.Close() }
	t.Cleanup(leave)
	return &events{lines, leave}
}

// next returns the next event with its name.
func (e *events) next(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for e.lines.Scan() {
		if e.lines.Text() == "" {
			if strings.HasPrefix(text.String(), "event: ") {
				return text.String()
			}
			text.Reset() // a ping
			continue
		}
		text.WriteString(e.lines.Text() + "\n")
	}
	t.Fatalf("the stream has ended: %v", e.lines.Err())
	return ""
}

// until reads events up to the first one that contains want.
func (e *events) until(t *testing.T, want string) string {
	t.Helper()
	for range 200 {
		if event := e.next(t); strings.Contains(event, want) {
			return event
		}
	}
	t.Fatalf("no event has %q", want)
	return ""
}

// post sends a request with a body and checks the status
// of the answer. It returns the body of the answer.
func post(t *testing.T, address, body string, status int) string {
	t.Helper()
	response, answer := sendBody(t, http.MethodPost, address, body, nil)
	if response.StatusCode != status {
		t.Fatalf("POST %s: %s, expected %d: %s", address, response.Status, status, answer)
	}
	return string(answer)
}

// TestReplayIsSummarized replays a scenario. The duration must
// be the time of its requests, without their preparation. The
// summary must also have the etcd operations.
func TestReplayIsSummarized(t *testing.T) {
	address := start(t, web.Options{Engine: &fakeEngine{}})
	events := listen(t, address)
	post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
	events.until(t, `"state":"ready"`)
	rec, err := recordings.Load("v1.37.1", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	kept := decode[web.LiveTrace](t, post(t, address+web.Base+"/live/servers/1.37/replays", `{"scenario":"create-deployment"}`, 200))
	if kept.Etcd != "Txn" || kept.DurationNs != rec.Requests[0].Calls[0].DurationNs {
		t.Errorf("the replay is %+v, expected the etcd operation Txn and the duration of the request", kept)
	}
}

// TestEventsTellOfAServer follows a server from its build to its end.
func TestEventsTellOfAServer(t *testing.T) {
	engine := &fakeEngine{hold: make(chan struct{})}
	address := start(t, web.Options{Engine: engine})
	events := listen(t, address)
	post(t, address+web.Base+"/live/servers", `{"release":"1.37","as":"learner"}`, 200)
	events.until(t, `"stage":"compile","done":7,"total":70`)
	post(t, address+web.Base+"/live/servers/1.37/replays", `{"scenario":"get-node"}`, 409)
	close(engine.hold)
	if event := events.until(t, `"state":"ready"`); !strings.Contains(event, `"kubeconfig":"/run/fake/kubeconfig"`) || strings.Contains(event, "progress") {
		t.Errorf("the event of a ready server is %s, expected a kubeconfig and no progress", event)
	}
	server := engine.server(t)
	if server.live.As != "learner" {
		t.Errorf("the user of clients is %q, expected learner", server.live.As)
	}
	server.client(t, "/api/v1/pods?limit=500")
	events.until(t, `"title":"GET /api/v1/pods?limit=500"`)
	server.live.Untraced(session.Row{Method: "GET", Path: "/healthz", Err: fmt.Errorf("no calls")})
	events.until(t, `"error":"no calls"`)
	if _, body := get(t, address+web.Base+"/releases/live/scenarios/2"); !strings.Contains(string(body), "no calls") {
		t.Errorf("the recording of a request without a trace: got %s, expected the reason", body)
	}
	if _, body := get(t, address+web.Base+"/releases/live/scenarios/1/export"); !strings.Contains(string(body), `"path": "/api/v1/pods?limit=500"`) {
		t.Errorf("the exported recording is %.300s, expected the request of the client", body)
	}
	sendBody(t, http.MethodDelete, address+web.Base+"/live/servers/1.37", "", nil)
	events.until(t, `data: []`)
	select {
	case <-server.done:
	default:
		t.Error("the server still runs after it was stopped")
	}
}

// TestNoticesAreInTheReadersLanguage makes a server send
// a notice and fail, with listeners in both languages.
func TestNoticesAreInTheReadersLanguage(t *testing.T) {
	engine := &fakeEngine{say: "the answer: %s", fail: message.Errorf("unknown user %q", "eve")}
	address := start(t, web.Options{Engine: engine})
	english, chinese := listenIn(t, address, "en"), listenIn(t, address, "zh")
	post(t, address+web.Base+"/live/servers?lang=zh", `{"release":"1.37"}`, 200)
	english.until(t, `"the answer: 42"`)
	english.until(t, `"error":"unknown user \"eve\""`)
	chinese.until(t, `"答案：42"`)
	chinese.until(t, `"error":"未知用户 \"eve\""`)
	if _, body := get(t, address+web.Base+"/live?lang=zh"); !strings.Contains(string(body), `"error":"未知用户`) {
		t.Errorf("the state in Chinese is %s, expected the error in Chinese", body)
	}
	engine.fail = nil
	post(t, address+web.Base+"/live/servers?lang=zh", `{"release":"1.37"}`, 200)
	chinese.until(t, `"state":"ready"`)
	if answer := post(t, address+web.Base+"/live/servers/1.37/requests?lang=zh", `{"method":"GET","path":"/x"}`, 200); !strings.Contains(answer, `"答案：as admin"`) {
		t.Errorf("the answer to a request is %s, expected the notice in Chinese", answer)
	}
	chinese.until(t, `"答案：as admin"`)
	english.until(t, `"the answer: as admin"`)
}

// TestNothingRunsOnWhenNobodyListens disconnects all listeners while a server
// starts, and while a server runs. In the last case, nobody has listened. The
// server must stop each time.
func TestNothingRunsOnWhenNobodyListens(t *testing.T) {
	for _, name := range []string{"starting", "ready", "nobody has listened"} {
		t.Run(name, func(t *testing.T) {
			const grace = 100 * time.Millisecond
			engine := &fakeEngine{}
			if name == "starting" {
				engine.hold = make(chan struct{})
			}
			address := start(t, web.Options{Engine: engine, Grace: grace})
			var first *events
			if name != "nobody has listened" {
				first = listen(t, address)
			}
			post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
			if first != nil {
				first.until(t, `"state":"`+name+`"`)
				second := listen(t, address) // the page is reloaded
				second.next(t)
				first.leave()
				time.Sleep(3 * grace) // a server that ignored the second listener would stop in this time
				if len(liveState(t, address).Servers) != 1 {
					t.Fatal("the server has ended, although somebody listens")
				}
				second.leave()
			}
			testenv.Await(t, "the server is gone", func() bool { return len(liveState(t, address).Servers) == 0 })
			if name != "starting" {
				<-engine.server(t).done
			}
		})
	}
}

func liveState(t *testing.T, address string) (state web.LiveState) {
	t.Helper()
	_, body := get(t, address+web.Base+"/live")
	if err := json.Unmarshal(body, &state); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return state
}

// TestServersEndWithServe stops the web server while a live server runs.
func TestServersEndWithServe(t *testing.T) {
	engine := &fakeEngine{}
	t.Run("", func(t *testing.T) {
		address := start(t, web.Options{Engine: engine})
		listen(t, address)
		post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
		engine.server(t)
	})
	select {
	case <-engine.started[0].done:
	default:
		t.Error("the live server still runs after the web server has ended")
	}
}

// TestWhoHangsUpCancelsAReplay checks that a
// replay ends when its client disconnects.
func TestWhoHangsUpCancelsAReplay(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine})
	events := listen(t, address)
	post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
	events.until(t, `"state":"ready"`)
	engine.server(t).engine.hold = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, address+web.Base+"/live/servers/1.37/replays", strings.NewReader(`{"scenario":"get-node"}`))
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	}()
	events.until(t, `"busy":"get-node"`)
	post(t, address+web.Base+"/live/servers/1.37/replays", `{"scenario":"get-node"}`, 409)
	cancel()
	<-ended
	events.until(t, `"busy":""`)
	if traces := liveState(t, address).Traces; len(traces) != 0 {
		t.Errorf("a cancelled replay left the recordings %v", traces)
	}
}

// TestServersAreBounded starts more servers than may run, and a server that fails.
func TestServersAreBounded(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine})
	events := listen(t, address)
	post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
	post(t, address+web.Base+"/live/servers", `{"release":"1.36"}`, 200)
	if answer := post(t, address+web.Base+"/live/servers", `{"release":"1.35"}`, 409); !strings.Contains(answer, "stop one of them") {
		t.Error(answer)
	}
	send(t, http.MethodDelete, address+web.Base+"/live/servers/1.36", nil)
	testenv.Await(t, "one server is gone", func() bool { return len(liveState(t, address).Servers) == 1 })
	engine.fail = fmt.Errorf("no room on the disk")
	post(t, address+web.Base+"/live/servers", `{"release":"1.36"}`, 200)
	events.until(t, `"error":"no room on the disk"`)
	engine.fail = nil
	post(t, address+web.Base+"/live/servers", `{"release":"1.36"}`, 200)
	testenv.Await(t, "the second start succeeds", func() bool {
		state := liveState(t, address)
		return len(state.Servers) == 2 && state.Servers[1].State == "ready"
	})
}

// TestLiveRecordingsAreBounded sends more requests than
// are kept. Recordings that the user ordered must stay.
func TestLiveRecordingsAreBounded(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine})
	listen(t, address)
	post(t, address+web.Base+"/live/servers", `{"release":"1.37"}`, 200)
	server := engine.server(t)
	testenv.Await(t, "the server is ready", func() bool { return liveState(t, address).Servers[0].State == "ready" })
	post(t, address+web.Base+"/live/servers/1.37/requests", `{"method":"GET","path":"/mine"}`, 200)
	for i := range 230 {
		server.client(t, fmt.Sprintf("/api/%d", i))
	}
	traces := liveState(t, address).Traces
	if len(traces) != 200 || traces[0].Title != "GET /api/229" || traces[199].Title != "GET /mine" {
		t.Errorf("got %d live recordings, from %q to %q, expected 200, from GET /api/229 to GET /mine", len(traces), traces[0].Title, traces[len(traces)-1].Title)
	}
	if response, _ := get(t, address+web.Base+"/releases/live/scenarios/2"); response.StatusCode != http.StatusNotFound {
		t.Errorf("the recording of the oldest request of a client: got the status %s, expected 404", response.Status)
	}
}
