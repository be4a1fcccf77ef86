package front

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A backend is a server behind a front. It keeps the requests that it receives.
type backend struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func newBackend(t *testing.T, answer http.HandlerFunc, auth ...tls.ClientAuthType) *backend {
	t.Helper()
	b := &backend{}
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.requests = append(b.requests, r.Clone(context.Background()))
		b.mu.Unlock()
		answer(w, r)
	}))
	b.EnableHTTP2 = true
	if len(auth) > 0 {
		b.TLS = &tls.Config{ClientAuth: auth[0]}
	}
	b.StartTLS()
	t.Cleanup(b.Close)
	return b
}

// last returns the last request.
func (b *backend) last() *http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests[len(b.requests)-1]
}

func (b *backend) options() Options {
	return Options{
		Server: b.URL, Token: "real",
		CAPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.Certificate().Raw}),
	}
}

// start starts a front that sends its exchanges to a channel.
func start(t *testing.T, o Options) (*Front, <-chan Exchange) {
	t.Helper()
	over := make(chan Exchange, 100)
	o.Over = func(x Exchange) { over <- x }
	f, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, over
}

func next(t *testing.T, over <-chan Exchange) Exchange {
	t.Helper()
	return testenv.Receive(t, "an exchange is over", over)
}

// client returns a client of the front with the front's credentials, for HTTP/2 or HTTP/1.1.
func client(t *testing.T, f *Front, major int) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(f.CAPEM) {
		t.Fatal("the front has no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: major == 2}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func send(t *testing.T, c *http.Client, ctx context.Context, method, url string, body io.Reader, headers map[string]string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return c.Do(r)
}

var traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-01$`)

func TestHandsOn(t *testing.T) {
	const own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Audit-Id", "x")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "got %s", body)
	})
	f, over := start(t, b.options())
	for _, major := range []int{1, 2} {
		path := "/api/v1/pods/a%2Fb?limit=5;x=1&watch"
		resp, err := send(t, client(t, f, major), t.Context(), "PUT", f.URL+path, strings.NewReader("body"), map[string]string{
			"Authorization": "Bearer " + f.Token, "Traceparent": own, "User-Agent": "kubectl/v1", "X-Forwarded-For": "10.0.0.1", "Impersonate-User": "jane",
		})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "got body" || resp.StatusCode != 201 || resp.Header.Get("Audit-Id") != "x" {
			t.Errorf("the client got %d %q, %v, expected 201 \"got body\" and the header Audit-Id", resp.StatusCode, body, err)
		}
		x, r := next(t, over), b.last()
		if r.ProtoMajor != major || r.RequestURI != path || r.Method != "PUT" || r.Host != strings.TrimPrefix(b.URL, "https://") {
			t.Errorf("the server got %s %s by %s for the host %s, expected the client's request", r.Method, r.RequestURI, r.Proto, r.Host)
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer real", "User-Agent": "kubectl/v1", "X-Forwarded-For": "10.0.0.1", "Impersonate-User": "jane",
		} {
			if got := r.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("HTTP/%d: the server got %s: %q, want %q", major, name, got, want)
			}
		}
		id := traceparent.FindStringSubmatch(r.Header.Get("Traceparent"))
		if id == nil || id[1] != x.TraceID || strings.Contains(own, x.TraceID) {
			t.Errorf("the server got the traceparent %q, expected a new one of the trace %q", r.Header.Get("Traceparent"), x.TraceID)
		}
		if x.Method != "PUT" || x.Path != path || x.Status != 201 || x.UserAgent != "kubectl/v1" || x.ClientTraceparent != own || !x.whole || x.HungUp || x.Err != nil || x.Duration <= 0 {
			t.Errorf("the exchange is %+v, expected the request, its answer 201, and no error", x)
		}
	}
}

// TestClientsBeginNoTraces sends each header that the guide's links read. The server
// must get none of them from the client, whether the front traces the request or not.
func TestClientsBeginNoTraces(t *testing.T) {
	const own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	links, err := os.ReadFile("../../instrument/guide/links.yaml")
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]string{}
	for _, read := range regexp.MustCompile(`r\.Header\.(?:Values|Get)\(([^)]*)\)`).FindAllStringSubmatch(string(links), -1) {
		headers[strings.ReplaceAll(strings.Trim(read[1], `"`), "METADATAKEY", probe.MetadataKey)] = own
	}
	if len(headers) < 2 {
		t.Fatalf("the links read %q, expected at least two headers", slices.Collect(maps.Keys(headers)))
	}
	b := newBackend(t, func(http.ResponseWriter, *http.Request) {})
	for _, traced := range []bool{true, false} {
		options := b.options()
		options.Trace = func(context.Context) bool { return traced }
		f, _ := start(t, options)
		for _, major := range []int{1, 2} {
			if _, err := send(t, client(t, f, major), t.Context(), "GET", f.URL+"/", nil, headers); err != nil {
				t.Fatal(err)
			}
			for name := range headers {
				if got := b.last().Header.Values(name); slices.Contains(got, own) {
					t.Errorf("HTTP/%d, traced %v: the server got %s: %q, expected no header of the client", major, traced, name, got)
				}
			}
		}
	}
}

