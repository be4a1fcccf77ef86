package web_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestOnlyWhoHasTheTokenIsServed sends requests that the server must refuse.
func TestOnlyWhoHasTheTokenIsServed(t *testing.T) {
	address := served(t)
	host := strings.TrimPrefix(address, "http://")
	port := host[strings.LastIndex(host, ":")+1:]
	noToken := func(r *http.Request) { r.Header.Del("Authorization") }
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, test := range []struct {
		name   string
		method string
		path   string
		edit   func(*http.Request)
		status int
	}{
		{"the token", "GET", web.Base + "/releases", nil, 200},
		{"localhost", "GET", web.Base + "/releases", func(r *http.Request) { r.Host = "localhost:" + port }, 200},
		{"own origin", "GET", web.Base + "/releases", header("Origin", address), 200},
		{"no token", "GET", web.Base + "/releases", noToken, 401},
		{"no token, OpenAPI", "GET", web.OpenAPIPath, noToken, 401},
		{"no token, root", "GET", "/", noToken, 401},
		{"wrong token", "GET", web.Base + "/releases", header("Authorization", "Bearer "+token+"x"), 401},
		{"wrong token in the address", "GET", "/?token=x", noToken, 401},
		{"empty token in the address", "GET", "/?token=", noToken, 401},
		{"wrong cookie", "GET", web.Base + "/releases", func(r *http.Request) {
			noToken(r)
			r.AddCookie(&http.Cookie{Name: "apitrace-" + port, Value: "x"})
		}, 401},
		{"cookie of another port", "GET", web.Base + "/releases", func(r *http.Request) {
			noToken(r)
			r.AddCookie(&http.Cookie{Name: "apitrace-1", Value: token})
		}, 401},
		{"DNS rebinding", "GET", web.Base + "/releases", func(r *http.Request) { r.Host = "evil.example:" + port }, 403},
		{"another port", "GET", web.Base + "/releases", func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403},
		{"DNS rebinding with the token in the address", "GET", "/?token=" + token, func(r *http.Request) { r.Host = "evil.example:" + port }, 403},
		{"foreign origin", "GET", web.Base + "/releases", header("Origin", "http://evil.example"), 403},
		{"https origin", "GET", web.Base + "/releases", header("Origin", "https://"+host), 403},
		{"null origin", "GET", web.Base + "/releases", header("Origin", "null"), 403},
		{"foreign fetch", "GET", web.Base + "/releases", header("Sec-Fetch-Site", "cross-site"), 403},
		{"page of another port", "GET", web.Base + "/releases", header("Sec-Fetch-Site", "same-site"), 403},
		{"large body", "POST", web.Base + "/releases", func(r *http.Request) {
			r.ContentLength, r.Body = 2<<20, io.NopCloser(strings.NewReader(strings.Repeat("x", 2<<20)))
		}, 413},
		{"POST", "POST", web.Base + "/releases", nil, 405},
		{"DELETE", "DELETE", web.Base + "/scenarios", nil, 405},
		{"POST to the page", "POST", "/", nil, 405},
		{"a write of another origin", "POST", web.Base + "/live/servers", header("Origin", "http://evil.example"), 403},
		{"a write that is no JSON", "POST", web.Base + "/live/servers", func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
		}, 415},
		{"a write of a form", "POST", web.Base + "/live/servers", func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("a=b")), 3
		}, 415},
		{"a write with the cookie and no origin", "DELETE", web.Base + "/live/servers/1.37", func(r *http.Request) {
			noToken(r)
			r.AddCookie(&http.Cookie{Name: "apitrace-" + port, Value: token})
		}, 403},
		{"a write with the cookie", "DELETE", web.Base + "/live/servers/1.37", func(r *http.Request) {
			noToken(r)
			r.Header.Set("Origin", address)
			r.AddCookie(&http.Cookie{Name: "apitrace-" + port, Value: token})
		}, 404},
		{"a write with the token in the address", "POST", "/?token=" + token, noToken, 401},
		{"PUT", "PUT", web.Base + "/live", nil, 405},
		{"the page", "GET", "/", nil, 200},
		{"unknown route", "GET", web.Base + "/nothing", nil, 404},
		{"outside", "GET", "/etc/passwd", nil, 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, body := send(t, test.method, address+test.path, test.edit)
			if response.StatusCode != test.status {
				t.Fatalf("got the status %s, expected %d:\n%.300s", response.Status, test.status, body)
			}
			if test.status >= 400 {
				checkError(t, test.path, response, body)
			}
			if csp := response.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
				t.Errorf("Content-Security-Policy is %q, expected default-src 'none' and nothing unsafe", csp)
			}
		})
	}
}

