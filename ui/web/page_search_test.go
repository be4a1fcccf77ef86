package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestPageSearchesWhileSomeoneTypes types without Enter, delays an
// early answer until after a later one, and goes on by keyboard.
func TestPageSearchesWhileSomeoneTypes(t *testing.T) {
	parallel(t)
	b := open(t, served(t), firstRequest, 1280)
	b.is(row("Authentication"))
	js[any](b, `(() => {
		const real = window.fetch, held = new Promise((go) => { window.release = go; });
		window.fetch = (address, options) => /text=corruptObj&/.test(address) ? held.then(() => real(address, options)) : real(address, options);
	})()`)
	steps, hash := js[int](b, "history.length"), js[string](b, "location.hash")
	b.press("/")
	b.is("document.activeElement.name === 'text'")
	js[any](b, "document.activeElement.select()")
	b.press("corruptObj")
	b.untilBusy("document.querySelector('.palette .loading')")
	b.do(chromedp.KeyEvent("ect"))
	b.untilBusy("document.querySelector('.palette .text')?.textContent.includes('IsCorruptObject')")
	now[any](b, "window.release()")
	// The late answer does not replace the newer one.
	b.is("document.querySelector('.palette [role=status]').textContent.includes('“corruptObject”')")
	// The view below has not moved.
	if now := js[int](b, "history.length"); now != steps || js[string](b, "location.hash") != hash {
		t.Errorf("the search changed the address")
	}
	b.is(row("Authentication"))
	// Worse matches are below.
	b.is("[...document.querySelectorAll('.found h2 ~ ul .text')].some((e) => e.textContent.includes('corruptObjectDeleter).Get'))")
	if js[bool](b, "document.querySelector('.found > ul').textContent.includes('corruptObjectDeleter).')") {
		t.Error("methods of corruptObjectDeleter are among the best matches")
	}
	b.accessible()
	// An arrow key moves into the results, and the field keeps its text.
	b.press(kb.ArrowDown)
	b.is("document.activeElement.matches('.palette .found .link')")
	b.is("document.querySelector('input[name=text]').value === 'corruptObject'")
	b.press(kb.ArrowUp)
	b.is("document.activeElement.name === 'text'")
	b.press(kb.ArrowDown)
	b.press(kb.Enter)
	b.is("location.hash !== '" + hash + "' && !location.hash.startsWith('#/search') && !document.querySelector('.palette')")
	b.is("document.querySelector('input[name=text]').value === ''")
}

// TestSearchIsAPaletteOverTheWork searches from a view of a request. A hit of this
// recording stays in its view, Escape changes nothing, and Enter leads to the page of
// the search.
func TestSearchIsAPaletteOverTheWork(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=calls", 1280)
	b.is("document.querySelectorAll('.row').length > 20")
	hash := js[string](b, "location.hash")
	js[any](b, "document.querySelector('.list')?.focus(), document.querySelector('[role=treegrid], [role=tree], .scroll')?.focus()")
	focused := js[string](b, "document.activeElement.className + document.activeElement.tagName")
	ask := func() {
		b.press("/")
		b.is("document.activeElement.name === 'text'")
		js[any](b, "document.activeElement.select()") // also the slash, which a real keyboard does not write
	}
	ask()
	b.press("authorizingVisitor")
	b.is("document.querySelector('.palette .here .link')")
	b.press(kb.Escape)
	b.is("!document.querySelector('.palette') && document.querySelector('input[name=text]').value === ''")
	if now := js[string](b, "document.activeElement.className + document.activeElement.tagName"); now != focused {
		t.Errorf("after Escape, the focus is on %q, expected %q", now, focused)
	}
	b.is("location.hash === '" + hash + "'")
	ask()
	b.press("authorizingVisitor")
	b.is("document.querySelector('.palette .here .link')")
	b.press(kb.ArrowDown)
	b.press(kb.Enter)
	b.is("location.hash.startsWith('#/latest/get-node/1?view=calls&call=') && /authorizingVisitor/.test(" + heading + ")")
	ask()
	b.press("corruptObject" + kb.Enter)
	b.is("location.hash === '#/search?text=corruptObject' && !document.querySelector('.palette')")
	b.is("document.querySelector('.found h1')?.textContent.includes('“corruptObject”')")
}

