package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// said returns an expression for the first sentence of the outline that contains text.
func said(text string) string {
	return "[...document.querySelectorAll('.heading .said')].find((s) => s.textContent.includes('" + text + "'))"
}

const chosenRow = "(document.querySelector('.row[aria-selected=\"true\"]')?.textContent ?? '')"

// TestPageBeginsWithTheOutline checks that a recording begins with its
// outline: all sections are closed. A sentence must lead to the call that
// proves it, and open only its section.
func TestPageBeginsWithTheOutline(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1", 1280)
	b.is(said("the path means: get nodes n1"))
	b.is("document.querySelectorAll('.row.section').length > 10 && document.querySelectorAll('.row').length === document.querySelectorAll('.row.section').length")
	if without := js[string](b, "[...document.querySelectorAll('.row.section')].filter((s) => !s.querySelector('.took i') || !(s.querySelector('.said') || s.querySelector('.role'))).map((s) => s.textContent).join('; ')"); without != "" {
		t.Errorf("these sections have no time, or neither a sentence nor a role: %s", without)
	}
	b.is("document.querySelector('.times-help').textContent === 'The time of a section includes the sections that it calls.'")
	b.click(said("RBAC allows it by ClusterRoleBinding"))
	b.is(heading + " === 'unionAuthzHandler.Authorize'")
	b.is(chosenRow + ".includes('unionAuthzHandler.Authorize')")
	if open := js[string](b, "[...document.querySelectorAll('.row.section[aria-expanded=\"true\"] .title')].map((s) => s.textContent).join()"); !strings.Contains(open, "Authorization") || strings.Contains(open, ",") {
		t.Errorf("the open sections are %q, expected only Authorization", open)
	}
	// A button opens the whole tree, and closes it again. The
	// address has the choice.
	b.click("document.querySelector('.choices button')")
	b.is("location.hash.includes('open=all') && document.querySelectorAll('.row.step').length > 40")
	b.click("document.querySelector('.choices button')")
	b.is("!location.hash.includes('open=all')")
	// A link to a call shows it in the tree.
	b = b.reopen(server, "#/latest/get-node/1?call=k8s.io/apiserver/pkg/storage/etcd3.(*store).Get")
	b.is(chosenRow + ".includes('etcd3.(*store).Get')")
	// By keyboard: Tab goes from a section to its sentences.
	b = b.reopen(server, "#/latest/get-node/1")
	b.is(said("the path means"))
	js[any](b, "document.querySelector('.row.section').focus()")
	b.press(kb.Tab)
	b.is("document.activeElement.matches('.said')")
	b.press(kb.Enter)
	b.is(heading + " === '(*RequestInfoFactory).NewRequestInfo'")
}

// TestPageBeginsWithTheError checks that a failed request begins with the path of
// its error, and with the source of the call where the error began. Each step of
// the path must lead to its call.
func TestPageBeginsWithTheError(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-forbidden/1", 1280)
	b.is("document.querySelectorAll('.path.failure button').length === 3")
	b.is(heading + " === 'unionAuthzHandler.Authorize'")
	b.click("document.querySelectorAll('.path.failure button')[1]")
	b.is(heading + " === 'withAuthorization.func1'")
	b.is("document.querySelector('.row.on-path[aria-selected=\"true\"]')")
	b.click("document.querySelectorAll('.path.failure button')[2]")
	b.is(heading + " === 'ErrorToAPIStatus'")
}

// TestPageBeginsAStartWithItsPhases checks that a start begins with a call
// that builds the server, and not with runtime.main. Only some of the
// sentences are shown at first.
func TestPageBeginsAStartWithItsPhases(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/boot/1", 1280)
	b.is(said("the authenticators are built from the flags"))
	b.is(heading + " === 'NewAPIServerCommand'")
	few := js[int](b, "document.querySelectorAll('.row.section .said').length")
	b.click("document.querySelector('.said.rest')")
	b.is("!document.querySelector('.row.section .said.rest')")
	if all := js[int](b, "document.querySelectorAll('.row.section .said').length"); all < few+5 {
		t.Errorf("at first %d sentences are shown, and %d after the button for the rest, expected at least 5 more", few, all)
	}
}

