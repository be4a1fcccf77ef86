package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// patience is the time that a test waits for a condition or an answer. It is long
// because machines may be slow. No test checks how fast something happens.
const patience = 3 * time.Minute

// common has the resources that the tests of
// this binary share. TestMain releases them.
var common struct {
	sync.Mutex
	ends    []func() error // run in reverse order
	folder  string         // a temporary folder
	browser context.Context
	server  string // the address
}

// TestMain runs the tests, and then ends the shared resources.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "web")
		if err == nil {
			common.folder = folder
			err = os.Setenv(program.StateEnv, folder+"/state")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		status := m.Run()
		var failures []error
		for _, end := range slices.Backward(common.ends) {
			failures = append(failures, end())
		}
		failures = append(failures, os.RemoveAll(folder))
		if err := errors.Join(failures...); err != nil {
			fmt.Fprintln(os.Stderr, "after the tests:", err)
			return 1
		}
		return status
	}())
}

// startBrowser starts a browser. end stops the browser and removes its files.
func startBrowser(path string) (ctx context.Context, end func() error, err error) {
	// The folder has a short path, because the path of a socket
	// can have at most 107 bytes. A browser that is killed leaves
	// the folder of its socket, org.chromium.Chromium.*, behind.
	folder, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.Env("TMPDIR="+folder), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(folder+"/profile"),
		chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en-US"))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	end = func() error {
		closeBrowser()
		endAllocator()
		// A browser process may still write to the folder.
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			if err := os.RemoveAll(folder); err == nil || time.Now().After(deadline) {
				return err
			}
		}
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return ctx, end, nil
}

// browser returns the browser that the tests share.
// It starts a new one if the browser has crashed.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := testenv.Chromium(t)
	common.Lock()
	defer common.Unlock()
	if common.browser == nil || common.browser.Err() != nil { // not yet started, or crashed in a former test
		ctx, end, err := startBrowser(path)
		if err != nil {
			t.Fatal(err)
		}
		common.browser, common.ends = ctx, append(common.ends, end)
	}
	return common.browser
}

// tabs limits how many tests drive the browser at the same time.
var tabs = make(chan struct{}, 2)

// parallel lets a test of the page run in parallel with others.
// Such a test must not change anything that the other tests see.
func parallel(t *testing.T) {
	t.Helper()
	testenv.Chromium(t)
	t.Parallel()
	tabs <- struct{}{}
	t.Cleanup(func() { <-tabs })
}

// A tab is a tab of the browser. Any error in it fails the test, unless
// forgive allows the error.
type tab struct {
	testing.TB
	ctx   context.Context
	close func()

	mu       sync.Mutex
	wrongs   []string
	forgiven []string // texts of errors that are allowed
}

// open opens a path of a server in a new tab. It adds the token to the
// address. width is in pixels.
func open(t testing.TB, server, path string, width int64) *tab {
	t.Helper()
	return openAt(t, server+"/?token="+token+path, server+"/", width)
}

// openAt opens an address in a new tab with its own cookies and
// storage. The tab may only load addresses that begin with within.
func openAt(t testing.TB, address, within string, width int64) *tab {
	t.Helper()
	return newTab(t, browser(t), address, within, width, chromedp.WithNewBrowserContext())
}

// another opens an address in a new tab that shares the cookies and storage of b.
func (b *tab) another(server, path string) *tab {
	b.Helper()
	return newTab(b.TB, b.ctx, server+"/"+path, server+"/", 1280)
}

func newTab(t testing.TB, parent context.Context, address, within string, width int64, options ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(parent, options...)
	t.Cleanup(closeTab)
	b := &tab{TB: t, ctx: ctx, close: closeTab}
	if err := chromedp.Do(ctx); err != nil { // without a limit: the tab lives as long as this context
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(width, 860))
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			if url := sent.Request.URL; !strings.HasPrefix(url, within) && !strings.HasPrefix(url, "data:") {
				b.wrong("the tab has sent a request to " + url)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			if message.Type == "error" || message.Type == "warning" || message.IsException() {
				b.wrong("the console says: " + message.String() + " " + message.URL)
			}
		}
	}()
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, wrong := range b.wrongs {
			if !slices.ContainsFunc(b.forgiven, func(text string) bool { return strings.Contains(wrong, text) }) {
				t.Error(wrong)
			}
		}
		if t.Failed() {
			b.screenshot()
		}
	})
	b.do(chromedp.Navigate(address))
	return b
}
