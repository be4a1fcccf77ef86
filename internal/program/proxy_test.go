package program

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// A badProxy is a module proxy that answers requests as it should, up to one.
type badProxy struct {
	// good is the address of the proxy that has the answers.
	good string
	// from is the number of requests that it answers well; bad answers the next one and all that follow.
	from int32
	bad  func(w http.ResponseWriter, r *http.Request, answer []byte)

	requests atomic.Int32
}

func (p *badProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := http.Get(p.good + r.URL.Path)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if p.requests.Add(1) > p.from {
		p.bad(w, r, body)
		return
	}
	w.WriteHeader(answer.StatusCode)
	w.Write(body)
}

// TestBadProxy: a module proxy that breaks off or is out of order ends the build with an error, at whichever request it
// begins, and spoils neither the cache nor Go's module cache.
func TestBadProxy(t *testing.T) {
	needsBuilds(t)
	for name, bad := range map[string]func(w http.ResponseWriter, r *http.Request, answer []byte){
		"breaks off": func(w http.ResponseWriter, _ *http.Request, answer []byte) {
			w.Header().Set("Content-Length", "1000000")
			w.Write(answer[:len(answer)/2])
			panic(http.ErrAbortHandler)
		},
		"is out of order": func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			http.Error(w, "<html><body>Bad gateway</body></html>", http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for from := range int32(100) {
				serveModules(t)
				good := os.Getenv("GOPROXY")
				proxy := &badProxy{good: good, from: from, bad: bad}
				server := httptest.NewServer(proxy)
				t.Setenv("GOPROXY", server.URL)
				c := newCache(t)
				_, err := Build(t.Context(), tiny(), Options{Cache: c})
				server.Close()
				if proxy.requests.Load() <= from {
					if from == 0 || err != nil {
						t.Errorf("without a bad answer: %v", err)
					}
					return
				}
				// Go can do without some answers.
				if err != nil && !strings.Contains(err.Error(), server.URL) {
					t.Errorf("bad from request %d on: %v, want an error that names %s", from+1, err, server.URL)
				}
				if from == 0 && err == nil {
					t.Error("a build without a single good answer")
				}
				t.Setenv("GOPROXY", good)
				b, _ := mustBuild(t, tiny(), Options{Cache: c})
				if got := output(t, b); !strings.HasPrefix(got, "hello staged") {
					t.Errorf("bad from request %d on: afterwards the program says %q", from+1, got)
				}
			}
			t.Error("the proxy gets more requests than expected")
		})
	}
}

// TestHangingProxy: a build that waits for a module proxy can be stopped.
func TestHangingProxy(t *testing.T) {
	needsBuilds(t)
	good := os.Getenv("GOPROXY")
	ctx, cancel := context.WithCancel(t.Context())
	proxy := &badProxy{good: good, from: 1, bad: func(_ http.ResponseWriter, r *http.Request, _ []byte) {
		cancel()
		<-r.Context().Done()
	}}
	server := httptest.NewServer(proxy)
	defer server.Close()
	t.Setenv("GOPROXY", server.URL)
	c := newCache(t)
	if _, err := Build(ctx, tiny(), Options{Cache: c}); !errors.Is(err, context.Canceled) {
		t.Errorf("Build: %v, want %v", err, context.Canceled)
	}
	t.Setenv("GOPROXY", good)
	mustBuild(t, tiny(), Options{Cache: c})
}
