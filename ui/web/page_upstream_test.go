package web_test

import (
	"testing"
)

// TestPageShowsUpstreamsOwnTracing switches upstream's
// spans and events on, in the tree and beside the source.
func TestPageShowsUpstreamsOwnTracing(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?open=all&call="+escape(storeGet), 1280)
	b.is(heading + " === '(*store).Get'")
	b.is("document.querySelector('.marks')")
	if js[bool](b, "document.body.innerText.includes('upstream span')") {
		t.Error("upstream's spans are shown before they are switched on")
	}
	b.is("document.querySelector('.choice input').checkVisibility()")
	b.click("document.querySelector('.choice input')")
	b.is("location.hash.includes('show=upstream')")
	b.is(row(`upstream span "Get"`))
	b.accessible()
	// A span can be selected like other calls.
	b.click(row(`upstream span "Get"`))
	b.is("document.querySelector('[aria-selected=true]')?.textContent.includes('upstream span')")
	b.back()
	b.is(heading + " === '(*store).Get'")
	b.is("[...document.querySelectorAll('.marks button.upstream')].some((m) => m.textContent.includes('upstream span \"Get etcd3\"'))")
	b.click("document.querySelector('.choice input')")
	b.is("!" + row("upstream span"))
}
