package front

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/trace"
)

// tracingHeaders are the headers that begin a trace in the server (the roots of
// instrument/guide/links.yaml). Only the front sends them, because a header from the
// client would begin a trace that nobody fetches.
var tracingHeaders = []string{"Traceparent", probe.MetadataKey}

// exchangeKey is the context key of the *Exchange of a traced request.
type exchangeKey struct{}

func exchangeOf(r *http.Request) *Exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*Exchange)
	return x
}

func newExchange(r *http.Request) *Exchange {
	return &Exchange{
		Sent:              trace.Sent{TraceID: trace.NewTraceID(), Method: r.Method, Path: r.URL.RequestURI()},
		Start:             time.Now(),
		UserAgent:         r.UserAgent(),
		ClientTraceparent: r.Header.Get("Traceparent"),
	}
}

func (x *Exchange) end(ctx context.Context) {
	x.Duration = time.Since(x.Start)
	// A client may close its connection as soon as it has the whole answer.
	x.HungUp = ctx.Err() != nil && !x.whole
}

// rewrite makes the request to the server from the client's request. httputil has
// already removed the headers of a single connection. rewrite restores the other
// headers that httputil removed.
func (f *Front) rewrite(r *httputil.ProxyRequest, host, token string) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", host, host
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
	nameUser(r)
	if r.In.Header.Get("Authorization") == "Bearer "+f.Token {
		r.Out.Header.Del("Authorization")
		if token != "" {
			r.Out.Header.Set("Authorization", "Bearer "+token)
		}
	}
	for _, name := range tracingHeaders {
		r.Out.Header.Del(name)
	}
	if x := exchangeOf(r.In); x != nil {
		r.Out.Header.Set("Traceparent", trace.Traceparent(x.TraceID))
	}
}

// certificateOf returns the client's verified certificate, or nil if the client has
// presented no certificate.
func certificateOf(r *http.Request) *x509.Certificate {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return nil
	}
	return r.TLS.VerifiedChains[0][0]
}

// nameUser sends the server the user in the client's certificate, as kube-apiserver
// would read it (k8s.io/apiserver/pkg/authentication/request/x509). It removes the
// client's own headers that name a user.
func nameUser(r *httputil.ProxyRequest) {
	for name := range r.Out.Header {
		if strings.HasPrefix(name, "X-Remote-") {
			delete(r.Out.Header, name)
		}
	}
	certificate := certificateOf(r.In)
	if certificate == nil {
		return
	}
	r.Out.Header.Set("X-Remote-User", certificate.Subject.CommonName)
	for _, group := range certificate.Subject.Organization {
		r.Out.Header.Add("X-Remote-Group", group)
	}
}

// answered notes the status when the header of the answer has arrived.
func answered(answer *http.Response) error {
	x := exchangeOf(answer.Request)
	if x == nil {
		return nil
	}
	x.Status = answer.StatusCode
	switch {
	case answer.StatusCode == http.StatusSwitchingProtocols:
		x.whole = true // after an upgrade, no more of the answer follows
	case answer.Request.Method == http.MethodHead || answer.ContentLength == 0:
		x.whole = true // the answer has only a header
	default:
		answer.Body = &body{answer.Body, answer.Request.Context(), x, answer.ContentLength}
	}
	return nil
}

// A body notes when an answer was read completely, unless the client has hung up before:
// then the server may end its answer properly, too.
type body struct {
	io.ReadCloser
	client   context.Context
	exchange *Exchange
	// left is the number of remaining bytes; it is negative if the answer does not
	// state its length. A client that knows the length may close its connection after
	// the last byte, before the end is read here.
	left int64
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	stated := b.left > 0
	b.left -= int64(n)
	if (err == io.EOF || stated && b.left == 0) && b.client.Err() == nil {
		b.exchange.whole = true
	}
	return n, err
}

// failed reports, to the client and to the session, that the server gave no answer.
func failed(w http.ResponseWriter, r *http.Request, err error) {
	if x := exchangeOf(r); x != nil {
		x.Err = err
	}
	http.Error(w, fmt.Sprintf("apitrace: kube-apiserver gave no answer: %v", err), http.StatusBadGateway)
}
