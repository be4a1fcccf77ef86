package web_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/view"
)

//go:embed testdata/axe/axe.min.js
var axe string

func (b *tab) wrong(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrongs = append(b.wrongs, what)
}

// screenshot saves a screenshot if the test has failed.
func (b *tab) screenshot() {
	png, err := run(b, chromedp.CaptureScreenshot())
	if err != nil {
		b.Logf("no screenshot: %v", err)
		return
	}
	file := filepath.Join(os.TempDir(), strings.ReplaceAll(b.Name(), "/", "-")+".png")
	if err := os.WriteFile(file, png, 0o644); err == nil {
		b.Logf("screenshot: %s", file)
	}
}

// run runs an action with the time limit patience.
func run[T any](b *tab, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	for _, action := range actions {
		if _, err := run(b, action); err != nil {
			b.Fatal(err)
		}
	}
}

// js evaluates an expression when the page is idle.
func js[T any](b *tab, expression string) T {
	b.Helper()
	now[any](b, whenIdle(""))
	return now[T](b, expression)
}

// now evaluates an expression at once, whether the page is idle or not.
func now[T any](b *tab, expression string) T {
	b.Helper()
	value, err := run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// settled defines window.settled. This function returns a promise that is
// resolved when the page is idle (ui/web/page/src/idle.ts). A page without
// a script is idle when it is loaded. The page must be idle before and
// after a frame, because events such as scroll come with the next frame.
const settled = `window.settled ??= async () => {
	const turn = () => new Promise((go) => document.hidden ? setTimeout(go) : requestAnimationFrame(() => setTimeout(go)));
	const busy = () => document.readyState !== 'complete' || document.scripts.length > 0 && !('idle' in document.documentElement.dataset);
	for (let before = true; before;) { before = busy(); await turn(); before ||= busy(); }
};`

// whenIdle returns an expression that runs a function body
// when the page is idle. Its value is the value of the body.
func whenIdle(body string) string {
	return "(async () => { " + settled + " await settled(); " + body + " })()"
}

// is fails the test unless an expression is true when the page is idle.
func (b *tab) is(expression string) {
	b.Helper()
	if !now[bool](b, whenIdle("return !!("+expression+")")) {
		b.Fatalf("%s: the page is idle, and this is not true: %s", now[string](b, "location.href"), expression)
	}
}

// until waits until the page is idle and an expression
// is true. It is for expressions that depend on events
// of the server, or on requests that can be cancelled.
func (b *tab) until(expression string) {
	b.Helper()
	b.waitFor(patience, whenIdle("return !!("+expression+")"), expression)
}

// untilBusy waits until an expression is true, whether the page is idle or not.
func (b *tab) untilBusy(expression string) {
	b.Helper()
	b.waitFor(patience, "!!("+expression+")", expression)
}

// forABuild is the time limit for the build of a server.
const forABuild = 20 * time.Minute

// within is like until, with another time limit.
func (b *tab) within(limit time.Duration, expression string) {
	b.Helper()
	b.waitFor(limit, whenIdle("return !!("+expression+")"), expression)
}

func (b *tab) waitFor(limit time.Duration, script, expression string) {
	b.Helper()
	deadline := time.Now().Add(limit)
	for !now[bool](b, script) {
		if time.Now().After(deadline) {
			b.Fatalf("%s: after %v this is not true: %s", now[string](b, "location.href"), limit, expression)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// row returns an expression for the first row of the tree that contains text.
func row(text string) string {
	return fmt.Sprintf("[...document.querySelectorAll('[role=treeitem]')].find((r) => r.textContent.includes(%q))", text)
}

// click waits for an element and an idle page, and clicks the element.
func (b *tab) click(expression string) {
	b.Helper()
	b.waitFor(patience, whenIdle("const e = "+expression+"; e?.click(); return !!e"), expression)
}

// press presses keys. Before each key it waits until the page is idle.
func (b *tab) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		now[any](b, whenIdle(""))
		b.do(chromedp.KeyEvent(key))
	}
}

// goTo sets the hash of the page's address.
func (b *tab) goTo(hash string) {
	b.Helper()
	js[any](b, fmt.Sprintf("location.hash = %q", hash))
}

// reopen loads an address of a server again, like a reader who follows
// a link. It returns the tab, with the same cookies and storage.
func (b *tab) reopen(server, path string) *tab {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(server+"/"+path))
	return b
}

// back goes back one step in the history of the page.
func (b *tab) back() {
	b.Helper()
	js[any](b, "new Promise((done) => { addEventListener('popstate', () => done(null), { once: true }); history.back(); })")
}

// firstRequest is the address of the request that learners read first.
const firstRequest = "#/latest/get-node/1"

const heading = "(document.querySelector('.code h2')?.textContent ?? '')"

func TestPageShowsTheTreeOfTheTerminal(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1?open=all", 1280)
	b.is(row("etcd3 store"))
	_, body := get(t, server+web.Base+"/releases/latest/scenarios/get-node/requests/1/view")
	var shown view.Trace
	if err := json.Unmarshal(body, &shown); err != nil {
		t.Fatal(err)
	}
	drawn := js[string](b, "document.querySelector('.tree').textContent")
	has := func(texts ...string) {
		for _, text := range texts {
			if !strings.Contains(drawn, text) {
				t.Errorf("the page does not show %q", text)
			}
		}
	}
	var step func(s *view.TraceStep)
	step = func(s *view.TraceStep) {
		has(s.Name, s.Time, s.Failure)
		if s.Section == 0 {
			has(s.Place)
		}
		for _, v := range s.Values {
			has(v.Text)
		}
		for i := range s.Children {
			step(&s.Children[i])
		}
	}
	for _, section := range shown.Sections {
		has(fmt.Sprintf("%d %s", section.Number, section.Title), section.Called)
		for _, said := range section.Sentences {
			has(said.Text)
		}
		step(&section.Root)
	}
	if title := js[string](b, "document.querySelector('h1').textContent"); title != "GET /api/v1/nodes/n1 → 200" {
		t.Errorf("the title is %q, expected the request and its status", title)
	}
	// No line goes on below the last call of a caller.
	if wrong := js[[]string](b, `[...document.querySelectorAll('[role=treeitem]')].flatMap((row, i, all) => {
		const elbow = row.querySelector('.g.elbow.last'), level = +row.ariaLevel;
		if (!elbow) return [];
		const at = [...row.querySelectorAll('.g')].indexOf(elbow), end = all.findIndex((r, k) => k > i && +r.ariaLevel <= level);
		return all.slice(i + 1, end < 0 ? undefined : end).filter((r) => !r.querySelectorAll('.g')[at].matches('.ended')).map((r) => r.textContent);
	})`); len(wrong) > 0 {
		t.Errorf("a line goes on below the last call of a caller: %q", wrong)
	}
	// A step with folded calls is opened and closed again.
	before := js[int](b, "document.querySelectorAll('[role=treeitem]').length")
	b.click("document.querySelector('.fold')")
	b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length > %d", before))
	b.is(row("filters.withAuditInit.func1"))
	b.click("document.querySelector('.fold')")
	b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length === %d", before))
	// A section can be closed.
	b.click("document.querySelectorAll('.section')[1]")
	b.is("document.querySelectorAll('.section')[1].getAttribute('aria-expanded') === 'false'")
}

func TestPageFollowsCallsInTheSource(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1?open=all", 1280)
	b.click(row("etcd3.(*store).Get"))
	b.is(heading + " === '(*store).Get'")
	b.is("document.querySelector('.l.ran')")
	if text := js[string](b, "document.querySelector('.k-comment').textContent"); text != `// Get gets "<b>".` {
		t.Errorf("the first comment is %q, expected the comment in the source", text)
	}
	if note := js[string](b, "document.querySelector('.note').textContent"); !strings.Contains(note, "Reads one key") {
		t.Errorf("the note is %q, expected the guide's note", note)
	}
	link := js[string](b, "location.hash")
	// A call on a line can be followed, and the reader can go back.
	b.click("[...document.querySelectorAll('.marks button')].find((m) => m.textContent.includes('kubernetes.Client.Get'))")
	b.is(heading + " === 'Client.Get'")
	b.is("document.querySelector('[aria-selected=true]')?.textContent.includes('kubernetes.Client.Get')")
	b.back()
	b.is(heading + " === '(*store).Get'")
	// The caller's line is shown where the call was made.
	b.click("document.querySelector('.from .link')")
	b.is(heading + " === '(*corruptObjectDeleter).Get'")
	// The tree unfolds the path to a folded call.
	b.is("document.querySelector('[aria-selected=true]')?.textContent.includes('corruptObjectDeleter')")
	b.is("document.querySelector('.nosource')") // the test has no source file for it
	// A link still works when it is loaded again, because
	// it has the name of the call and not its number.
	if strings.Contains(link, "418") || !strings.Contains(link, "store%29.Get") && !strings.Contains(link, "store).Get") {
		t.Errorf("the link %q does not have the name of the call", link)
	}
	again := b.reopen(server, link)
	again.is(heading + " === '(*store).Get'")
	again.is("document.querySelector('[aria-selected=true]')?.textContent.includes('etcd3.(*store).Get')")
	// In another release, the link finds the same call.
	again.is("[...document.querySelector('select.release').options].some((o) => o.value === 'v1.30.4')")
	js[any](again, `(() => { const s = document.querySelector('select.release'); s.value = 'v1.30.4'; s.dispatchEvent(new Event('change', {bubbles: true})) })()`)
	again.is("location.hash.includes('v1.30.4')")
	again.is("document.querySelector('.nosource')?.textContent.includes('v1.30.4')")
	again.is(heading + " === '(*store).Get'")
}

func TestPageSearchesAllRecordings(t *testing.T) {
	parallel(t)
	b := open(t, served(t), firstRequest, 1280)
	b.is(row("Authentication"))
	searchFor := func(text string) {
		b.press("/")
		b.is("document.activeElement.name === 'text'")
		js[any](b, "document.activeElement.select()") // also the slash, which a real keyboard does not write
		b.press(text, kb.Enter)
	}
	searchFor("corruptObjectDeleter).Get")
	b.is("document.querySelector('.found .text')?.textContent.includes('corruptObjectDeleter).Get')")
	b.is("location.hash.startsWith('#/search?text=')")
	b.click("document.querySelector('.places .link')")
	b.is(heading + ".includes('(*corruptObjectDeleter).Get')")
	b.back()
	b.is("document.querySelector('.found')")
	// The name leads to the page of the function.
	b.click("document.querySelector('.found a.text')")
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.(*corruptObjectDeleter).Get'")
	b.forgive("the server responded with a status of 404") // of its source, which the test does not have
	b.back()
	b.is("document.querySelector('.found')")
	// A value links to a call that has it.
	searchFor("flow_schema=global-default")
	b.is("document.querySelector('.found .kind')?.textContent === 'value' && document.querySelector('.found .text').textContent.includes('flow_schema')")
	b.click("document.querySelector('.places .link')")
	b.is("document.querySelector('.attributes')?.textContent.includes('global-default')")
	b.back()
	b.is("document.querySelector('.found')")
	// A click on its text does the same, in the request that learners know first.
	b.click("document.querySelector('.found span.text')")
	b.is("document.querySelector('.attributes')?.textContent.includes('global-default')")
}

func TestPageSpeaksChineseAndKeepsTheTheme(t *testing.T) {
	parallel(t)
	b := open(t, served(t), firstRequest, 1280)
	b.is(row("Authentication"))
	b.click("document.querySelector('.language')")
	b.is(row("身份认证"))
	b.is("document.documentElement.lang === 'zh'")
	js[any](b, `(() => { const s = document.querySelector('.theme'); s.value = 'dark'; s.dispatchEvent(new Event('change', {bubbles: true})) })()`)
	b.is("getComputedStyle(document.body).backgroundColor === 'rgb(21, 24, 28)'")
	b.do(chromedp.Reload())
	b.is(row("身份认证"))
	b.is("document.documentElement.dataset.theme === 'dark'")
}

func TestPageWorksWithTheKeyboardAlone(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?open=all", 1280)
	b.is(row("Authentication"))
	b.press(kb.Tab, kb.Enter) // the link past the elements before the tree
	b.is("document.activeElement.getAttribute('role') === 'treeitem'")
	b.is(heading + " === '(*APIServerHandler).ServeHTTP'") // the selected call comes first
	b.press(kb.Home)
	b.is("document.activeElement.classList.contains('section')")
	b.press(kb.ArrowDown, kb.ArrowDown, kb.Enter)
	b.is(heading + " !== '(*APIServerHandler).ServeHTTP'")
	b.is("document.activeElement === document.querySelectorAll('[role=treeitem]')[2] && document.activeElement.getAttribute('aria-selected') === 'true'")
	before := js[int](b, "document.querySelectorAll('[role=treeitem]').length")
	b.press(kb.ArrowRight) // opens folded calls
	b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length > %d", before))
	b.press(kb.ArrowLeft)
	b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length === %d", before))
	// Unfolding a call other than the selected one does not move the focus.
	b.press(kb.ArrowDown, kb.ArrowRight)
	b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length > %d", before))
	b.press(kb.ArrowDown)
	b.is("document.activeElement === document.querySelectorAll('[role=treeitem]')[4]")
	b.press(kb.End)
	b.is("document.activeElement === [...document.querySelectorAll('[role=treeitem]')].at(-1)")
	b.press(kb.Home)
	b.is("document.activeElement.classList.contains('section')")
	b.press(kb.ArrowLeft)
	b.is("document.activeElement.getAttribute('aria-expanded') === 'false'")
}

func TestPageScrollsThroughTheStartOfAServer(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/boot/1?view=calls", 1280)
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
	b.is("document.querySelector('.facts').textContent.includes('" + humanize.Comma(int64(callsOf(t, "boot"))) + "')")
	js[any](b, "document.querySelector('.all').scrollTop = 3000000")
	b.is("document.querySelector('.row.flat[aria-posinset=\"125001\"] .place')")
	if rows := js[int](b, "document.querySelectorAll('.row').length"); rows > 200 {
		t.Errorf("the page has %d rows, expected at most 200", rows)
	}
	b.click("document.querySelector('.row.flat[aria-posinset=\"125001\"]')")
	b.is("document.querySelector('.about')?.textContent.includes('125,001')")
	js[int](b, scroll) // BenchmarkPageFrames measures it
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
}

// hostile is a script that an attacker might use as the name of an object.
const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

// hostileEverywhere puts hostile into the texts of a recording.
func hostileEverywhere(rec *trace.Recording) {
	r := &rec.Requests[0]
	r.Path = "/api/v1/namespaces/default/pods/" + hostile
	rec.Scenario, r.Incomplete = hostile, []string{hostile}
	for i := range r.Calls {
		c := &r.Calls[i]
		c.Error, c.Process = hostile, "kube-apiserver"
		for name := range c.Attributes {
			c.Attributes[name] = hostile
		}
		if i%7 == 3 {
			c.Function = "k8s.io/x." + hostile
		}
	}
	r.Calls[0].Attributes = map[string]string{"apitrace." + hostile: hostile}
	r.Stored = []trace.StoredKey{{Op: "PUT", Key: hostile, Revision: 1}}
}

func TestPageEscapesWhatWasRecorded(t *testing.T) {
	rec := recorded(t, "get-node")
	hostileEverywhere(rec)
	b := open(t, start(t, web.Options{Files: []web.File{{Name: "hostile.jsonl", Recording: rec}}}), "#/v1.37.1/hostile.jsonl/1?open=all", 1280)
	b.is("document.body.innerText.includes('onerror=')")
	b.is("document.querySelector('.attributes')?.textContent.includes('onerror=')")
	for i, text := range []string{"onerror=", "script>"} { // first the key steps, then all calls by short names
		if i > 0 {
			b.click(fmt.Sprintf("[...document.querySelectorAll('.views a')][%d]", i))
		}
		b.is(row(text))
		if js[bool](b, "!!document.querySelector('img, body script') || !!window.hacked") {
			t.Error("a recorded script became a part of the page")
		}
	}
}

// accessible checks the page with axe, in both themes. In the dark theme
// it only checks the rules about colours, because nothing else differs.
func (b *tab) accessible() {
	b.Helper()
	if !js[bool](b, "'axe' in window") {
		js[any](b, axe+";null")
	}
	for _, test := range [][2]string{{"light", ""}, {"dark", ", runOnly: ['color-contrast', 'link-in-text-block']"}} {
		theme, rules := test[0], test[1]
		b.emulate("", theme)
		found := js[[]string](b, `axe.run(document, {resultTypes: ['violations']`+rules+`}).then((r) => r.violations
			.filter((v) => v.impact === 'serious' || v.impact === 'critical')
			.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ': ' + n.html.slice(0, 200) + ': ' + n.failureSummary)))`)
		for _, violation := range found {
			b.Errorf("%s: %s", theme, violation)
		}
	}
	if js[bool](b, "innerWidth <= 400 && document.documentElement.scrollWidth > innerWidth") {
		b.Error("the page is wider than the screen")
	}
}

// emulate shows the page on a medium such as "print", in the colours of a theme.
func (b *tab) emulate(medium, theme string) {
	b.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium}
	if theme != "" {
		params.Features = []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.Fatal(err)
	}
}

