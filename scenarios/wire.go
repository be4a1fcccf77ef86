package scenarios

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// answerTimeout limits a request without a Timeout. kube-apiserver itself ends answers
// after a minute (--request-timeout), except watches.
const answerTimeout = 90 * time.Second

// A wire is the connection to the server for all requests of a run. A run has only one,
// because the first request on a connection takes a code path that later ones skip.
type wire struct {
	baseURL string
	client  *http.Client
	tokens  map[string]string // by user; Anonymous has no token; the learner's tokens are below
	// learnerTokens are Player.UserTokens. learner follows the server's cache of them.
	learnerTokens []string
	learner       *tokenCache
}

func newWire(p *Player, lock *lock) (*wire, error) {
	if len(p.UserTokens) == 0 {
		return nil, message.NewError("the player has no token of the learner: expected Player.UserTokens")
	}
	lock.learner = lock.learner.of(len(p.UserTokens))
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(p.CAPEM) {
		return nil, message.NewError("the server's CA holds no PEM certificate, so the server cannot be verified")
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
		// Without compression, the trace lacks the gzip filter's calls.
		DisableCompression: true,
	}
	return &wire{
		baseURL:       strings.TrimSuffix(p.BaseURL, "/"),
		client:        &http.Client{Transport: transport}, // the contexts limit the time
		tokens:        map[string]string{Admin: p.AdminToken, Stranger: "no-such-token"},
		learnerTokens: p.UserTokens, learner: lock.learner,
	}, nil
}

func (w *wire) close() { w.client.CloseIdleConnections() }

// Sent is a sent request with its answer.
type Sent struct {
	// TraceID is the W3C trace ID, 32 lower-case hexadecimal digits. It is "" for an
	// untraced request.
	TraceID string
	Method  string
	// Path is the URL path with its query, as in the scenario: "${name}" stands for a
	// kept value.
	Path string
	// RequestBody is the body of the request, or nil.
	RequestBody []byte
	// Status is the answer's status code, or 0 without an answer; see Err.
	Status int
	Header http.Header
	Body   []byte
	// Start is when the request was sent. Duration is the time until the answer's end,
	// with its body.
	Start    time.Time
	Duration time.Duration
	// Err is set if there was no complete answer.
	Err error
	// during has the traced requests during a watch, in order.
	during []duringSent
	// asked is set if the server has called the webhook of HTTP.Asks, or if Asks is "".
	asked bool
}

// A duringSent is a traced request during a watch.
type duringSent struct {
	request *Request
	sent    *Sent
}

// send sends one request and reads the answer. Without a trace ID, there is no
// traceparent header, and the server does not trace it.
func (w *wire) send(ctx context.Context, h *HTTP, traceID string) *Sent {
	return inTime(ctx, h, traceID, func(ctx context.Context, sent *Sent) error { return w.exchange(ctx, h, sent) })
}

// inTime calls exchange, which sends h and reads the answer into its argument. exchange's
// context ends when the time of h has passed.
func inTime(ctx context.Context, h *HTTP, traceID string, exchange func(context.Context, *Sent) error) *Sent {
	sent := &Sent{TraceID: traceID, Method: h.Method, Path: h.Path, Start: time.Now()}
	if h.Body != nil {
		sent.RequestBody = h.Body.json
	}
	limited, cancel := context.WithTimeout(ctx, h.limit())
	defer cancel()
	sent.Err = exchange(limited, sent)
	sent.Duration = time.Since(sent.Start)
	if sent.Err != nil && limited.Err() != nil && ctx.Err() == nil {
		sent.Err = message.Errorf("the answer was not complete after %s, the timeout of the request: %w", h.limit(), sent.Err)
	}
	return sent
}

func (w *wire) exchange(ctx context.Context, h *HTTP, sent *Sent) error {
	answer, err := w.begin(ctx, h, sent)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	sent.Body, err = io.ReadAll(answer.Body)
	return err
}

// begin sends the request and returns when the answer's header has come. The caller must
// close the body.
func (w *wire) begin(ctx context.Context, h *HTTP, sent *Sent) (*http.Response, error) {
	request, err := w.request(ctx, h, sent.TraceID)
	if err != nil {
		return nil, err
	}
	sent.Start = time.Now()
	answer, err := w.client.Do(request)
	logSent(ctx, h, sent.TraceID, answer, err)
	if err != nil {
		return nil, err
	}
	if h.asker() == Learner {
		w.learner.used(sent.Start)
	}
	sent.Status, sent.Header = answer.StatusCode, answer.Header
	return answer, nil
}

func (w *wire) request(ctx context.Context, h *HTTP, traceID string) (*http.Request, error) {
	var body io.Reader
	if h.Body != nil {
		body = bytes.NewReader(h.Body.json)
	}
	request, err := http.NewRequestWithContext(ctx, h.Method, w.baseURL+h.Path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "apitrace")
	if h.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := w.token(h.asker()); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range h.Headers {
		request.Header.Set(name, value)
	}
	if traceID != "" {
		request.Header.Set("traceparent", trace.Traceparent(traceID))
	}
	return request, nil
}

// token returns the bearer token of a user.
func (w *wire) token(asker string) string {
	if asker == Learner {
		return w.learnerTokens[w.learner.current]
	}
	return w.tokens[asker]
}

// must returns an error if there was no complete answer, or if the answer has another
// status. No status means any.
func (s *Sent) must(status ...int) error {
	if s.Err != nil {
		return message.Errorf("%s %s: %w", s.Method, s.Path, s.Err)
	}
	if expected := Statuses(status); !expected.allow(s.Status) {
		return message.Errorf("%s %s answered %d, expected %s: %s", s.Method, s.Path, s.Status, expected, s.message())
	}
	return nil
}

// message returns the server's message in an error response. For requests on secrets, it
// returns Outcome, because a Status quotes the object.
func (s *Sent) message() string {
	if (collect.Secrets{}).Hold(s.Path) {
		return s.Outcome()
	}
	return s.FullMessage()
}

// Outcome describes the answer to a request on secrets, without the server's message.
func (s *Sent) Outcome() string {
	return fmt.Sprintf("%d %s (its message is not shown: the request is on secrets)", s.Status, http.StatusText(s.Status))
}

// FullMessage returns the server's message in an error response: from the Status object,
// or else the body's beginning. A very long message is cut.
func (s *Sent) FullMessage() string {
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(s.Body, &status) == nil && status.Message != "" {
		return shortened(status.Message)
	}
	return fmt.Sprintf("%q", beginning(s.Body))
}

// shortened returns a message that fits on a screen.
func shortened(message string) string {
	const enough = 2000
	if len(message) <= enough {
		return message
	}
	return fmt.Sprintf("%s… (%d bytes more)", strings.ToValidUTF8(message[:enough], ""), len(message)-enough)
}

// beginning returns the first part of an answer, for a message.
func beginning(answer []byte) string {
	const enough = 200
	text := strings.TrimSpace(string(answer))
	if len(text) > enough {
		text = text[:enough] + "..."
	}
	return text
}
