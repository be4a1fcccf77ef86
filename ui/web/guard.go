package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

const (
	// mostBody is the maximum size of a request body in bytes.
	mostBody = 1 << 20
	// mostUpload is the maximum size of an uploaded recording
	// in bytes. The recording of a server's start has 100 MB.
	mostUpload = 192 << 20
)

// policy lets a document load only from this
// server, and run only the page's own script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A guard passes only authorized requests on to a handler. A request is
// authorized by the token, or by a cookie that the browser got in exchange
// for the token or a code.
type guard struct {
	token string
	// hosts has the host names of the server, each with its port.
	hosts map[string]bool
	// cookie is the name of the cookie. It contains the
	// port, because browsers share cookies between ports.
	cookie string
	// code is the one-time code of the browser that apitrace
	// opens; nil if it opens none.
	code *code
	// command is the command that starts the server; "" means "apitrace web".
	command string
	next    http.Handler
}

// newToken returns a token that cannot be guessed.
func newToken() string { return rand.Text() }

func newGuard(token string, code *code, at *net.TCPAddr, next http.Handler) *guard {
	g := &guard{token: token, hosts: map[string]bool{}, cookie: fmt.Sprintf("apitrace-%d", at.Port), code: code, next: next}
	for _, host := range []string{at.IP.String(), "localhost"} {
		g.hosts[net.JoinHostPort(host, fmt.Sprint(at.Port))] = true
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.hosts[r.Host]:
		// DNS rebinding: with a foreign host name that points to this server, a
		// page could evade the browser's same-origin policy.
		g.refuse(w, r, newError(http.StatusForbidden, message.Errorf("unknown host name %q", r.Host), message.Of("use the address that apitrace printed")))
	case g.foreign(r):
		g.refuse(w, r, newError(http.StatusForbidden, message.NewError("a page of another origin sent this request"), message.Of("open the address that apitrace printed yourself")))
	case r.ContentLength > mostIn(r):
		g.refuse(w, r, newError(http.StatusRequestEntityTooLarge, message.Errorf("the body has %d bytes: at most %d are accepted", r.ContentLength, mostIn(r)), message.Of("send a smaller one")))
	case reads(r) && r.URL.Query().Has("token") && g.is(r.URL.Query().Get("token")):
		g.welcome(w, r, g.token)
	case reads(r) && r.URL.Query().Has("code"):
		g.redeem(w, r)
	case !g.authorized(r):
		g.refuse(w, r, newError(http.StatusUnauthorized, message.NewError("the token is missing or wrong"), message.Of("open the address that apitrace printed, or send its token as \"Authorization: Bearer TOKEN\"")))
	case !reads(r) && r.Header.Get("Origin") == "" && r.Header.Get("Authorization") == "":
		// A browser adds the cookie to every request, and
		// names the origin of each request that writes.
		g.refuse(w, r, newError(http.StatusForbidden, message.NewError("the request changes something, but does not name the page that sent it"), message.Of("send the token as \"Authorization: Bearer TOKEN\"")))
	default:
		r.Body = http.MaxBytesReader(w, r.Body, mostIn(r))
		g.next.ServeHTTP(w, r)
	}
}

// reads reports whether a request only reads.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// mostIn returns the maximum size of the request's body in bytes.
func mostIn(r *http.Request) int64 {
	if r.Method == http.MethodPost && r.URL.Path == uploadPath {
		return mostUpload
	}
	return mostBody
}

// foreign reports whether a page of another origin sent the request.
// Following a link from a mail or another page is allowed: the other
// page cannot read the answer.
func (g *guard) foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		host, ok := strings.CutPrefix(origin, "http://")
		return !ok || host != r.Host
	}
	site := r.Header.Get("Sec-Fetch-Site")
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet
	return site != "" && site != "same-origin" && site != "none" && !navigates
}

// welcome gives the browser a cookie with the secret, and redirects it to the
// same address without the secret.
func (g *guard) welcome(w http.ResponseWriter, r *http.Request, secret string) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	to := *r.URL
	query := to.Query()
	query.Del("token")
	query.Del("code")
	to.RawQuery = query.Encode()
	// Begin with a single slash: a browser would read "//other" as another host.
	w.Header().Set("Location", "/"+strings.TrimLeft(to.RequestURI(), "/"))
	w.WriteHeader(http.StatusSeeOther)
}

func (g *guard) authorized(r *http.Request) bool {
	if cookie, err := r.Cookie(g.cookie); err == nil && (g.is(cookie.Value) || g.code.is(cookie.Value)) {
		return true
	}
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && g.is(bearer)
}

func (g *guard) is(token string) bool { return same(token, g.token) }

// same compares secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