// A pageView is a view of the page. ready is true when the view is shown. width
// is the width in pixels for TestPageIsAccessible.
type pageView struct {
	name, path, ready string
	width             int64
}

var views = []pageView{
	{"tree", firstRequest, row("etcd3 store"), 1280},
	{"code", "#/latest/get-node/1?call=" + escape(storeGet), "document.querySelector('.l.ran')", 400},
	{"failure", "#/latest/get-forbidden/1?open=all", row("failed"), 1280},
	{"calls", "#/latest/get-node/1?view=calls", "document.querySelectorAll('.row.flat .place').length > 10", 1280},
	{"search", "#/search?text=corruptObject", "document.querySelector('.found .text')", 400},
	{"found scenarios", "#/search?text=kubectl+delete+pods", "document.querySelector('.scenarios a')", 400},
	{"comparison", compared + "&call=" + escape(storeGet), "document.querySelector('.compare-right .nosource')", 1280},
	{"sides", compared + "&look=sides", "document.querySelector('.merged .side')", 1280},
	{"comparison without a call", compared, "document.querySelector('.merged .row.added')", 400},
	{"releases", "#/releases?scenario=get-node", "document.querySelector('.releases')", 400},
	{"map", "#/latest/create-deployment/1?view=map", "document.querySelector('.line')", 1280},
	{"story", followed + "?view=story", "document.querySelectorAll('.story li').length > 20", 1280},
	{"stop of the map", "#/latest/get-node/1?view=map&stop=4", "document.querySelector('.line.now')", 1280},
	{"start", "#/latest/boot/1?view=map", "document.querySelector('.boot-server')", 400},
	{"time line", "#/latest/get-node/1?view=time", "document.querySelector('.span')?.textContent.match(/^0ms to \\d/)", 1280},
	{"player", "#/latest/get-node/1?at=entered&call=" + escape(storeGet), "document.querySelector('.layer-box.lit')", 400},
	{"type", "#/type?name=" + store, "document.querySelector('.type .told')", 400},
	{"function", function(storeGet), "document.querySelector('.releases-of tbody') && document.querySelector('.function .lines')", 1280},
	{"scenarios", "#/start", "document.querySelector('.card')", 400},
	{"guide", "#/guide", "document.querySelectorAll('.guide dl > div').length > 100", 400},
}

// TestPageIsAccessible checks each view with axe in both themes, at one width.
func TestPageIsAccessible(t *testing.T) {
	parallel(t)
	areAccessible(t, views)
}

// TestNightlyPageIsAccessible checks the views at the other width. It
// also checks the table of all releases, which takes long to fill.
func TestNightlyPageIsAccessible(t *testing.T) {
	testenv.Nightly(t)
	others := append(slices.Clone(views), pageView{"all releases", "#/releases", "document.querySelectorAll('.overview td a').length > 3", 1280})
	for i := range others {
		others[i].width = 1280 + 400 - others[i].width
	}
	areAccessible(t, others)
}

func areAccessible(t *testing.T, views []pageView) {
	t.Helper()
	server := served(t)
	b := open(t, server, firstRequest, 1280)
	for _, view := range views {
		b.do(chromedp.EmulateViewport(view.width, 860))
		b.reopen(server, view.path)
		b.is(view.ready)
		b.accessible()
		if t.Failed() {
			t.Fatalf("the errors above are of the view %q, %d pixels wide", view.name, view.width)
		}
	}
}
