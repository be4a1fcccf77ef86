package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
)

const (
	// mostBody is how many bytes the body of a request may have.
	mostBody = 1 << 20
	// mostUpload is how many an uploaded recording may have: that of a server's start has 100 MB.
	mostUpload = 192 << 20
)

// policy lets a document load from this server alone, and run no script but the page's own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A guard lets only those through to a handler who were given the address with the token.
type guard struct {
	token string
	// hosts are the names under which the server is reached, with its port.
	hosts map[string]bool
	// cookie is its own for each port: a browser sends those of one port to the others, too.
	cookie string
	// code lets the browser in that is opened; nil: none is.
	code *code
	next http.Handler
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
		// A foreign name that was made to point here, to get around the browser's same-origin policy.
		refuse(w, http.StatusForbidden, fmt.Sprintf("this server is not called %q", r.Host), "use the address that \"apitrace web\" printed")
	case g.foreign(r):
		refuse(w, http.StatusForbidden, "a page of another origin sent this request", "open the address that \"apitrace web\" printed yourself")
	case r.ContentLength > mostIn(r):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has %d bytes: at most %d are accepted", r.ContentLength, mostIn(r)), "send a smaller one")
	case reads(r) && r.URL.Query().Has("token") && g.is(r.URL.Query().Get("token")):
		g.welcome(w, r, g.token)
	case reads(r) && r.URL.Query().Has("code"):
		g.redeem(w, r)
	case !g.authorized(r):
		refuse(w, http.StatusUnauthorized, "the token is missing or wrong", "open the address that \"apitrace web\" printed, or send its token as \"Authorization: Bearer TOKEN\"")
	case !reads(r) && r.Header.Get("Origin") == "" && r.Header.Get("Authorization") == "":
		// A browser sends the cookie by itself, and says with each write where that comes from.
		refuse(w, http.StatusForbidden, "the request changes something, and does not say which page sent it", "send the token as \"Authorization: Bearer TOKEN\"")
	default:
		r.Body = http.MaxBytesReader(w, r.Body, mostIn(r))
		g.next.ServeHTTP(w, r)
	}
}

// reads tells whether a request changes nothing.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// mostIn is how many bytes the body of a request may have.
func mostIn(r *http.Request) int64 {
	if r.Method == http.MethodPost && r.URL.Path == uploadPath {
		return mostUpload
	}
	return mostBody
}

// foreign tells whether a page of another origin sent the request. To open the address from a mail or another
// page is harmless: that sends a navigation, which shows nothing to who sent it.
func (g *guard) foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		host, ok := strings.CutPrefix(origin, "http://")
		return !ok || host != r.Host
	}
	site := r.Header.Get("Sec-Fetch-Site")
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet
	return site != "" && site != "same-origin" && site != "none" && !navigates
}

// welcome takes what is secret out of the address, and gives the browser a cookie.
func (g *guard) welcome(w http.ResponseWriter, r *http.Request, secret string) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	to := *r.URL
	query := to.Query()
	query.Del("token")
	query.Del("code")
	to.RawQuery = query.Encode()
	// A relative address: of "//other" a browser would make another host.
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

// same compares secrets in a time that says nothing of them.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