// TestPageRemembersItsSplit moves the border between the tree and the source with
// the mouse and with keys. The browser must remember the border.
func TestPageRemembersItsSplit(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1", 1280)
	b.is(said("the path means"))
	const width = "Math.round(document.querySelector('main .left').getBoundingClientRect().width)"
	before := js[int](b, width)
	b.do(chromedp.MouseEvent("mousePressed", float64(before)+2, 500, chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", 800, 500, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", 800, 500, chromedp.ButtonLeft))
	b.is("Math.abs(" + width + " - 800) < 8")
	b = b.reopen(server, "#/latest/get-node/1")
	b.is("document.querySelector('main .left') && Math.abs(" + width + " - 800) < 8")
	js[any](b, "document.querySelector('.split').focus()")
	b.press(kb.ArrowLeft)
	b.is(width + " < 790")
	b.accessible()
}

// TestPageExplainsItsSigns checks that the button "?" explains the signs of a tree and
// of a comparison, with the button that closes the dialog in sight.
func TestPageExplainsItsSigns(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1", 1280)
	b.click("document.querySelector('.top .help')")
	b.is("document.querySelector('dialog.keys[open] .signs')?.textContent.includes('calls are folded here')")
	b.is("document.querySelector('dialog.keys').textContent.includes('called more or less often')")
	b.is("(() => { const close = document.querySelector('dialog.keys form button').getBoundingClientRect(); return close.bottom <= document.querySelector('dialog.keys').getBoundingClientRect().bottom && close.bottom <= innerHeight })()")
	b.accessible()
}

// TestRequestsAreListed looks at the requests of a recording that has two, and opens the second.
func TestRequestsAreListed(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/pod-security/1", 1280)
	const second = "document.querySelectorAll('.requests-of a')[1]"
	b.is(second + ".innerText === '2 POST pods → 403' && " + second + ".querySelector('.failure')")
	b.click(second)
	b.is("location.hash === '#/latest/pod-security/2' && " + second + ".getAttribute('aria-current') === 'page' && document.querySelector('.request .status.bad')")
	b.accessible()
	one := b.reopen(served(t), "#/latest/get-node/1")
	one.is("document.querySelector('.tree') && !document.querySelector('.requests-of')")
}

// TestNamesOfPluginsLeadToTheirCalls selects a plugin in a step of many plugins.
func TestNamesOfPluginsLeadToTheirCalls(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/v1.37.1/create-deployment/1?open=all", 1280)
	const plugin = "[...document.querySelectorAll('.tree .plugin')].find((e) => e.textContent === 'NamespaceLifecycle')"
	b.click(plugin)
	b.is("document.querySelector('.attributes')?.textContent.includes('NamespaceLifecycle')")
	const later = "[...document.querySelectorAll('.tree .plugin')].find((e) => e.textContent === 'ServiceAccount')"
	if js[bool](b, "!!"+later) {
		b.click(later)
		b.is("document.querySelector('.attributes')?.textContent.includes('ServiceAccount')")
	}
	b.is("[...document.querySelectorAll('.tree .plugin')].filter((e) => e.closest('.row') === document.querySelector('.tree [aria-selected=true]')).length > 1")
	last := js[string](b, "(() => { const all = [...document.querySelectorAll('.tree [aria-selected=true] .plugin')]; all.at(-1).click(); return all.at(-1).textContent })()")
	b.is("document.querySelector('.attributes')?.textContent.includes('" + last + "')")
	b.accessible()
}

// TestPageNamesWhatAWatchSent reads the heading and the list of the requests of a watch: they
// have the version that was sent.
func TestPageNamesWhatAWatchSent(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/v1.37.1/watch-pods/1", 1280)
	b.is("/resourceVersion=\\d+/.test(document.querySelector('.request h1').textContent) && /resourceVersion=\\d+/.test(document.querySelector('.request-bar .requests option').title) && !document.body.textContent.includes('${')")
	b.goTo("#/compare?scenario=watch-pods&from=v1.30.4&to=v1.37.1")
	b.is("document.querySelector('.summary h1')?.textContent.includes('resourceVersion=… ')")
}
