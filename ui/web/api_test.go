package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

const token = "the-token-of-the-test"

// start starts a server that serves until the
// test ends. It returns the server's address.
func start(t testing.TB, o web.Options) string {
	t.Helper()
	if o.Source == nil {
		o.Source = fakeSource(t)
	}
	if _, isTest := t.(*testing.T); isTest && o.Answers == nil {
		o.Answers = answers(t)
	}
	t.Setenv(program.StateEnv, t.TempDir())
	address, end, err := serve(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("the server ended with the error %v", err)
		}
	})
	return address
}

// served returns the address of a server that tests share.
// A test with this server must not change it: it must not
// start live servers, upload recordings, or do exercises.
func served(t testing.TB) string {
	t.Helper()
	source, answers := fakeSource(t), answers(t)
	common.Lock()
	defer common.Unlock()
	if common.server == "" {
		address, end, err := serve(web.Options{Source: source, Answers: answers})
		if err != nil {
			t.Fatal(err)
		}
		common.server, common.ends = address, append(common.ends, end)
	}
	return common.server
}

// answers returns the store for answers that take
// long to compute. The servers of all tests share it.
func answers(t testing.TB) *program.Answers {
	t.Helper()
	cache, err := program.OpenCache(filepath.Join(common.folder, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return cache.Answers()
}

// serve starts a server and returns its address. end stops the server.
func serve(o web.Options) (address string, end func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	o.Token, o.Version = token, "test"
	switch o.Engine.(type) {
	case nil:
		o.Engine = &fakeEngine{}
	case realEngine:
		o.Engine = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, listener, o) }()
	end = func() error {
		cancel()
		return <-ended
	}
	return "http://" + listener.Addr().String(), end, nil
}

// get sends a GET request with the token.
func get(t testing.TB, address string) (*http.Response, []byte) {
	t.Helper()
	return send(t, http.MethodGet, address, nil)
}

func send(t testing.TB, method, address string, edit func(*http.Request)) (*http.Response, []byte) {
	t.Helper()
	return sendBody(t, method, address, "", edit)
}

// sendBody sends a request with a JSON body and the token. "" means no body.
func sendBody(t testing.TB, method, address, body string, edit func(*http.Request)) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if edit != nil {
		edit(request)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, answer, err := answerTo(client, request)
	if err != nil {
		t.Fatal(err)
	}
	return response, answer
}

// answerTo sends a request and reads the whole answer.
func answerTo(client *http.Client, request *http.Request) (*http.Response, []byte, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

// fakeSource returns generated source files. In them, the function that
// reads a node from etcd begins at its upstream line. Tests share the files.
func fakeSource(t testing.TB) web.SourceFolder {
	t.Helper()
	folder := filepath.Join(common.folder, "source")
	common.Lock()
	defer common.Unlock()
	if _, err := os.Stat(folder); err != nil {
		writeFakeSource(t, folder)
	}
	return func(process, k8sVersion string) (string, error) {
		if process != trace.ProcessAPIServer || k8sVersion != "v1.37.1" {
			return "", fmt.Errorf("there is none")
		}
		return folder, nil
	}
}

func writeFakeSource(t testing.TB, folder string) {
	t.Helper()
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	calls := rec.Requests[0].Calls
	at := callOf(t, rec, storeGet)
	text := "// Copyright <i>\n\n// Package etcd3 <img src=x onerror=alert(1)>\npackage etcd3\n"
	text += strings.Repeat("\n", calls[at].Line-strings.Count(text, "\n")-2)
	text += "// Get gets \"<b>\".\nfunc (s *store) Get() error {\n" + strings.Repeat("\ts.work(42) // <i>\n", 60) + "\treturn nil // " + strings.Repeat("a long line ", 40) + "\n}\n\ntype store struct{}\n"
	file := filepath.Join(folder, filepath.FromSlash(calls[at].File))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "k8s.io", "apiserver", "LICENSE"), []byte("Do <b>no</b> harm."), 0o644); err != nil {
		t.Fatal(err)
	}
}

const storeGet = "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get"

// callOf returns the number of the first call of a function in the first request.
func callOf(t testing.TB, rec *trace.Recording, function string) int {
	t.Helper()
	for i, c := range rec.Requests[0].Calls {
		if c.Function == function {
			return i
		}
	}
	t.Fatalf("the first request has no call of %s", function)
	return 0
}