// TestCredentials checks that only the front's own credentials are replaced.
func TestCredentials(t *testing.T) {
	b := newBackend(t, func(http.ResponseWriter, *http.Request) {})
	anonymous := b.options()
	anonymous.Token = ""
	for name, test := range map[string]struct {
		options     Options
		sent, comes string // "own" stands for the front's token
	}{
		"the front's":           {b.options(), "own", "Bearer real"},
		"another token":         {b.options(), "Bearer service-account", "Bearer service-account"},
		"none":                  {b.options(), "", ""},
		"the front's, for none": {anonymous, "own", ""},
	} {
		f, over := start(t, test.options)
		headers := map[string]string{}
		if test.sent == "own" {
			test.sent = "Bearer " + f.Token
		}
		if test.sent != "" {
			headers["Authorization"] = test.sent
		}
		if _, err := send(t, client(t, f, 2), t.Context(), "GET", f.URL+"/", nil, headers); err != nil {
			t.Fatal(err)
		}
		next(t, over)
		if got := b.last().Header.Get("Authorization"); got != test.comes {
			t.Errorf("%s: the server got %q, want %q", name, got, test.comes)
		}
	}
}

func TestUntraced(t *testing.T) {
	b := newBackend(t, func(http.ResponseWriter, *http.Request) {})
	o := b.options()
	o.Trace = func(context.Context) bool { return false }
	f, over := start(t, o)
	_, err := send(t, client(t, f, 2), t.Context(), "GET", f.URL+"/", nil, map[string]string{"Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.last().Header.Get("Traceparent"); got != "" {
		t.Errorf("an untraced request has the traceparent %q", got)
	}
	f.Close()
	if len(over) > 0 {
		t.Error("an untraced request was reported")
	}
}

// TestWatch checks that each event of a watch is forwarded at once, and that the
// watch ends when the client hangs up or the front closes.
func TestWatch(t *testing.T) {
	hungUp := make(chan struct{}, 10)
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; ; i++ {
			fmt.Fprintf(w, "event %d\n", i)
			w.(http.Flusher).Flush()
			if i == 1 {
				<-r.Context().Done()
				hungUp <- struct{}{}
				return
			}
		}
	})
	for _, major := range []int{1, 2} {
		for _, closes := range []string{"client", "front"} {
			f, over := start(t, b.options())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp, err := send(t, client(t, f, major), ctx, "GET", f.URL+"/api/v1/pods?watch=1", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			events := bufio.NewReader(resp.Body)
			for i := range 2 {
				if line, err := events.ReadString('\n'); err != nil || line != fmt.Sprintf("event %d\n", i) {
					t.Fatalf("HTTP/%d: %q, %v", major, line, err)
				}
			}
			if len(over) > 0 {
				t.Error("Over was called before the end of the watch")
			}
			if closes == "client" {
				cancel()
			} else {
				f.Close()
			}
			x := next(t, over)
			if !x.HungUp || x.Status != 200 || x.Err != nil {
				t.Errorf("HTTP/%d, the %s closes: the exchange is %+v, expected HungUp and the status 200", major, closes, x)
			}
			testenv.Receive(t, fmt.Sprintf("HTTP/%d, the %s closes: the server's request ends", major, closes), hungUp)
		}
	}
}

