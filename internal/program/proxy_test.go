package program

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/sumdb/note"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A badProxy is a module proxy that answers correctly up to a certain request.
type badProxy struct {
	// good is the address of the proxy with the correct answers.
	good string
	// from is the number of correct answers. bad gives all later answers.
	from int32
	bad  func(w http.ResponseWriter, r *http.Request, answer []byte)

	requests atomic.Int32
	// url is the address of this proxy. The method build sets it.
	url string
}

// build builds tiny in a new cache with the modules that the proxy serves.
func (p *badProxy) build(t *testing.T) (*Cache, error) {
	t.Helper()
	server := httptest.NewServer(p)
	defer server.Close()
	p.url = server.URL
	t.Setenv("GOPROXY", p.url)
	c := newCache(t)
	_, err := Build(t.Context(), tiny(), Options{Cache: c})
	return c, err
}

// mustHaveSpoiltNothing builds tiny again, with the good proxy, and with the caches that the bad
// proxy has filled.
func (p *badProxy) mustHaveSpoiltNothing(t *testing.T, c *Cache) {
	t.Helper()
	t.Setenv("GOPROXY", p.good)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	if got := output(t, b); !strings.HasPrefix(got, "hello staged") {
		t.Errorf("after a build with bad answers from request %d on, the program says %q, want hello staged", p.from+1, got)
	}
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

// everyFifth is the step between the first bad requests of a quick test. A slow test tries
// every request.
const everyFifth = 5

// TestBadProxy checks that a module proxy with incomplete answers or errors ends the build with
// an error. It must damage neither the cache nor Go's module cache. The bad answers begin at
// every fifth request.
func TestBadProxy(t *testing.T) { checkBadProxy(t, everyFifth) }

// TestSlowBadProxy begins the bad answers at every request.
func TestSlowBadProxy(t *testing.T) {
	testenv.Slow(t)
	checkBadProxy(t, 1)
}

func checkBadProxy(t *testing.T, step int32) {
	needsBuilds(t)
	for name, bad := range map[string]func(w http.ResponseWriter, r *http.Request, answer []byte){
		"incomplete answers": func(w http.ResponseWriter, _ *http.Request, answer []byte) {
			w.Header().Set("Content-Length", "1000000")
			w.Write(answer[:len(answer)/2])
			panic(http.ErrAbortHandler)
		},
		"errors": func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			http.Error(w, "<html><body>Bad gateway</body></html>", http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for from := int32(0); from < 100; from += step {
				serveModules(t)
				proxy := &badProxy{good: os.Getenv("GOPROXY"), from: from, bad: bad}
				c, err := proxy.build(t)
				if proxy.requests.Load() <= from {
					if from == 0 || err != nil {
						t.Errorf("a build without a bad answer: got the error %v, want none", err)
					}
					return
				}
				// Go can build without some of the answers.
				if err != nil && !strings.Contains(err.Error(), proxy.url) {
					t.Errorf("bad answers from request %d on: got %v, want an error that names %s", from+1, err, proxy.url)
				}
				if from == 0 && err == nil {
					t.Error("a build without a good answer: got no error, want one")
				}
				proxy.mustHaveSpoiltNothing(t, c)
			}
			t.Error("a build sends more than 100 requests, want fewer")
		})
	}
}

// TestLyingProxy checks that the checksum database detects a module proxy with another go.mod or
// other source than was published. No program is built from these files, and Go's module cache
// keeps none of them. The lies begin at every fifth request.
func TestLyingProxy(t *testing.T) { checkLyingProxy(t, everyFifth) }

// TestSlowLyingProxy begins the lies at every request.
func TestSlowLyingProxy(t *testing.T) {
	testenv.Slow(t)
	checkLyingProxy(t, 1)
}

func checkLyingProxy(t *testing.T, step int32) {
	needsBuilds(t)
	lies := 0
	for from := int32(0); from < 100; from += step {
		serveModules(t)
		good := os.Getenv("GOPROXY")
		publishSums(t, good)
		var lied atomic.Bool
		proxy := &badProxy{good: good, from: from, bad: func(w http.ResponseWriter, r *http.Request, answer []byte) {
			switch path.Ext(r.URL.Path) {
			case ".mod":
				lied.Store(true)
				answer = append(answer, "// a lie\n"...)
			case ".zip":
				lied.Store(true)
				answer = changed(t, answer)
			}
			w.Write(answer)
		}}
		c, err := proxy.build(t)
		if proxy.requests.Load() <= from {
			if err != nil || lies == 0 {
				t.Errorf("a build without a lie: got the error %v, want none, after %d builds with lies, want at least one", err, lies)
			}
			return
		}
		if lied.Load() {
			lies++
			if err == nil || !strings.Contains(err.Error(), "checksum mismatch") {
				t.Errorf("lies from request %d on: got %v, want an error that reports a checksum mismatch", from+1, err)
			}
		}
		proxy.mustHaveSpoiltNothing(t, c)
	}
	t.Error("a build sends more than 100 requests, want fewer")
}

// changed returns the zip file of a module, with more text in each Go file.
func changed(t *testing.T, module []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(module), int64(len(module)))
	if err != nil {
		t.Error(err)
		return nil
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		from, err := f.Open()
		if err != nil {
			t.Error(err)
			return nil
		}
		to, err := w.Create(f.Name)
		if err == nil {
			_, err = io.Copy(to, from)
		}
		if err == nil && path.Ext(f.Name) == ".go" {
			_, err = io.WriteString(to, "\nfunc init() { panic(\"a lie\") }\n")
		}
		if err != nil {
			t.Error(err)
			return nil
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return out.Bytes()
}

// publishSums serves a checksum database for the modules of a proxy to the go command.
func publishSums(t *testing.T, proxy string) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "sums.example.org")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	server := httptest.NewServer(sumdb.NewServer(sumdb.NewTestServer(private, func(modulePath, version string) ([]byte, error) {
		base := proxy + "/" + modulePath + "/@v/" + version
		goMod, err := download(dir, base+".mod")
		if err != nil {
			return nil, err
		}
		ofMod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(goMod) })
		if err != nil {
			return nil, err
		}
		source, err := download(dir, base+".zip")
		if err != nil {
			return nil, err
		}
		ofZip, err := dirhash.HashZip(source, dirhash.Hash1)
		return fmt.Appendf(nil, "%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", modulePath, version, ofZip, ofMod), err
	})))
	t.Cleanup(server.Close)
	t.Setenv("GOSUMDB", public+" "+server.URL)
	t.Setenv("GOPATH", t.TempDir()) // the go command stores the database's answers there
}

// download fetches a file into a folder.
func download(dir, url string) (string, error) {
	answer, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", url, answer.Status)
	}
	to, err := os.CreateTemp(dir, "download")
	if err != nil {
		return "", err
	}
	defer to.Close()
	_, err = io.Copy(to, answer.Body)
	return to.Name(), err
}

// TestHangingProxy checks that a build can be canceled while it waits for a module proxy.
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