// callsOf returns the number of calls in the first
// request of a scenario, recorded with v1.37.1.
func callsOf(t testing.TB, scenario string) int {
	t.Helper()
	rec, err := recordings.Load("v1.37.1", scenario)
	if err != nil {
		t.Fatal(err)
	}
	return len(rec.Requests[0].Calls)
}

// openAPI returns the document that a server serves, and a
// router for it. The document is validated with kin-openapi.
func openAPI(t *testing.T, address string) (*openapi3.T, routers.Router) {
	t.Helper()
	response, body := get(t, address+web.OpenAPIPath)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the OpenAPI document: got the status %s: %s", response.Status, body)
	}
	var v2 openapi2.T
	if err := json.Unmarshal(body, &v2); err != nil {
		t.Fatal(err)
	}
	doc, err := openapi2conv.ToV3(&v2)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("the OpenAPI document is not valid: %v", err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, router
}

// TestEveryRouteIsAsDescribed calls each route with valid and invalid
// input. It checks requests and answers against the OpenAPI document.
func TestEveryRouteIsAsDescribed(t *testing.T) {
	address := start(t, web.Options{FetchSource: func(context.Context, string, string, program.Progress) error { return nil }})
	doc, router := openAPI(t, address)
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	const recording = web.Base + "/releases/1.37/scenarios/get-node"
	const request = recording + "/requests/1"
	store := fmt.Sprintf("%s/calls/%d", request, callOf(t, rec, storeGet))
	calls := callsOf(t, "get-node")
	beyond := fmt.Sprintf("%s/calls/%d", request, calls)
	const diffed = web.Base + "/diff/tree?scenario=get-node&from=1.30&to=1.37"
	called := map[string]map[int]bool{} // by path in the document
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{web.Base + "/releases", 200, `"k8sVersion":"v1.37.1"`},
		{web.Base + "/releases?x=1", 400, `leave it out`},
		{web.Base + "/scenarios", 200, `"name":"get-node"`},
		{web.Base + "/scenarios?lang=zh", 200, `读取`},
		{web.Base + "/scenarios?lang=de", 400, `expected one of en, zh`},
		{web.Base + "/scenarios?lnag=zh", 400, `did you mean \"lang\"?`},
		{web.Base + "/scenarios?lang=zh&lang=en", 400, `2 times`},
		{recording, 200, `"method":"GET"`},
		{web.Base + "/releases/latest/scenarios/boot", 200, `"method":"START"`},
		{web.Base + "/releases/1.3/scenarios/get-node", 404, `lists the releases`},
		{web.Base + "/releases/1.37/scenarios/get-nodes", 404, `lists the scenarios`},
		{recording + "/export", 200, `"durationNs"`},
		{web.Base + "/releases/1.37/scenarios/get-nodes/export", 404, `lists the scenarios`},
		{request + "/view", 200, `the caller is learner`},
		{request + "/view?lang=zh&show=upstream", 200, `认证`},
		{request + "/view?show=x", 400, `expected one of path, upstream`},
		{recording + "/requests/2/view", 404, `the recording has 1`},
		{recording + "/requests/x/view", 400, `whole number`},
		{request + "/calls", 200, `"callerLine":[`},
		{recording + "/requests/2/calls", 404, `the recording has 1`},
		{store + "/source", 200, `"kind":"keyword"`},
		{request + "/calls/x/source", 400, `whole number`},
		{request + "/calls/0/source", 200, `"missing":"source of`},
		{beyond + "/source", 404, fmt.Sprintf(`the request has %d`, calls)},
		{web.Base + "/releases/1.30/scenarios/get-node/requests/1/calls/0/source", 200, `fetches it`},
		{request + "/layers?lang=zh", 200, `"title":"身份认证"`},
		{recording + "/requests/7/layers", 404, `the recording has 1`},
		{web.Base + "/releases/1.37/source?function=" + storeGet, 200, `"kind":"keyword"`},
		{web.Base + "/releases/1.37/source?function=" + storeGet + "&scenario=get-node", 200, `"count":1`},
		{web.Base + "/releases/1.37/source?function=Get", 400, `full name`},
		{web.Base + "/releases/1.37/source?function=stroe.Get", 404, `finds functions`},
		{web.Base + "/releases/1.37/source", 400, `\"function\" is missing`},
		{web.Base + "/releases/1.37/function?function=" + storeGet, 200, `"scenario":"get-node","request":1`},
		{web.Base + "/releases/1.37/function?function=Get", 400, `full name`},
		{web.Base + "/releases/1.37/function?function=stroe.Get", 404, `finds functions`},
		{web.Base + "/releases/latest/function?function=go.etcd.io/etcd/mvcc.(*keyIndex).Less", 200, `"k8sVersion"`},
		{web.Base + "/history/function?function=" + storeGet, 200, `"place":"store.go:`},
		{web.Base + "/history/function?function=Get", 400, `full name`},
		{web.Base + "/history/function?function=stroe.Get", 404, `finds functions`},
		{web.Base + "/releases/1.37/type?name=etcd3.store", 200, `"name":"etcd3.(*store).Get"`},
		{web.Base + "/releases/1.37/type?name=etcd3.store&lang=zh", 200, `场景`},
		{web.Base + "/releases/1.37/type?name=rest.Getter", 404, `source of k8s.io/apiserver/pkg/registry/rest.Getter`},
		{web.Base + "/releases/1.37/type?name=rest.Exporter", 404, `v1.21.14`},
		{web.Base + "/releases/1.37/type?name=rest.Gettr", 404, `no function`},
		{web.Base + "/releases/1.37/type?name=Options", 400, `full name`},
		{web.Base + "/releases/1.36/type?name=rest.Getter", 404, `fetches it`},
		{web.Base + "/releases/1.37/type", 400, `\"name\" is missing`},
		{web.Base + "/releases/latest/gates/ConsistentListFromCache", 200, `"k8sVersion":"v1.36.3"`},
		{web.Base + "/releases/1.37/gates/ConsistentListFromCache", 200, `"lacks":true`},
		{web.Base + "/releases/1.31/gates/ConsistentListFromCache?lang=zh", 200, `"asks":[764]`},
		{web.Base + "/releases/1.31/gates/ConsistentList", 404, `no release has a feature gate`},
		{request + "/gates", 200, `"functions":["`},
		{recording + "/requests/2/gates", 404, `the recording has 1`},
		{web.Base + "/search?text=rbac.go:66&release=1.36", 200, `"k8sVersion":"v1.36.3"`},
		{web.Base + "/search?text=rbac.go:66&release=1.3", 404, `lists the releases`},
		{web.Base + "/search?text=corruptObjectDeleter&limit=2", 200, `"kind":"function"`},
		{web.Base + "/search?text=nosuchthingatall", 200, `"total":0`},
		{web.Base + "/search?text=master.Master", 200, `"now":"controlplane.Instance"`},
		{web.Base + "/search", 400, `\"text\" is missing`},
		{web.Base + "/diff?scenario=get-node&from=1.36&to=1.37", 200, `"sentences"`},
		{web.Base + "/diff?scenario=get-node&from=1.36", 400, `\"to\" is missing`},
		{web.Base + "/diff?scenario=get-nodes&from=1.36&to=1.37", 404, `lists the scenarios`},
		{diffed, 200, `"change":"added"`},
		{diffed + "&show=all&layer=etcd3&lang=zh", 200, `"layer":"etcd3"`},
		{diffed + "&layer=x", 404, `there is no layer`},
		{diffed + "&request=2", 404, `both sides together have 1`},
		{diffed + "&request=0", 400, `at least 1`},
		{diffed + "&show=x", 400, `expected one of telling, all`},
		{web.Base + "/diff/tree?scenario=get-node&from=1.3&to=1.37", 404, `lists the releases`},
		{web.Base + "/diff/tree?scenario=boot&from=1.36&to=1.37", 200, `"tooMany":`},
		{web.Base + "/diff/tree?scenario=boot&from=1.36&to=1.37&show=all", 200, `"tooMany":`},
		{web.Base + "/diff/source?scenario=get-node&from=1.36&to=1.37&call=0", 200, `fetches it`},
		{web.Base + "/diff/source?scenario=get-node&from=1.36&to=1.37&call=100000", 404, `the tree of both sides has`},
		{web.Base + "/diff/source?scenario=get-node&from=1.36&to=1.37", 400, `\"call\" is missing`},
		{web.Base + "/compare?release=1.37&from=get-node&to=get-node-cached", 200, `"scenario":"get-node-cached"`},
		{web.Base + "/compare?release=1.37&from=get-node&to=get-nodes", 404, `lists the scenarios`},
		{web.Base + "/compare/tree?release=1.37&from=get-node&to=get-node-cached", 200, `in get-node-cached`},
		{web.Base + "/compare/tree?release=1.37&from=get-node", 400, `\"to\" is missing`},
		{web.Base + "/compare/source?release=1.37&from=get-node&to=get-node-cached&call=3", 200, `"hunks":[]`},
		{web.Base + "/compare/source?release=1.37&from=get-node&to=get-node-cached&call=x", 400, `whole number`},
		{web.Base + "/history?scenario=get-node", 200, `"since":"v1.36`},
		{web.Base + "/history?scenario=get-nodes", 404, `lists the scenarios`},
		{web.Base + "/history", 400, `\"scenario\" is missing`},
		{request + "/map", 200, `"station":"kube-apiserver/kube-apiserver/handler"`},
		{recording + "/story", 200, `"lines":[]`},
		{recording + "/story?lang=de", 400, `expected one of en, zh`},
		{web.Base + "/releases/latest/scenarios/deployment-to-pod/story", 200, `"actor":"scheduler","text":"1 of 1 nodes can run the pod; selects n1"`},
		{request + "/map?lang=de", 400, `expected one of en, zh`},
		{web.Base + "/releases/1.37/routes", 200, `"groupVersion":"apps/v1"`},
		{web.Base + "/releases/1.3/routes", 404, `lists the releases`},
		{web.Base + "/live", 200, `"graceSeconds":`},
		{web.Base + "/live?x=1", 400, `expected one of lang`},
		{web.Base + "/live/events?x=1", 400, `expected one of lang`},
		{"POST " + web.Base + `/live/servers {"release":"1.37"}`, 200, `"state":"starting"`},
		{"POST " + web.Base + `/live/servers {"release":"1.37"}`, 409, `already`},
		{"POST " + web.Base + `/live/servers {"release":"1.3"}`, 400, `lists the releases`},
		{"POST " + web.Base + `/live/servers {"release":"1.37","as":"stranger"}`, 400, `unknown user`},
		{"POST " + web.Base + `/live/servers {"version":"1.37"}`, 400, `unknown field`},
		{"POST " + web.Base + `/live/servers {"release":"1.37"}{}`, 400, `unexpected data after`},
		{"POST " + web.Base + `/live/servers/1.37/replays {"scenario":"get-node"}`, 200, `"kind":"replay"`},
		{"POST " + web.Base + `/live/servers/1.37/replays {"scenario":"get-nodes"}`, 400, `lists the scenarios`},
		{"POST " + web.Base + `/live/servers/1.37/replays {"scenario":"./mine.yaml"}`, 400, `not the name of a scenario`},
		{"POST " + web.Base + `/live/servers/1.36/replays {"scenario":"get-node"}`, 404, `no server`},
		{"POST " + web.Base + `/live/servers/1.37/requests {"method":"get","path":"/api/v1/nodes/n1","as":"learner"}`, 200, `"title":"GET /api/v1/nodes/n1"`},
		{"POST " + web.Base + `/live/servers/1.37/requests {"method":"GET","path":"api"}`, 400, `begins with a slash`},
		{"POST " + web.Base + `/live/servers/1.37/requests {"method":"GET","path":"/","headers":["x"]}`, 400, `invalid header`},
		{"POST " + web.Base + `/live/servers/1.37/requests {"method":"GET","path":"/","timeoutSeconds":301}`, 400, `at most 300`},
		{web.Base + "/releases/live/scenarios/1", 200, `"method":"GET"`},
		{web.Base + "/releases/live/scenarios/2/requests/1/view", 200, `"request":"GET /api/v1/nodes/n1`},
		{web.Base + "/releases/live/scenarios/77", 404, `lists the live recordings`},
		{"DELETE " + web.Base + "/live/servers/1.37", 200, `"state":"stopping"`},
		{"DELETE " + web.Base + "/live/servers/1.36", 404, `no server`},
		{"POST " + web.Base + "/uploads?name=a.json " + handmade(t), 200, `"kind":"upload"`},
		{"POST " + web.Base + `/uploads?name=a.json {"a":1}`, 400, `choose a file`},
		{web.Base + "/guide", 200, `"layer":"authentication"`},
		{web.Base + "/guide?lang=zh", 200, `"title":"身份认证"`},
		{web.Base + "/guide?lang=de", 400, `expected one of en, zh`},
		{web.Base + "/workshop/lessons", 200, `"name":"03-get"`},
		{web.Base + "/workshop/lessons?lang=de", 400, `expected one of en, zh`},
		{web.Base + "/workshop", 200, `"number":"3.2"`},
		{web.Base + "/workshop?lang=zh", 200, `找函数`},
		{web.Base + "/workshop?k8s=1.3", 400, `1.3`},
		{web.Base + "/workshop/exercises/0.1", 200, `"passed":false`},
		{web.Base + "/workshop/exercises/none", 404, `lists the exercises`},
		{"POST " + web.Base + `/workshop/exercises/0.1/actions {"did":"started"}`, 200, `"started":true`},
		{"POST " + web.Base + `/workshop/exercises/0.1/actions {"did":"passed"}`, 400, `expected started`},
		{"POST " + web.Base + `/workshop/exercises/0.1/answers {"text":"nothing.Like"}`, 200, `"passed":false`},
		{"POST " + web.Base + `/workshop/exercises/0.1/answers {"text":""}`, 400, `no answer`},
		{web.Base + "/workshop/lessons/03-get?lang=zh", 200, `<h1>`},
		{web.Base + "/workshop/lessons/none", 404, `lessons of its chapters`},
		{"POST " + web.Base + `/releases/1.37/sources {"process":"etcd"}`, 200, `{"done":true}`},
		{"POST " + web.Base + `/releases/1.37/sources {"process":"none"}`, 400, `expected one of`},
		{"POST " + web.Base + `/uploads {}`, 400, `\"name\" is missing`},
	} {
		method, path, isMethod := strings.Cut(test.path, " ")
		if !isMethod {
			method, path = http.MethodGet, test.path
		}
		path, sent, _ := strings.Cut(path, " ")
		if strings.HasSuffix(path, "/replays") {
			testenv.Await(t, "the server is ready", func() bool { return liveState(t, address).Servers[0].State == "ready" })
		}
		response, body := sendBody(t, method, address+strings.ReplaceAll(strings.ReplaceAll(path, "(", "%28"), ")", "%29"), sent, nil)
		if response.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: %s, expected %d with %q:\n%.600s", test.path, response.Status, test.status, test.want, body)
			continue
		}
		route := checkAnswer(t, router, response, body)
		if called[route] == nil {
			called[route] = map[int]bool{}
		}
		called[route][test.status/100] = true
		if test.status >= 400 {
			checkError(t, test.path, response, body)
		}
	}
	if first := firstEvent(t, address); !strings.Contains(first, "event: servers\ndata: [") {
		t.Errorf("the stream of events begins with %q, expected the servers", first)
	}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			is := called[method+" "+path]
			if !is[2] && path != web.Base+"/live/events" || !is[4] && (len(item.Get.Parameters) > 0 || method != http.MethodGet) {
				t.Errorf("%s %s was called with the outcomes %v, expected good and bad input", method, path, is)
			}
		}
	}
}

