package scenarios

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// serve starts a webhook. It also returns a function that calls it like kube-apiserver.
func serve(t *testing.T, wanted Webhook, wire *wire) (webhooks, func(context.Context, any) (*http.Response, error)) {
	t.Helper()
	values := kept{}
	all, err := serveWebhooks(t.Context(), []Webhook{wanted}, values, wire)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := base64.StdEncoding.DecodeString(values[wanted.Name+".caBundle"])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}}
	t.Cleanup(client.CloseIdleConnections)
	return all, func(ctx context.Context, review any) (*http.Response, error) {
		text, err := json.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, values[wanted.Name+".url"], bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return client.Do(request)
	}
}

func review(uid types.UID) admissionv1.AdmissionReview {
	return admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{UID: uid}}
}

func TestWebhookAnswers(t *testing.T) {
	for _, test := range []struct {
		webhook Webhook
		want    string // the whole response
	}{
		{Webhook{Name: "a"}, `{"uid":"7","allowed":true}`},
		{Webhook{Name: "a", Warnings: []string{"old"}, Delay: time.Millisecond}, `{"uid":"7","allowed":true,"warnings":["old"]}`},
		{Webhook{Name: "a", Denies: true, Code: 403, Message: "no"}, `{"uid":"7","allowed":false,"status":{"metadata":{},"message":"no","code":403}}`},
		{Webhook{Name: "a", Patch: &Document{json: []byte(`[]`)}}, `{"uid":"7","allowed":true,"patch":"W10=","patchType":"JSONPatch"}`},
	} {
		all, ask := serve(t, test.webhook, nil)
		answer, err := ask(t.Context(), review("7"))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Response json.RawMessage }
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if string(got.Response) != test.want {
			t.Errorf("%+v answers\n%s, expected\n%s", test.webhook, got.Response, test.want)
		}
		if n := all.asked("a"); n != 1 {
			t.Errorf("the webhook counted %d requests, expected 1", n)
		}
		if err := all.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWebhookConverts(t *testing.T) {
	asked := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": map[string]any{
			"uid": "7", "desiredAPIVersion": "example.com/v2",
			"objects": []any{map[string]any{"apiVersion": "example.com/v1", "kind": "Shirt", "spec": map[string]any{"size": 3}}},
		},
	}
	const converted = `[{"apiVersion":"example.com/v2","kind":"Shirt","spec":{"size":3}}]`
	for _, test := range []struct {
		webhook Webhook
		want    string // the whole response
	}{
		{Webhook{Name: "a"}, `{"uid":"7","convertedObjects":` + converted + `,"result":{"metadata":{},"status":"Success"}}`},
		{Webhook{Name: "a", Denies: true, Message: "no"}, `{"uid":"7","convertedObjects":` + converted + `,"result":{"metadata":{},"status":"Failure","message":"no"}}`},
	} {
		all, ask := serve(t, test.webhook, nil)
		answer, err := ask(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			APIVersion, Kind string
			Request          any
			Response         json.RawMessage
		}
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if string(got.Response) != test.want || got.Kind != "ConversionReview" || got.APIVersion != "apiextensions.k8s.io/v1" || got.Request != nil {
			t.Errorf("%+v answers %s %s\n%s, expected\n%s", test.webhook, got.APIVersion, got.Kind, got.Response, test.want)
		}
		if err := all.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWebhookRefusesWhatIsNoReview(t *testing.T) {
	all, ask := serve(t, Webhook{Name: "a"}, nil)
	defer all.close()
	answer, err := ask(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d, expected 400", answer.StatusCode)
	}
}

// close closes the connection to a silent webhook, and the webhook's listener.
func TestSilentWebhook(t *testing.T) {
	all, ask := serve(t, Webhook{Name: "a", Silent: true}, nil)
	address, err := url.Parse(all["a"].url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		answer, err := ask(ctx, review("7"))
		if err == nil {
			answer.Body.Close()
		}
		answered <- err
	}()
	testenv.Await(t, "the webhook is asked", func() bool { return len(all.waiting()) > 0 })
	if got := all.waiting(); !slices.Equal(got, []string{`"a"`}) {
		t.Errorf("waiting returned %s, expected the webhook's name", got)
	}
	if err := all.close(); err != nil {
		t.Error(err)
	}
	if err := <-answered; err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, expected an error because the webhook has hung up", err)
	}
	if conn, err := net.Dial("tcp", address.Host); err == nil {
		conn.Close()
		t.Error("the webhook still listens after close")
	}
}

const withWebhook = `name: mine
title: {en: Mine}
setup:
  webhooks:
    - {name: guard}
  objects:
    - {apiVersion: v1, kind: Node, metadata: {name: n1}, url: "${guard.url}", ca: "${guard.caBundle}", other: "${left.alone}"}
requests:
  - {method: GET, path: /api/v1/nodes/n1, status: 200, as: admin, asks: guard, traced: true}
`