func TestTokenBecomesACookie(t *testing.T) {
	address := served(t)
	noToken := func(r *http.Request) { r.Header.Del("Authorization") }
	for path, to := range map[string]string{
		"/?token=" + token: "/", "/?x=1&token=" + token: "/?x=1", "//evil.example/?token=" + token: "/evil.example/",
	} {
		response, _ := send(t, http.MethodGet, address+path, noToken)
		if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != to {
			t.Errorf("%s: got the status %s and the address %q, expected a redirection to %q", path, response.Status, response.Header.Get("Location"), to)
		}
	}
	response, _ := send(t, http.MethodGet, address+"/?token="+token, noToken)
	cookies := response.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Value != token {
		t.Fatalf("cookies %v, expected one that is HttpOnly and SameSite=Strict", response.Header["Set-Cookie"])
	}
	response, body := send(t, http.MethodGet, address+web.Base+"/releases", func(r *http.Request) {
		noToken(r)
		r.AddCookie(cookies[0])
	})
	if response.StatusCode != http.StatusOK {
		t.Errorf("a request with the cookie: got the status %s: %s", response.Status, body)
	}
}

// TestAnswersAllowNoOtherOrigin checks that no
// header lets pages of other origins read an answer.
func TestAnswersAllowNoOtherOrigin(t *testing.T) {
	address := served(t)
	for _, path := range []string{web.OpenAPIPath, web.Base + "/releases"} {
		response, _ := get(t, address+path)
		if allowed := response.Header.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s lets the origin %q read the answer", path, allowed)
		}
	}
}

// TestServeEndsCleanly cancels the server while a client
// is connected. Afterwards, the port must be free.
func TestServeEndsCleanly(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, listener, web.Options{Token: token}) }()
	idle, err := net.Dial("tcp", at) // a browser keeps such connections open
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if response, _ := get(t, "http://"+at+web.Base+"/scenarios"); response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatalf("the server has not ended after %v", patience)
	}
	again, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatalf("the port is still taken: %v", err)
	}
	again.Close()
}

func TestServeListensOnThisMachineAlone(t *testing.T) {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Serve(t.Context(), listener, web.Options{Token: token}); err == nil || !strings.Contains(err.Error(), "only this machine reaches") {
		t.Errorf("serving on %s: got the error %v, expected a refusal", listener.Addr(), err)
	}
}

// TestARefusedBrowserGetsAPage sends requests without the token:
// as a browser, in both languages, and as clients of the API.
func TestARefusedBrowserGetsAPage(t *testing.T) {
	address := served(t)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, test := range []struct {
		name, method, path, accept, lang, host, dest string
		status                                       int
		page                                         bool
		wanted                                       string
	}{
		{"English", "GET", "/", browser, "en-US", "", "document", 401, true, "Open the whole address that"},
		{"Chinese", "GET", "/", browser, "zh-CN,zh;q=0.9", "", "document", 401, true, `<html lang="zh">`},
		{"an old code", "GET", "/?code=x", browser, "", "", "", 401, true, "This address needs its token"},
		{"an address of the API", "GET", web.Base + "/releases", browser, "", "", "", 401, true, "This address needs its token"},
		{"another name", "GET", "/", browser, "", "evil.example", "", 403, true, "evil.example"},
		{"curl", "GET", "/", "*/*", "", "", "", 401, false, `"status":401`},
		{"a client", "GET", web.Base + "/releases", "application/json", "zh", "", "", 401, false, `"status":401`},
		{"a script of the page", "GET", web.Base + "/releases", "*/*", "", "", "empty", 401, false, `"status":401`},
		{"an image", "GET", "/", browser, "", "", "image", 401, false, `"status":401`},
		{"a write", "POST", web.Base + "/recordings", browser, "", "", "", 401, false, `"status":401`},
	} {
		response, body := send(t, test.method, address+test.path, func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Accept", test.accept)
			r.Header.Set("Accept-Language", test.lang)
			if test.dest != "" {
				r.Header.Set("Sec-Fetch-Dest", test.dest)
			}
			if test.host != "" {
				r.Host = test.host
			}
		})
		kind := "application/json"
		if test.page {
			kind = "text/html"
		}
		if response.StatusCode != test.status || !strings.HasPrefix(response.Header.Get("Content-Type"), kind) || !strings.Contains(string(body), test.wanted) || strings.Contains(string(body), token) {
			t.Errorf("%s: got the status %d, the type %s and the body %s", test.name, response.StatusCode, response.Header.Get("Content-Type"), body)
		}
	}
}

// TestTheRefusedPageInABrowser opens the address without its token and
// checks the page with axe. The browser's console reports the status 401.
func TestTheRefusedPageInABrowser(t *testing.T) {
	parallel(t)
	server := served(t)
	b := openAt(t, server+"/", server+"/", 400)
	b.forgive("401")
	b.is("document.querySelector('h1')?.textContent === 'This address needs its token'")
	b.is("getComputedStyle(document.querySelector('h1')).fontSize === '20px'")
	b.accessible()
}