// firstEvent returns the first event of the stream.
func firstEvent(t *testing.T, address string) string {
	t.Helper()
	events := listen(t, address)
	defer events.leave()
	return events.next(t)
}

func init() {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", lastLine)
}

// lastLine decodes the last of several lines of JSON.
func lastLine(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	var last any
	for decoder := json.NewDecoder(body); ; {
		if err := decoder.Decode(&last); err == io.EOF {
			return last, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// checkAnswer checks an answer against the document. It
// returns the path of the answer's route in the document.
func checkAnswer(t *testing.T, router routers.Router, response *http.Response, body []byte) string {
	t.Helper()
	route, parameters, err := router.FindRoute(response.Request)
	if err != nil {
		t.Errorf("%s is not in the OpenAPI document: %v", response.Request.URL, err)
		return ""
	}
	if response.Request.GetBody != nil {
		if response.Request.Body, err = response.Request.GetBody(); err != nil {
			t.Fatal(err)
		}
	}
	input := &openapi3filter.RequestValidationInput{Request: response.Request, PathParams: parameters, Route: route}
	err = openapi3filter.ValidateRequest(t.Context(), input)
	if response.StatusCode == http.StatusOK && err != nil {
		t.Errorf("%s is served, but the OpenAPI document does not allow the request: %v", response.Request.URL, err)
	}
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), answer); err != nil {
		t.Errorf("the answer of %s does not match the OpenAPI document: %.600v", response.Request.URL, err)
	}
	return response.Request.Method + " " + route.Path
}

func checkError(t *testing.T, path string, response *http.Response, body []byte) {
	t.Helper()
	var e web.Error
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil || e.Status != response.StatusCode || e.Message == "" {
		t.Errorf("%s: %s is not an error with status, message and action: %v", path, body, err)
	}
}

// handmade returns the text of a small handwritten recording.
func handmade(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../trace/testdata/handmade-get-node.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheTableHasTheCallsOfTheRecording puts the calls together from the table
// of the API, and compares them with the recording.
func TestTheTableHasTheCallsOfTheRecording(t *testing.T) {
	rec, err := recordings.Load("v1.37.1", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	_, body := get(t, served(t)+web.Base+"/releases/v1.37.1/scenarios/create-deployment/requests/1/calls")
	table, calls := decode[web.CallTable](t, string(body)), rec.Requests[0].Calls
	if len(table.Of) != len(calls) {
		t.Fatalf("the table has %d calls, expected %d", len(table.Of), len(calls))
	}
	var start int64
	for i, want := range calls {
		kind := table.Same[table.Of[i]]
		start += table.StartNs[i]
		got := trace.Call{
			ID: want.ID, Function: kind.Function, File: kind.File, Line: kind.Line, Process: kind.Process, CallerLine: table.CallerLine[i],
			Goroutine: table.Goroutines[table.Goroutine[i]], StartNs: start, DurationNs: table.DurationNs[i], Error: table.Errors[i], Panic: table.Panics[i],
			NewGoroutine: slices.Contains(table.NewGoroutine, i), Unfinished: slices.Contains(table.Unfinished, i), Leaf: slices.Contains(table.Leaves, i),
		}
		if i > 0 {
			got.Parent = calls[i-table.Caller[i]].ID
		}
		for _, number := range table.ValueLists[table.Value[i]] {
			v := table.Values[number]
			if got.Attributes == nil {
				got.Attributes = map[string]string{}
			}
			if got.Attributes[v.Name] = v.Text; v.Raw != nil {
				got.Attributes[v.Name] = *v.Raw
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("call %d, -want +got:\n%s", i, diff)
		}
	}
}

// renumbered returns the recording of get-node, and a file
// with the same recording and one more call at the
// beginning. All later calls in the file have other numbers.
func renumbered(t *testing.T) (*trace.Recording, web.File) {
	t.Helper()
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	calls, other := rec.Requests[0].Calls, *rec
	more := trace.Call{
		ID: "00000000000000ff", Parent: calls[0].ID, Function: "k8s.io/apiserver/pkg/server.more", File: calls[0].File, Line: 1,
		Process: calls[0].Process, Goroutine: calls[0].Goroutine, StartNs: calls[0].StartNs, Leaf: true,
	}
	other.Requests = slices.Clone(rec.Requests)
	other.Requests[0].Calls = slices.Insert(slices.Clone(calls), 1, more)
	return rec, web.File{Name: "other.jsonl", Recording: &other}
}

func escape(name string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", "*", "%2A", "[", "%5B", "]", "%5D", " ", "%20").Replace(name)
}

// TestLargeRequestsAreServed requests the view and the calls
// of a server's start, the largest recorded request.
func TestLargeRequestsAreServed(t *testing.T) {
	request := served(t) + web.Base + "/releases/v1.37.1/scenarios/boot/requests/1"
	for part, most := range map[string]int{"/view": 500_000, "/calls": 15_000_000} {
		began := time.Now()
		response, body := get(t, request+part)
		if response.StatusCode != 200 || len(body) > most {
			t.Errorf("%s: got the status %s and %d bytes, expected 200 and fewer bytes", part, response.Status, len(body))
		}
		t.Logf("%s: %d bytes after %v", part, len(body), time.Since(began))
	}
}
