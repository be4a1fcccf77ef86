package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// tabTo presses Tab until an expression is true. In
// the expression, e is the element with the focus.
func (b *tab) tabTo(expression string) {
	b.Helper()
	for range 60 {
		b.press(kb.Tab)
		if js[bool](b, "((e) => !!("+expression+"))(document.activeElement)") {
			return
		}
	}
	b.Fatalf("after 60 times Tab, the focus is not where %s is true, but on %s", expression, js[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
}

// TestPageByKeyboardAlone uses the map and the
// guide only with keys, from the top of the page.
func TestPageByKeyboardAlone(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1", 1280)
	b.is(row("etcd3 store"))
	// The arrow keys move along the way as soon as the map is chosen.
	b.tabTo("e.textContent === 'Map'")
	b.press(kb.Enter)
	b.is("document.querySelector('.map-picture .line')")
	b.press(kb.ArrowRight)
	b.is("location.hash.includes('stop=1')")
	b.press(kb.ArrowRight)
	b.is("document.querySelector('.way .here')?.textContent.includes('Authentication')")
	// A station shows its source beside the map. The list leads to the tree. There,
	// the keys go on from the selected step.
	b.tabTo("e.dataset.id?.endsWith('/etcd3')")
	b.press(kb.Enter)
	b.is(heading + " === '(*store).Get' && document.activeElement.dataset.id.endsWith('/etcd3')")
	b.tabTo("e.matches('.way .in-tree') && e.getAttribute('aria-label').includes('etcd3 store')")
	b.press(kb.Enter)
	b.is("document.activeElement.getAttribute('aria-selected') === 'true' && document.activeElement.textContent.includes('etcd3.(*store).Get')")
	b.press(kb.ArrowDown)
	b.is("document.activeElement.getAttribute('role') === 'treeitem' && !document.activeElement.textContent.includes('etcd3.(*store).Get')")
	// The source follows the focus.
	b.is("document.activeElement.getAttribute('aria-selected') === 'true' && " + heading + " === 'Client.Get' && location.hash.includes('kubernetes.Client.Get')")

	// From a layer of the guide, the next Tab reaches its first function. On the
	// search page that the function opens, the next Tab stays in the content.
	js[any](b, "document.querySelector('.brand').focus()")
	b.tabTo("e.textContent === 'Guide'")
	b.press(kb.Enter)
	b.is("document.querySelector('.guide h1')")
	b.tabTo("e.closest('.layers-of') && e.textContent.startsWith('Handler')")
	b.press(kb.Enter)
	b.is("location.hash.includes('layer=handler') && document.activeElement.id === 'title-handler'")
	b.press(kb.Tab)
	first := js[string](b, "document.activeElement.title + '|' + document.activeElement.closest('section')?.id")
	if !strings.HasSuffix(first, "|layer-handler") {
		t.Fatalf("after the heading of the layer, Tab leads to %q, expected a function of the layer", first)
	}
	b.press(kb.Enter)
	b.is("location.hash.startsWith('#/function/') && document.querySelector('main h1')")
	b.forgive("the server responded with a status of 404") // of a source that the test does not have
	b.press(kb.Tab)
	if at := js[string](b, "document.activeElement.closest('main') ? '' : document.activeElement.outerHTML.slice(0, 200)"); at != "" {
		t.Errorf("after the page of a function was shown, Tab leads out of it to %s", at)
	}
	b.accessible()

	// The element with the focus is visible.
	for range 3 {
		b.press(kb.Tab)
		if outline := js[string](b, "getComputedStyle(document.activeElement).outline"); !strings.Contains(outline, "solid") || strings.Contains(outline, " 0px") {
			t.Errorf("%s has the focus with the outline %q", js[string](b, "document.activeElement.outerHTML.slice(0, 100)"), outline)
		}
	}
}

// TestTheTableOfKeysAndNowhereAreAccessible checks the table
// of keys and the page of an unknown address with axe.
func TestTheTableOfKeysAndNowhereAreAccessible(t *testing.T) {
	parallel(t)
	keysAndNowhereAreAccessible(t, 400)
}

// TestNightlyTheTableOfKeysAndNowhereAreAccessible does the same on a wide screen.
func TestNightlyTheTableOfKeysAndNowhereAreAccessible(t *testing.T) {
	testenv.Nightly(t)
	keysAndNowhereAreAccessible(t, 1280)
}

func keysAndNowhereAreAccessible(t *testing.T, width int64) {
	t.Helper()
	b := open(t, served(t), firstRequest, width)
	b.is(row("Authentication"))
	b.press("?")
	b.is("document.querySelector('dialog[open]')")
	b.is("['n', 'p', '5'].every((key) => [...document.querySelectorAll('dialog kbd')].some((k) => k.textContent === key)) && document.querySelector('dialog').textContent.includes('In a comparison')")
	b.accessible()
	if at := js[string](b, "document.activeElement.closest('dialog') ? '' : document.activeElement.outerHTML.slice(0, 200)"); at != "" {
		t.Errorf("the focus is not in the table of keys, but on %s", at)
	}
	b.press(kb.Escape)
	b.is("!document.querySelector('dialog[open]')")
	b.forgive("the server responded with a status of 404")
	b.goTo("#/latest/no-such-scenario/1")
	b.is("document.querySelector('.problem') && document.querySelector('main').textContent.includes('Nothing is at this address')")
	b.accessible()
	b.tabTo("e.textContent === 'The first recording'")
	b.press(kb.Enter)
	b.is(row("Authentication"))
}