// TestSearchResultsShowAllTheirScenarios opens the rest of a long list of
// scenarios. It also reads the messages for no result and for one result.
func TestSearchResultsShowAllTheirScenarios(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/search?text=WithRequestInfo.func1", 1280)
	b.is("/^and [0-9]+ more scenarios$/.test(document.querySelector('.all-places')?.textContent)")
	few := js[int](b, "document.querySelectorAll('.found li:first-child .link').length")
	b.click("document.querySelector('.all-places')")
	b.is(fmt.Sprintf("!document.querySelector('.found li:first-child .all-places') && document.querySelectorAll('.found li:first-child .link').length > %d", few))
	b.goTo("#/search?text=storage.IsCorruptObject")
	b.is("document.querySelector('.found h1')?.textContent === '1 result for “storage.IsCorruptObject”'")
	// The function's first scenario in the list was recorded for older releases only.
	b.goTo("#/search?text=etcd3.(*store).GuaranteedUpdate")
	b.is("document.querySelector('.found li p a.text')?.hash.endsWith('GuaranteedUpdate?release=v1.37.1')")
	b.goTo("#/search?text=no+such+text+anywhere")
	b.is("document.querySelector('.found h1')?.textContent === '0 results for “no such text anywhere”'")
	b.is("document.querySelector('.found p')?.textContent.startsWith('No function')")
	b.goTo("#/search")
	b.is("document.querySelector('.found p')?.textContent.startsWith('Type a part')")
}

// TestSearchFindsScenarios searches with the words of a kubectl command.
func TestSearchFindsScenarios(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=kubectl+delete+pods", 400)
	b.is("[...document.querySelectorAll('.scenarios a')].some((e) => e.textContent === 'delete-pod-graceful')")
	if js[bool](b, "[...document.querySelectorAll('.scenarios a')].some((e) => e.textContent === 'create-pod')") {
		t.Error("a scenario is found that does not delete")
	}
	b.click("[...document.querySelectorAll('.scenarios a')].find((e) => e.textContent === 'delete-pod')")
	b.is("document.querySelector('.request h1')?.textContent.startsWith('DELETE ')")
	// A request line finds the scenarios that send it.
	b.goTo("#/search?text=GET+/api/v1/nodes")
	b.is("[...document.querySelectorAll('.found .scenarios li')].some((l) => l.textContent.startsWith('list-nodes') && l.textContent.endsWith('GET /api/v1/nodes'))")
}

// TestSearchLeadsFromOldNames searches for a function that only
// old releases have, and follows the link to its present name.
func TestSearchLeadsFromOldNames(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=ipallocator.NewAllocatorCIDRRange", 1280)
	b.is("document.querySelector('.found section h2')?.textContent.startsWith('In the released sources')")
	b.is("document.querySelector('.found section .places')?.textContent.includes('v1.23.17: now ')")
	b.click("document.querySelector('.found section .link')")
	b.is("location.hash === '#/search?text=ipallocator.New'")
}

// TestSearchIsNamedAfterWhatItSearches reads the label of the search field
// in the file of one recording. It also searches a file that a server shows.
func TestSearchIsNamedAfterWhatItSearches(t *testing.T) {
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "one.html")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := (web.PageFile{Source: fakeSource(t)}).WriteRecording(out, rec, "en"); err != nil {
		t.Fatal(err)
	}
	b := openAt(t, "file://"+file, "file://"+file, 1280)
	b.is("document.querySelector('input[name=text]')?.placeholder === 'Search this recording'")

	mine := *rec
	mine.Requests = slices.Clone(mine.Requests[:1])
	mine.Requests[0].Calls = slices.Clone(mine.Requests[0].Calls)
	mine.Requests[0].Calls[0].Function = "example.com/mine.OnlyHere"
	b = open(t, start(t, web.Options{Files: []web.File{{Name: "mine.jsonl", Recording: &mine}}}), "#/search?text=OnlyHere", 1280)
	b.is("document.querySelector('.found .text')?.textContent === 'example.com/mine.OnlyHere' && document.querySelector('.found .link').textContent.startsWith('mine.jsonl')")
	b.is("document.querySelector('input[name=text]')?.placeholder === 'Search all recordings'")
}

