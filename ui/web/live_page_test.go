package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// setValue returns an expression that types a text into a field of the page.
func setValue(selector, value string) string {
	return fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.value = %q; f.dispatchEvent(new Event('input', {bubbles: true})); f.dispatchEvent(new Event('change', {bubbles: true})) })()`, selector, value)
}

// live returns an expression for the part of the live view with a heading.
func live(heading string) string {
	return fmt.Sprintf("document.querySelector('section[aria-labelledby=%s]')?", heading)
}

// TestPageStartsServersAndRecords uses all features of the
// live view with the mouse.
func TestPageStartsServersAndRecords(t *testing.T) {
	engine := &fakeEngine{hold: make(chan struct{})}
	address := start(t, web.Options{Engine: engine})
	b := open(t, address, "#/servers", 1280)
	b.until(live("servers") + ".textContent")
	b.until("document.querySelector('select[name=release] option:nth-child(2)').textContent.includes('minutes')")
	b.until(live("replay") + ".textContent.includes('Start a server first')")

	// The build is shown and can be cancelled.
	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.starting progress')?.value === 7")
	b.until("document.querySelector('.progress').textContent.includes('compiling 7/70')")
	b.until("document.querySelector('.notices').textContent === 'built <b>for</b> the first time'")
	b.click("document.querySelector('.server .stop')")
	b.until("!document.querySelector('.server')")

	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.starting')")
	b.until(live("servers") + ".querySelector('.go').disabled && document.querySelector('.why').textContent.startsWith('There is a server of v1.37.1 already') && " + live("servers") + ".querySelector('.go').title === document.querySelector('.why').textContent")
	close(engine.hold)
	b.until("document.querySelector('.server.ready')")
	b.until("document.querySelector('.commands pre').textContent.includes('export KUBECONFIG=/run/fake/kubeconfig')")

	// A replay links to its tree, and the reader can go back.
	b.until("[...document.querySelectorAll('select[name=scenario] option')].length > 30")
	b.click(live("replay") + ".querySelector('.go')")
	b.until(live("replay") + ".querySelector('.outcome a')?.textContent === 'get-node'")
	b.click(live("replay") + ".querySelector('.outcome a')")
	b.until(row("etcd3 store"))
	b.until("document.title.includes('v1.37.1')")
	b.until("document.querySelector('select.scenario').selectedOptions[0].textContent === 'GET one node' && document.querySelector('select.release').value === 'live'")
	b.back()
	b.until("document.querySelector('.server.ready')") // the server has not ended in the meantime

	// An invalid request is refused with a reason. A valid request shows its tree.
	js[any](b, setValue("input[name=path]", "nodes"))
	b.click(live("request") + ".querySelector('.go')")
	b.until("document.querySelector('.field-error')?.textContent.includes('begins with a slash') && document.activeElement !== document.body")
	b.until("document.querySelector('input[name=path]').getAttribute('aria-invalid') === 'true' && !document.querySelector('.problem')")
	js[any](b, setValue("input[name=path]", "/api/v1/pods/<img src=x onerror=alert(1)>"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')?.textContent === 'GET /api/v1/pods/<img src=x onerror=alert(1)>'")
	js[any](b, setValue("input[name=method]", "DELETE"))
	js[any](b, setValue("input[name=path]", "/api/v1/nodes/n7"))
	js[any](b, setValue("select[name=asker]", "learner"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')?.textContent === 'DELETE /api/v1/nodes/n7'")
	b.until(live("request") + ".querySelector('.notices').textContent === 'the answer: as learner'")
	// The answer is shown, but not that of a path with secrets.
	b.until(live("request") + ".querySelector('.answer-body pre')?.textContent.includes('\"note\": \"<b>\"') && " + live("request") + ".querySelector('.outcome .status.fine')")
	js[any](b, setValue("input[name=path]", "/api/v1/secrets"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')?.textContent === 'DELETE /api/v1/secrets' && !document.querySelector('.answer-body') && " + live("request") + ".querySelector('.outcome').textContent.includes('may hold secrets')")
	// An example fills the form.
	b.click("[...document.querySelectorAll('.examples-of button')].find((e) => e.textContent === 'create a ConfigMap')")
	b.until("document.querySelector('input[name=path]').value.endsWith('/configmaps') && document.querySelector('textarea[name=body]').value.includes('kind: ConfigMap')")
	b.until("!document.querySelector('.problem')")
	b.click("[...document.querySelectorAll('.examples-of button')].find((e) => e.textContent.includes('(403)'))")
	b.until("document.querySelector('select[name=asker]').value === 'learner' && document.querySelector('input[name=path]').value === '/api/v1/nodes'")

	// Requests of clients appear without a reload, with and without a trace.
	server := engine.server(t)
	server.client(t, "/api/v1/pods?<b>watch</b>")
	b.until("document.querySelector('tbody tr .title').textContent === 'GET /api/v1/pods?<b>watch</b>'")
	server.live.Untraced(session.Row{Method: "GET", Path: "/healthz", Err: fmt.Errorf("no calls came")})
	b.until("document.querySelector('tbody tr .failed')?.textContent === 'no calls came' && !document.querySelector('tbody tr:first-child a')")
	b.until("document.querySelectorAll('tbody tr').length === 6")

	// A file becomes a recording; an invalid file is refused.
	upload := func(name, text string) {
		quoted, _ := json.Marshal(text)
		js[any](b, fmt.Sprintf(`(() => { const d = new DataTransfer(); d.items.add(new File([%s], %q)); const f = document.querySelector('input[name=upload]'); f.files = d.files; f.dispatchEvent(new Event('change', {bubbles: true})) })()`, quoted, name))
	}
	upload("mine.json", handmade(t))
	b.until(live("upload") + ".querySelector('.outcome a')?.textContent === 'mine.json'")
	upload("not.json", "{}")
	b.until("document.querySelector('.problem')?.textContent.includes('apitrace run --save')")
	b.accessible()

	// The link saves the recording of the typed request.
	link := js[string](b, "[...document.querySelectorAll('tbody tr')].find((r) => r.textContent.includes('n7')).querySelector('a[download]').href")
	response, body := get(t, link)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Disposition") == "" {
		t.Errorf("saving the recording: got the status %s, expected a file", response.Status)
	}
	decode[map[string]any](t, string(body))

	b.click("document.querySelector('.server .stop')")
	b.until("!document.querySelector('.server')")
	<-server.done
	b.forgive("the server responded with a status of 400") // the answer to the invalid requests above
}

// forgive ignores errors that contain a text. It also applies to
// errors that the tab has already seen, and to errors that come later:
// the console may report a refused request after the page does.
func (b *tab) forgive(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgiven = append(b.forgiven, text)
}

// TestManyTabsShareTheEvents opens more live views than a browser has
// connections to one server, and closes them one after the other.
func TestManyTabsShareTheEvents(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine, Grace: time.Hour})
	browser := open(t, address, "#/latest/get-node/1", 1280) // keeps the browser open; it has no live view
	browser.until(row("Authentication"))
	var tabs []*tab
	for range 8 {
		b := browser.another(address, "#/servers")
		b.until(live("servers") + ".querySelector('.go')")
		tabs = append(tabs, b)
	}
	tabs[7].click(live("servers") + ".querySelector('.go')")
	for _, b := range tabs {
		b.until("document.querySelector('.server.ready')")
	}
	// The first tab has the stream. When it closes, another
	// tab takes over and also shows the events in between.
	server := engine.server(t)
	for i, b := range tabs[:7] {
		b.close()
		path := fmt.Sprintf("/api/v1/pods?of=%d", i)
		server.client(t, path)
		for _, left := range tabs[i+1:] {
			left.until(fmt.Sprintf("document.querySelector('tbody tr .title')?.textContent === 'GET %s'", path))
		}
	}
	if js[bool](tabs[7], "!!document.querySelector('.live > .failed')") {
		t.Error("the page says that the connection is lost")
	}
}

// anotherLive opens the live view in another tab. It waits until the page listens
// to the server's events, because a server without grace time would stop before.
func (b *tab) anotherLive(address string) *tab {
	b.Helper()
	other := b.another(address, "#/latest/get-node/1")
	js[any](other, `(() => { const real = EventSource; window.EventSource = class extends real {
		constructor(address) { super(address); this.addEventListener('open', () => { window.listens = true; }); }
	}; })()`)
	other.goTo("#/servers")
	other.until("window.listens")
	return other
}

// TestServerEndsWithTheLastTab uses two tabs and no grace time. The
// server must run while a live view is open, and stop with the last one.
func TestServerEndsWithTheLastTab(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine, Grace: time.Nanosecond})
	browser := open(t, address, "#/latest/get-node/1", 1280) // has no live view
	browser.is(row("Authentication"))
	b := browser.anotherLive(address)
	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.ready')")
	server := engine.server(t)
	server.client(t, "/api/v1/pods")
	b.until("document.querySelector('tbody tr .title')?.textContent === 'GET /api/v1/pods'")
	if len(liveState(t, address).Servers) != 1 {
		t.Fatal("the server has ended, although a tab is open")
	}
	b.close()
	testenv.Await(t, "the server is gone", func() bool { return len(liveState(t, address).Servers) == 0 })
	<-server.done
}

// TestReplayIsCancelledInThePage cancels a replay
// with the button, and by leaving the view.
func TestReplayIsCancelledInThePage(t *testing.T) {
	engine := &fakeEngine{}
	address := start(t, web.Options{Engine: engine})
	b := open(t, address, "#/servers", 400)
	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.ready')")
	engine.hold = make(chan struct{})
	b.click(live("replay") + ".querySelector('.go')")
	b.until("document.querySelector('.server .state').textContent.includes('get-node')")
	b.accessible()
	b.click(live("replay") + ".querySelector('.stop')")
	b.until(live("replay") + ".querySelector('.outcome').textContent === 'Cancelled.'")
	b.until("document.querySelector('.server .state').textContent === 'ready'")
	if js[bool](b, "(() => { const p = document.querySelector('.commands pre'); return p.scrollWidth > p.clientWidth; })()") {
		t.Error("a command is wider than its box, and runs below the copy button")
	}
	if wide := js[int](b, "document.documentElement.scrollWidth"); wide > 400 {
		t.Errorf("the page is %d pixels wide on a screen of 400 pixels", wide)
	}
	b.click("document.querySelector('.language')")
	b.until(live("servers") + ".textContent.includes('启动服务器')")
}
