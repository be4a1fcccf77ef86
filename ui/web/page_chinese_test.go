package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// ownTexts is an expression for the texts and labels that the
// page itself has written. It leaves out hidden elements, and
// the texts of recorded calls, source, keys and values.
const ownTexts = `(() => {
	const foreign = 'code, pre, kbd, .name, .place, .package, .code h2, .difference h2, .file, .file-pair, .attributes, .values, .values-of td, .values-of th, ' +
		'.marks, .from .link, .stack .link, .found .text, .boot-routes td, .boot dd, .boot h3, .request h1, .summary h1, tr .title a, .outcome a, .facts-of dd, .facts-of .failure, .request-of, .answer-body';
	const lines = [];
	const add = (text) => { text = text.replace(/\s+/g, ' ').trim(); if (text) lines.push(text); };
	for (const e of document.body.querySelectorAll('*')) {
		if (e.closest('script, style, ' + foreign) || e.getClientRects().length === 0 && e.tagName !== 'OPTION') continue;
		add([...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join(' '));
		for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'label']) if (e.hasAttribute(name)) add(e.getAttribute(name));
	}
	return [...new Set([document.title, ...lines])].join('\n');
})()`

// TestPageIsChinese sets the language to Chinese, and looks
// for English in each view of the page and in its errors.
func TestPageIsChinese(t *testing.T) {
	engine := &fakeEngine{say: "the answer: %s", fail: message.Errorf("unknown user %q", "eve")}
	address := start(t, web.Options{Engine: engine})
	output := testenv.Output{
		Commands: []string{"web", "serve", "run", "show", "edit", "source", "workshop check", "workshop"},
		Upstream: []string{
			`(?m)[A-Za-z0-9_./*-]*[./][A-Za-z0-9_.()*\[\]{}-]+`, // names of functions, files and routes
			`“[^”]*”`,
			`of\s+(Cluster)?Role\s+"[^"]*"\s+to User`,                             // why kube-apiserver allowed a request
			`\w+ "[^"]*" is forbidden: .*(at the cluster scope|in the namespace)`, // and why it refused one
			`Status Forbidden`, `there is none`, `as admin`, `upstream event`,
			`built <b>for</?b?> the first time`, // the notice of fakeEngine
			`[A-Za-z]+=\S+`,                     // values
		},
	}
	names, err := scenarios.Names("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, _, _ = strings.Cut(name, "\t")
		output.Names = append(output.Names, name)
	}
	output.Names = append(output.Names, "EN", "English", "latest", "Watch", "allowed") // the button for the other language, a release, a chapter, and the name of a recording in an exercise
	b := open(t, address, "#/latest/get-node/1", 1280)
	b.until(row("Authentication"))
	b.click("document.querySelector('.language')")
	b.until(row("身份认证"))
	looks := func(what string) {
		t.Helper()
		texts := now[string](b, ownTexts)
		if english := output.English(t, texts); len(english) > 0 {
			t.Errorf("%s: English in the page:\n%s", what, strings.Join(english, "\n"))
		}
		if lines := strings.Count(texts, "\n"); lines < 15 {
			t.Errorf("%s: the page has only %d texts, expected at least 15", what, lines)
		}
	}
	goTo := func(hash, ready string) {
		t.Helper()
		b.goTo(hash)
		b.until(ready)
		looks(hash)
	}
	goTo("#/latest/get-node/1?call="+escape(storeGet), "document.querySelector('.l.ran')")
	b.press("?")
	b.until("document.querySelector('dialog[open]')")
	looks("the keys")
	b.click("document.querySelector('dialog[open] button')")
	goTo("#/latest/get-forbidden/1", "document.querySelector('.tree')?.textContent.includes('鉴权')")
	goTo("#/latest/get-node/1?view=calls", "document.querySelectorAll('.row.flat .place').length > 10")
	goTo("#/latest/get-node/1?view=time", "document.querySelector('canvas')")
	goTo("#/latest/create-deployment/1?view=map&stop=2", "document.querySelector('.line')")
	goTo("#/latest/boot/1?view=map", "document.querySelector('.boot-server')")
	goTo("#/latest/get-node/1", "document.querySelector('.stepper')")
	b.click("document.querySelector('.stepper')")
	b.until("document.querySelector('.player .at')")
	looks("the player")
	b.click("document.querySelector('.stepper')")
	goTo(compared+"&call="+escape(storeGet), "document.querySelector('.compare-right .nosource, .compare-right .hunk')")
	goTo(compared+"&look=sides&show=all", "document.querySelector('.merged .side')")
	goTo("#/compare?release=latest&from=get-node&to=get-node-cached", "document.querySelector('.merged')")
	goTo("#/releases?scenario=get-node", "document.querySelector('.releases')")
	// The page of all releases looks for changes until the reader leaves it.
	b.goTo("#/releases")
	b.untilBusy("document.querySelectorAll('.overview td a').length > 20")
	looks("#/releases")
	now[any](b, "location.hash = '#/search'") // at once: the page is not idle yet
	goTo("#/start", "document.querySelectorAll('.card').length > 40")
	goTo(function(storeGet), "document.querySelector('.releases-of tbody')")
	goTo("#/search?text=corruptObject", "document.querySelector('.found .text')")
	goTo("#/workshop", "document.querySelectorAll('.board li').length > 40")
	_, body := get(t, address+web.Base+"/workshop")
	kinds := map[string]bool{}
	for _, chapter := range decode[learner.Board](t, string(body)).Chapters {
		for _, e := range chapter.Exercises {
			output.Names = append(output.Names, e.Name)
			if kinds[e.Kind] {
				continue
			}
			kinds[e.Kind] = true
			goTo("#/workshop/"+e.Name, fmt.Sprintf("document.querySelector('.exercise h1')?.textContent.startsWith(%q) && document.querySelector('.answer .go')", e.Number))
		}
	}
	goTo("#/workshop/your-own-rule", "document.querySelector('.answer .go')")
	b.click("document.querySelector('.answer .go')")
	b.until("document.querySelector('.problem')")
	looks("an unchanged server")

	goTo("#/servers", live("servers")+".querySelector('.go')")
	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.failed')")
	looks("a server that failed")
	b.click("document.querySelector('.server .stop')")
	engine.fail = nil
	engine.hold = make(chan struct{})
	b.click(live("servers") + ".querySelector('.go')")
	b.until("document.querySelector('.server.starting progress')")
	looks("a build")
	close(engine.hold)
	b.until("document.querySelector('.server.ready')")
	b.click(live("replay") + ".querySelector('.go')")
	b.until(live("replay") + ".querySelector('.outcome a')")
	js[any](b, setValue("input[name=path]", "nodes"))
	b.click(live("request") + ".querySelector('.go')")
	b.until("document.querySelector('.problem, .field-error')")
	looks("a wrong request")
	js[any](b, setValue("input[name=path]", "/api/v1/nodes"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')")
	server := engine.server(t)
	server.client(t, "/api/v1/pods")
	server.live.Untraced(session.Row{Method: "GET", Path: "/healthz", Err: message.Errorf("unknown user %q", "eve"), HungUp: true})
	b.until("document.querySelectorAll('tbody tr').length === 4")
	looks("live recordings")
	for what, link := range map[string]string{
		"an unknown release": "#/v1.3.0/get-node/1", "an unknown scenario": "#/latest/nothing/1", "an unknown request": "#/latest/get-node/7", "an unknown recording": "#/live/77/1",
		"an unknown comparison": "#/compare?scenario=nothing&from=1.30&to=1.37", "an unknown exercise": "#/workshop/nothing", "an unknown lesson": "#/workshop/lesson/nothing",
	} {
		b.goTo("#/servers") // to remove the page of the previous link
		b.until("!document.querySelector('.problem')")
		b.goTo(link)
		b.until("document.querySelector('.problem')")
		if english := output.English(t, js[string](b, "document.querySelector('.problem').textContent")); len(english) > 0 {
			t.Errorf("%s: English in the message: %s", what, english)
		}
		// Nothing is shown as still loading, and the reader has a link to go on.
		b.until("[...document.querySelectorAll('.loading')].every((l) => !l.offsetParent) && document.querySelector('main.nowhere a, .compare select')")
	}
	b.goTo("#/servers")
	b.until("!document.querySelector('.problem')")
	b.goTo("#/workshop/nothing")
	b.until("document.querySelector('main.nowhere a')")
	looks("nothing at an address")
	b.goTo("#/live")
	b.until(live("servers") + ".querySelector('.go')")
	b.forgive("the server responded with a status of 4")
}
