// Package front is an HTTPS server in front of a kube-apiserver, on the loopback
// interface. It forwards each request, marks it for tracing, and reports when it has ended.
//
// The server receives the client's request with the same method, path, headers, body
// and version of HTTP, with two exceptions. The credentials of a user of the server
// replace the credentials of the front. Only the front sends the headers traceparent,
// apitrace-traceparent and X-Remote-*.
//
// Fetching and keeping the traces belongs to package session.
package front

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Options describe the server behind a front, and how to handle the requests.
type Options struct {
	// Server is the URL of the server, such as "https://127.0.0.1:6443".
	Server string
	// CAPEM is the certificate authority, in PEM, that verifies the server's certificate.
	CAPEM []byte
	// Token is the bearer token that replaces the front's token; "" means no token.
	// If a client sends other credentials or none, they are passed on unchanged.
	Token string
	// Port is the port of the front on the loopback interface; 0 selects a free port.
	Port int
	// Certificate is the certificate of the front. If it is nil, the front makes a
	// certificate; see Front.CAPEM.
	Certificate *tls.Certificate
	// Users, if not nil, lets clients authenticate by certificate.
	Users *CertificateUsers
	// Trace decides whether to trace a request. The request waits until Trace
	// returns. Nil traces all requests.
	Trace func(context.Context) bool
	// KeepBody, if not nil, reports, from the path, whether the Exchange keeps the
	// body of a request.
	KeepBody func(path string) bool
	// Over, if not nil, is called once for each traced request, when its answer has
	// ended or its client has hung up. It may be called concurrently.
	Over func(Exchange)
}

// CertificateUsers lets a front accept client certificates. Because a front
// terminates TLS, it passes the user on as an authenticating proxy does, with the
// headers X-Remote-User and X-Remote-Group. The server accepts these headers because
// of the front's own certificate (kube-apiserver's --requestheader flags).
type CertificateUsers struct {
	// CAs verify the clients' certificates.
	CAs *x509.CertPool
	// Proxy is the certificate that the front presents to the server.
	Proxy tls.Certificate
}

// An Exchange is a traced request with its answer, as the front saw them.
type Exchange struct {
	trace.Sent
	Start    time.Time
	Duration time.Duration
	// UserAgent is the User-Agent header of the client.
	UserAgent string
	// ClientTraceparent is the traceparent that the client sent, or "". The front
	// replaces it, so each request of a client's trace becomes a separate trace.
	ClientTraceparent string
	// HungUp is set if the client did not wait for the end of the answer. Most
	// clients of a watch do not.
	HungUp bool
	// Body is the body of the request, up to 4 MB, if Options.KeepBody selects the request.
	Body []byte
	// Err is the reason why there was no answer, or nil.
	Err error

	whole bool // the answer has ended
}

// A Front is a running front. It runs until Close.
type Front struct {
	// URL is the front's URL, such as "https://127.0.0.1:12345".
	URL string
	// CAPEM is the authority, in PEM, that verifies the front's certificate if the
	// front made it. The key of the authority exists only in this process.
	CAPEM []byte
	// Token is the credential of the front, a random bearer token.
	Token string

	server   *http.Server
	end      context.CancelFunc
	upstream []*http.Transport

	mu      sync.Mutex
	closed  bool
	serving sync.WaitGroup // requests, including hijacked connections
}

// Start begins to serve on the loopback interface. The caller must call Close.
func Start(o Options) (*Front, error) {
	f := &Front{Token: rand.Text()}
	handler, err := f.handler(o)
	if err != nil {
		return nil, message.Errorf("starting the front of %s: %w", o.Server, err)
	}
	config, err := f.tls(o)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return nil, message.Errorf("starting the front of %s: %w", o.Server, err)
	}
	f.URL = "https://" + listener.Addr().String()
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	f.server = &http.Server{
		Handler:     handler,
		TLSConfig:   config,
		BaseContext: func(net.Listener) context.Context { return ctx },
		// Errors are reported to the client, which reports them to its user.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go f.server.ServeTLS(listener, "", "") // ends with ErrServerClosed
	return f, nil
}