func TestParseBadWebhook(t *testing.T) {
	if err := conforms(t, []byte(withWebhook)); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		old, new, want string
		schema         bool
	}{
		{"{name: guard}", "{name: a-b}", `mine.yaml:5: name is "a-b", expected letters and digits`, true},
		{"{name: guard}", "{name: guard, denies: true, patch: []}", `mine.yaml:5: a webhook that denies cannot patch`, true},
		{"{name: guard}", "{name: guard, code: 403}", `mine.yaml:5: code and message belong to a webhook with "denies: true"`, true},
		{"{name: guard}", "{name: guard, denies: true, code: 200}", `mine.yaml:5: code is 200`, true},
		{"{name: guard}", "{name: guard, delay: soon}", `mine.yaml:5: found "soon", expected a time`, true},
		{"{name: guard}", "{name: guard, delay: -1s}", `mine.yaml:5: delay is -1s`, true},
		{"{name: guard}", "{name: guard}\n    - {name: guard}", `mine.yaml:6: there are two webhooks "guard"`, false},
		{"${guard.url}", "${gard.url}", `mine.yaml:7: there is no webhook for "${gard.url}"`, false},
		{"asks: guard", "asks: gard", `mine.yaml:9: there is no webhook "gard"`, false},
		{"traced: true", "traced: true, leaveOpen: true", `mine.yaml:9: leaveOpen is for a request that is neither traced`, true},
	} {
		text := strings.Replace(withWebhook, test.old, test.new, 1)
		_, err := parse("mine.yaml", []byte(text), noFiles)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q instead of %q:\ngot  %v\nwant %s", test.new, test.old, err, test.want)
		}
		if test.schema && conforms(t, []byte(text)) == nil {
			t.Errorf("%q instead of %q: schema.json accepts the file, expected that it rejects it", test.new, test.old)
		}
	}
}

// A request with asks fails if the server answers without a call of the webhook.
func TestWebhookNotAsked(t *testing.T) {
	s := mustParse(t, withWebhook)
	server := newFakeServer(t)
	registered := ""
	server.refuse = func(r *http.Request) int {
		if node := server.objects["/api/v1/nodes/n1"]; node != nil {
			registered, _ = node["url"].(string)
		}
		return 0
	}
	err := server.player().Play(t.Context(), s, nil)
	const want = `GET /api/v1/nodes/n1 was answered 200, but the server has not asked the webhook "guard"`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !strings.HasPrefix(registered, "https://127.0.0.1:") || !strings.HasSuffix(registered, "/guard") {
		t.Errorf("the object was created with the address %q, expected the webhook's", registered)
	}
}

// A request with leaveOpen is still open while the next request is sent. It has ended when
// the run ends.
func TestLeaveOpen(t *testing.T) {
	server := newFakeServer(t)
	reached, ended := make(chan struct{}), make(chan struct{})
	server.hold = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/namespaces/open/configmaps" || r.Method != http.MethodPost {
			return false
		}
		server.mu.Lock()
		node := server.objects["/api/v1/nodes/n1"]
		server.mu.Unlock()
		ca, _ := base64.StdEncoding.DecodeString(node["ca"].(string))
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(ca)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
		text, _ := json.Marshal(review("7"))
		ask, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, node["url"].(string), bytes.NewReader(text))
		close(reached)
		if answer, err := client.Do(ask); err == nil {
			answer.Body.Close()
			t.Error("the silent webhook answered, expected that it hangs up")
		}
		close(ended)
		return true
	}
	server.refuse = func(r *http.Request) int {
		if r.Header.Get("traceparent") == "" {
			return 0
		}
		select {
		case <-reached:
		default:
			t.Error("the next request came before the webhook was called")
		}
		select {
		case <-ended:
			t.Error("the request with leaveOpen ended before the next request came")
		default:
		}
		return http.StatusTooManyRequests
	}
	s := mustParse(t, `
name: open
title: {en: two at once}
setup:
  webhooks: [{name: mute, silent: true}]
  objects:
    - {apiVersion: v1, kind: Node, metadata: {name: n1}, url: "${mute.url}", ca: "${mute.caBundle}"}
requests:
  - {method: POST, path: /api/v1/namespaces/open/configmaps, status: 201, asks: mute, leaveOpen: true, body: {metadata: {name: a}}}
  - {method: GET, path: /api/v1/nodes/n1, status: 429, traced: true, warmup: []}
`)
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	// The run ends when its own side of the request has ended. The server may take longer.
	testenv.Await(t, "the request with leaveOpen has ended in the server", func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
}