// TestSearchFindsWhatToRead searches for a layer, a feature gate, a lesson, an exercise
// and a document, and follows the lesson.
func TestSearchFindsWhatToRead(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=filter+chain", 1280)
	for text, expected := range map[string]string{
		"filter+chain":    "layerHTTP server and filter chain",
		"WatchListClient": "gateWatchListClient",
		"whose-410":       "exercise",
		"glossary":        "documentGlossary",
	} {
		b.goTo("#/search?text=" + text)
		b.is(fmt.Sprintf("[...document.querySelectorAll('.to-read li')].some((e) => e.textContent.replace(/ /, '').startsWith(%q))", expected))
	}
	b.goTo("#/search?text=filter+chain")
	b.accessible()
	b.click("[...document.querySelectorAll('.to-read a')].find((e) => e.textContent === 'The filter chain')")
	b.is("document.querySelector('.lesson h1')?.textContent === 'The filter chain'")
}

// TestSearchFindsEachWord searches for two words of a function and of an error, for a text in the middle of a
// long value, and for a text that is nowhere. Each match is marked, and a search without a
// result offers others.
func TestSearchFindsEachWord(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=resourcequota%20Validate", 1280)
	b.is("[...document.querySelectorAll('.found .text')].some((e) => e.textContent.includes('resourcequota') && [...e.querySelectorAll('mark')].map((m) => m.textContent).join() === 'resourcequota,Validate')")
	b.goTo("#/search?text=already%20exists%20deployment")
	b.is("[...(document.querySelector('.found .text')?.querySelectorAll('mark') ?? [])].map((m) => m.textContent).join() === 'deployment,already,exists'")
	b.goTo("#/search?text=list%20from%20cache")
	b.is("document.querySelector('.to-read')?.textContent.includes('ConsistentListFromCache')")
	b.goTo("#/search?text=allow")
	b.click("document.querySelector('.found button.more')")
	b.is("[...document.querySelectorAll('.found li:has(.kind) .text')].filter((e) => !e.querySelector('mark')).map((e) => e.textContent).join('; ') === ''")
	b.goTo("#/search?text=no%20such%20thing")
	b.is("document.querySelectorAll('.found .examples a').length > 2")
	b.accessible()
	b.click("document.querySelector('.found .examples a')")
	b.is("location.hash === '#/search?text=store.Get' && document.querySelectorAll('.found .text').length > 5")
}