func (f *Front) tls(o Options) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if o.Users != nil {
		config.ClientAuth, config.ClientCAs = tls.VerifyClientCertIfGiven, o.Users.CAs
	}
	if o.Certificate != nil {
		config.Certificates = []tls.Certificate{*o.Certificate}
		return config, nil
	}
	ca, err := authority.New("apitrace front")
	if err != nil {
		return nil, err
	}
	cert, key, err := ca.Issue("front")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	f.CAPEM = ca.CertPEM
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// Close ends the open requests. It returns after Over was called for all of them.
func (f *Front) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	err := f.server.Close()
	f.serving.Wait()
	for _, t := range f.upstream {
		t.CloseIdleConnections()
	}
	return err
}

// begin counts a request and returns true, unless the front is closed.
func (f *Front) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.serving.Add(1)
	}
	return !f.closed
}

// handler returns the handler that forwards requests.
func (f *Front) handler(o Options) (http.Handler, error) {
	to, err := url.Parse(o.Server)
	if err != nil {
		return nil, err
	}
	transport, err := f.transport(o)
	if err != nil {
		return nil, err
	}
	if o.Trace == nil {
		o.Trace = func(context.Context) bool { return true }
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { f.rewrite(r, to.Host, o.Token) },
		Transport:      transport,
		FlushInterval:  -1, // forward the events of a watch at once
		ModifyResponse: answered,
		ErrorHandler:   failed,
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f.begin() {
			http.Error(w, "apitrace: the session has ended", http.StatusServiceUnavailable)
			return
		}
		defer f.serving.Done()
		if !o.Trace(r.Context()) {
			proxy.ServeHTTP(w, r)
			return
		}
		x := newExchange(r)
		var sent *copied
		if r.ContentLength != 0 && o.KeepBody != nil && o.KeepBody(x.Path) {
			sent = &copied{ReadCloser: r.Body}
			r.Body = sent
		}
		// Deferred, because an answer that breaks off ends in a panic, which closes
		// the client's connection.
		defer func() {
			x.end(r.Context())
			x.Body = sent.bytes()
			if o.Over != nil {
				o.Over(*x)
			}
		}()
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	}), nil
}

// transport returns a transport that uses the client's version of HTTP. The server
// runs different code for each version, and only HTTP/1.1 can be upgraded to another
// protocol, as "kubectl exec" does. Requests of users who authenticate by certificate
// have separate connections.
func (f *Front) transport(o Options) (http.RoundTripper, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(o.CAPEM) {
		return nil, message.NewError("the server's CA holds no PEM certificate, so the server cannot be verified")
	}
	config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	choice := &transports{plain: newByVersion(config.Clone())}
	f.upstream = []*http.Transport{choice.plain.one, choice.plain.two}
	if o.Users != nil {
		config.Certificates = []tls.Certificate{o.Users.Proxy}
		known := newByVersion(config)
		choice.known = &known
		f.upstream = append(f.upstream, known.one, known.two)
	}
	return choice, nil
}

type transports struct {
	plain byVersion
	known *byVersion // presents the front's certificate, to pass on users; nil without CertificateUsers
}

// RoundTrip implements http.RoundTripper.
func (t *transports) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.known != nil && certificateOf(r) != nil {
		return t.known.RoundTrip(r)
	}
	return t.plain.RoundTrip(r)
}

// A byVersion has a transport for clients with HTTP/1.1 and one for clients with HTTP/2.
type byVersion struct{ one, two *http.Transport }

func newByVersion(config *tls.Config) byVersion {
	one := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true, MaxIdleConnsPerHost: 100}
	one.Protocols = new(http.Protocols)
	one.Protocols.SetHTTP1(true)
	two := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true}
	two.Protocols = new(http.Protocols)
	two.Protocols.SetHTTP1(true) // for a server without HTTP/2
	two.Protocols.SetHTTP2(true)
	return byVersion{one, two}
}

// RoundTrip implements http.RoundTripper.
func (v byVersion) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ProtoMajor == 1 { // the version of the client's request
		return v.one.RoundTrip(r)
	}
	return v.two.RoundTrip(r)
}