// TestHungUp checks that HungUp is not set if the client closes its connection after the
// whole answer.
func TestHungUp(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, whole := range []bool{true, false} {
		x := &Exchange{whole: whole}
		if x.end(gone); x.HungUp == whole {
			t.Errorf("whole is %v and HungUp is %v, expected the opposite", whole, x.HungUp)
		}
	}
}

// TestGoneWithTheLastByte uses a client that knows the length of the answer. It closes its
// connection after the last byte, before the server has ended the answer.
func TestGoneWithTheLastByte(t *testing.T) {
	const text = "all of it"
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		if r.Method == http.MethodHead {
			return
		}
		fmt.Fprint(w, text)
		w.(http.Flusher).Flush()
		time.Sleep(200 * time.Millisecond) // the answer ends after its last byte, when a client may be gone
	})
	f, over := start(t, b.options())
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, major := range []int{1, 2} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp, err := send(t, client(t, f, major), ctx, method, f.URL+"/", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if method == http.MethodGet {
				if _, err := io.ReadFull(resp.Body, make([]byte, len(text))); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
			if x := next(t, over); x.HungUp {
				t.Errorf("HTTP/%d %s: HungUp is set, although the client has the whole answer", major, method)
			}
		}
	}
}

// TestUpgrade upgrades the connection to another protocol, as "kubectl exec" and "kubectl
// port-forward" do.
func TestUpgrade(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "SPDY/3.1" || r.ProtoMajor != 1 {
			http.Error(w, "no upgrade", http.StatusBadRequest)
			return
		}
		conn, both, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(both, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n")
		both.Flush()
		line, _ := both.ReadString('\n')
		fmt.Fprintf(both, "you said %s", line)
		both.Flush()
	})
	f, over := start(t, b.options())
	resp, err := send(t, client(t, f, 1), t.Context(), "POST", f.URL+"/exec", nil, map[string]string{"Connection": "Upgrade", "Upgrade": "SPDY/3.1"})
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("the client got %v, %v, expected the status 101", resp, err)
	}
	conn := resp.Body.(io.ReadWriteCloser)
	fmt.Fprintln(conn, "hello")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "you said hello\n" {
		t.Errorf("after the upgrade, the client got %q, %v, expected its own text", line, err)
	}
	conn.Close()
	if x := next(t, over); x.Status != http.StatusSwitchingProtocols || x.Method != "POST" {
		t.Errorf("the exchange is %+v, expected a POST with the status 101", x)
	}
}

// TestServerFails sends requests to a server that has ended, and to a server that
// breaks off in the middle of an answer.
func TestServerFails(t *testing.T) {
	b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half of")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	f, over := start(t, b.options())
	for _, major := range []int{1, 2} {
		resp, err := send(t, client(t, f, major), t.Context(), "GET", f.URL+"/", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("HTTP/%d: the client read %q without an error, expected one after half an answer", major, body)
		}
		if x := next(t, over); x.Status != 200 {
			t.Errorf("the exchange is %+v, expected the status 200", x)
		}
	}
	b.CloseClientConnections()
	b.Server.Close()
	resp, err := send(t, client(t, f, 2), t.Context(), "GET", f.URL+"/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "apitrace: kube-apiserver gave no answer") {
		t.Errorf("the client got %d %q, expected 502 with the front's error", resp.StatusCode, body)
	}
	if x := next(t, over); x.Status != 0 || x.Err == nil {
		t.Errorf("the exchange is %+v, expected an error and no status", x)
	}
}

func TestStartRefuses(t *testing.T) {
	if _, err := Start(Options{Server: "https://127.0.0.1:1", CAPEM: []byte("nothing")}); err == nil || !strings.Contains(err.Error(), "no PEM certificate") {
		t.Errorf("Start returned %v, expected an error about the CA without a certificate", err)
	}
}