// TestFeatureGatesLeadToTheirFunctions goes from the hit of a gate to its page, to a recorded call of a
// function that asks for it, to the gates of the request and of the function, and back.
func TestFeatureGatesLeadToTheirFunctions(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=ConsistentListFromCache", 1280)
	b.click("[...document.querySelectorAll('.to-read a')].find((e) => e.textContent === 'ConsistentListFromCache')")
	b.is("document.querySelector('.gate h1')?.textContent === 'ConsistentListFromCache' && document.querySelector('.gate').textContent.includes('to v1.36.3 (off before); v1.37.1 no longer has it')")
	b.accessible()
	b.goTo("#/gate/WatchList")
	estimate := "[...document.querySelectorAll('.gate li')].find((e) => e.textContent.includes('request.(*workEstimator).estimate'))"
	b.is(estimate + "?.textContent.includes('in line ')")
	b.click(estimate + ".querySelector('.all-places')")
	b.click("[..." + estimate + ".querySelectorAll('.places button')].find((e) => e.textContent.startsWith('get-node '))")
	b.is("location.hash.startsWith('#/v1.37.1/get-node/1?') && " + heading + " === '(*workEstimator).estimate'")
	b.click("document.querySelector('.gates-of summary')")
	b.is("[...document.querySelectorAll('.gates-of li')].some((e) => e.textContent.startsWith('WatchList on by default in v1.37.1, asked for by request.(*workEstimator).estimate'))")
	b.accessible()
	// A long list has a filter.
	b.goTo("#/v1.37.1/create-deployment/1")
	b.click("document.querySelector('.gates-of summary')")
	b.is("document.querySelectorAll('.gates-of li').length > 5")
	js[any](b, setValue(".gates-of input", "on by default estimate"))
	b.is("document.querySelectorAll('.gates-of li').length > 0 && [...document.querySelectorAll('.gates-of li')].every((e) => /on by default.*estimate/.test(e.textContent))")
	js[any](b, setValue(".gates-of input", "no such gate"))
	b.is("document.querySelector('.gates-of').textContent.includes('No gate has “no such gate”.')")
	js[any](b, setValue(".gates-of input", ""))
	b.accessible()
	b.click("[...document.querySelectorAll('.gates-of a')].find((e) => e.textContent === 'request.(*workEstimator).estimate')")
	b.is("document.querySelector('.function h1')?.textContent === 'request.(*workEstimator).estimate'")
	b.click("[...document.querySelectorAll('.facts-of a')].find((e) => e.textContent === 'WatchList')")
	b.is("document.querySelector('.gate h1')?.textContent === 'WatchList'")
	b.goTo("#/gate/NoSuchGate")
	b.is("document.querySelector('main.nowhere h1') && document.querySelector('.problem').textContent.includes('NoSuchGate')")
	b.forgive("the server responded with a status of 404") // of the sources, and of the gate

	narrow := open(t, served(t), "#/gate/ConsistentListFromCache", 400)
	narrow.is("document.querySelector('.gate h1') && document.documentElement.scrollWidth <= innerWidth")
}

// TestSearchFindsTheFunctionOfALine searches for lines of a file: where a function begins, within
// it, and with a path. The source is not on this machine, and the page says so. In a file without
// a server, the function is found among the calls of its request.
func TestSearchFindsTheFunctionOfALine(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=rbac.go:66", 1280)
	line := "document.querySelector('.found .of-line li')?.textContent"
	b.is("document.querySelector('.found h1')?.textContent === '1 result for “rbac.go:66”'")
	b.is(line + " === 'rbac.(*authorizingVisitor).visit begins in line 66 of rbac/rbac.go in v1.37.1'")
	b.is("document.querySelector('.found .here li')?.textContent.includes('authorizingVisitor') && !document.querySelector('.found').textContent.includes('No function')")
	b.accessible()
	b.goTo("#/search?text=authorizer/rbac/rbac.go:67")
	b.is("document.querySelector('.found h1')?.textContent.startsWith('1 result')")
	b.is(line + ".startsWith('rbac.(*authorizingVisitor).visit the recorded function that begins last before line 67')")
	b.click("document.querySelector('.found .of-line a')")
	b.is("document.querySelector('.function h1')?.textContent === 'rbac.(*authorizingVisitor).visit'")
	b.goTo("#/v1.30.4/get-node/1")
	b.is(row("Authentication"))
	b.goTo("#/search?text=rbac.go:66")
	b.is(line + ".includes('v1.30.4')")
	b.forgive("the server responded with a status of 404") // of the source that is not on this machine

	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "one.html")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := (web.PageFile{Source: fakeSource(t)}).WriteRecording(out, rec, "en"); err != nil {
		t.Fatal(err)
	}
	b = openAt(t, "file://"+file+"#/search?text=rbac.go:67", "file://"+file, 1280)
	b.is("document.querySelector('.found h1')?.textContent === '1 result for “rbac.go:67”'")
	b.is("document.querySelector('.found .here li')?.textContent.endsWith('the function that begins last before line 67 among the calls of this request')")
}
