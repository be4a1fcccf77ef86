package web

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// codeTime is how long a browser has to come after it was opened.
const codeTime = time.Minute

// A code lets one browser in, once. The address that a browser is opened with is an argument of a process, which other users of the
// machine can see, so it has no token, but a code that is worth nothing once it was used. Where it is used twice within its
// time, somebody else may have been faster: then whoever came first is no longer let in either.
type code struct {
	value string
	// session is the value of the cookie that the code is worth.
	session string
	until   time.Time
	// abused is called when the code was used twice.
	abused func()

	mu            sync.Mutex
	used, revoked bool
}

func newCode(abused func()) *code {
	return &code{value: rand.Text(), session: rand.Text(), until: time.Now().Add(codeTime), abused: abused}
}

// use tells whether a code lets in.
func (c *code) use(value string) bool {
	if c == nil || !same(value, c.value) || time.Now().After(c.until) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.used {
		c.used = true
		return true
	}
	if !c.revoked {
		c.revoked = true
		c.abused()
	}
	return false
}

// is tells whether a cookie is what the code was worth.
func (c *code) is(cookie string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used && !c.revoked && same(cookie, c.session)
}

// redeem lets a browser in that shows the code, or shows it again and is in already.
func (g *guard) redeem(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.authorized(r):
		g.welcome(w, r, g.cookieOf(r))
	case g.code.use(r.URL.Query().Get("code")):
		g.welcome(w, r, g.code.session)
	default:
		refuse(w, http.StatusUnauthorized, "the code in the address was used, or is too old", "open the address that \"apitrace web\" printed")
	}
}

// cookieOf is the cookie of somebody who is authorized; without one, that of the token.
func (g *guard) cookieOf(r *http.Request) string {
	if cookie, err := r.Cookie(g.cookie); err == nil && (g.is(cookie.Value) || g.code.is(cookie.Value)) {
		return cookie.Value
	}
	return g.token
}
