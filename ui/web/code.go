package web

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// codeTime is the time that an opened browser has to use its code.
const codeTime = time.Minute

// A code lets one browser in, once. Other users of the machine can see the
// address that opens a browser, because it is an argument of a process. So
// this address contains a code, and not the token. If the code is used
// twice within its time, somebody else may have used it first. Then the
// first user loses access, too.
type code struct {
	value string
	// session is the value of the cookie that the browser gets for the code.
	session string
	until   time.Time
	// abused is called once, when the code is used a second time.
	abused func()

	mu            sync.Mutex
	used, revoked bool
}

func newCode(abused func()) *code {
	return &code{value: rand.Text(), session: rand.Text(), until: time.Now().Add(codeTime), abused: abused}
}

// use reports whether value is the code, within its time and for the first time.
// A second use revokes the session and calls abused. A nil code accepts nothing.
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

// is reports whether a cookie has the session's value and the
// code was used exactly once. It returns false for a nil code.
func (c *code) is(cookie string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used && !c.revoked && same(cookie, c.session)
}

// redeem lets a browser in that sends the unused code. It also lets an authorized
// browser in, because a browser may send the code again after it has the cookie.
func (g *guard) redeem(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.authorized(r):
		g.welcome(w, r, g.cookieOf(r))
	case g.code.use(r.URL.Query().Get("code")):
		g.welcome(w, r, g.code.session)
	default:
		g.refuse(w, r, newError(http.StatusUnauthorized, message.NewError("the code in the address was used, or is too old"), message.Of("open the address that apitrace printed")))
	}
}

// cookieOf returns the value of a request's valid cookie, or the token
// if the request has none.
func (g *guard) cookieOf(r *http.Request) string {
	if cookie, err := r.Cookie(g.cookie); err == nil && (g.is(cookie.Value) || g.code.is(cookie.Value)) {
		return cookie.Value
	}
	return g.token
}
