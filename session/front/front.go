// Package front is an HTTPS server in front of a kube-apiserver, on the loopback interface. It
// forwards each request, marks it for tracing, and reports when it has ended.
//
// The server behind sees the client's request: method, path, headers, body and version of HTTP
// are the same, but for the credentials of the front, which stand for a user of the server,
// and for the headers traceparent and X-Remote-*, which are for the front to send. What becomes of a traced request belongs to package session.
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

// Options say which server stands behind a front, and what to do with the requests.
type Options struct {
	// Server is where that server listens: "https://127.0.0.1:6443".
	Server string
	// CAPEM is the certificate authority that the server's certificate is verified with.
	CAPEM []byte
	// Token is the bearer token that the server gets instead of that of the front; "" for
	// none. Other credentials that a client shows, and the lack of any, are passed on.
	Token string
	// Port is where on the loopback interface the front listens; 0 is any that is free.
	Port int
	// Certificate is what the front shows its clients. Nil: one of its own; see Front.CAPEM.
	Certificate *tls.Certificate
	// Users, if not nil, lets clients show certificates.
	Users *CertificateUsers
	// Trace decides whether a request is traced, and may hold it back meanwhile. Nil: all are.
	Trace func(context.Context) bool
	// KeepBody, if not nil, says by the path of which requests the Exchange holds the body.
	KeepBody func(path string) bool
	// Over, if not nil, is called once for each traced request, when its answer has ended or
	// its client has hung up. Calls may come at the same time.
	Over func(Exchange)
}

// CertificateUsers are those whom a certificate makes known. A front ends TLS, so it tells the
// server who they are, as an authenticating proxy does: with the headers X-Remote-User and
// X-Remote-Group, and a certificate of its own that lets the server believe them
// (kube-apiserver's --requestheader flags).
type CertificateUsers struct {
	// CAs verify the clients' certificates.
	CAs *x509.CertPool
	// Proxy is the front's certificate for the server.
	Proxy tls.Certificate
}

// An Exchange is a traced request with its answer, as the front saw them.
type Exchange struct {
	trace.Sent
	Start    time.Time
	Duration time.Duration
	// UserAgent is what the client calls itself.
	UserAgent string
	// ClientTraceparent is the traceparent that the client had sent, "" if none. The front
	// sends one of its own: the requests of one client's trace are traces of their own here.
	ClientTraceparent string
	// HungUp is set when the client did not wait for the end of the answer: a watch, mostly.
	HungUp bool
	// Body is what the client sent, up to 4 MB of it, if Options.KeepBody asks for it.
	Body []byte
	// Err says why there was no answer.
	Err error

	whole bool // the answer has come to its end
}

// A Front is running until it is closed.
type Front struct {
	// URL is "https://127.0.0.1:12345".
	URL string
	// CAPEM verifies the front's certificate, if it is its own. The key of that authority exists
	// in this process only.
	CAPEM []byte
	// Token is the credentials of the front: a random bearer token.
	Token string

	server   *http.Server
	end      context.CancelFunc
	upstream []*http.Transport

	mu      sync.Mutex
	closed  bool
	serving sync.WaitGroup // requests, those whose connection was hijacked included
}

// Start begins to serve on a free port of the loopback interface. The caller calls Close.
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
		// What fails is told to the client, who tells its user.
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

// Close ends what is still going on, and returns when Over was called for all of it.
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

// begin counts a request, unless the front is closed.
func (f *Front) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.serving.Add(1)
	}
	return !f.closed
}

// handler passes requests on.
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
		FlushInterval:  -1, // events of a watch go out as they come
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
		// Deferred: an answer that breaks off ends in a panic, which closes the client's connection.
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

// transport speaks the version of HTTP that the client speaks: the server runs other code for
// each, and only HTTP/1.1 can be upgraded to another protocol, as "kubectl exec" does. Requests
// of users whom a certificate makes known go over connections of their own.
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
	known *byVersion // proves that the front may speak for users; nil if it may not
}

// RoundTrip implements http.RoundTripper.
func (t *transports) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.known != nil && certificateOf(r) != nil {
		return t.known.RoundTrip(r)
	}
	return t.plain.RoundTrip(r)
}

type byVersion struct{ one, two *http.Transport }

func newByVersion(config *tls.Config) byVersion {
	one := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true, MaxIdleConnsPerHost: 100}
	one.Protocols = new(http.Protocols)
	one.Protocols.SetHTTP1(true)
	two := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true}
	two.Protocols = new(http.Protocols)
	two.Protocols.SetHTTP1(true) // for a server that cannot do better
	two.Protocols.SetHTTP2(true)
	return byVersion{one, two}
}

// RoundTrip implements http.RoundTripper.
func (v byVersion) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ProtoMajor == 1 { // of the client's request
		return v.one.RoundTrip(r)
	}
	return v.two.RoundTrip(r)
}
