package web_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/session/web"
)

// TestPageShowsUpstreamsOwnTracing switches upstream's spans and events on, in the tree and beside the source.
func TestPageShowsUpstreamsOwnTracing(t *testing.T) {
	b := open(t, start(t, web.Options{}), "#/latest/get-node/1?call="+escape(storeGet), 1280)
	b.until(heading + " === '(*store).Get'")
	b.until("document.querySelector('.marks')")
	if js[bool](b, "document.body.innerText.includes('upstream span')") {
		t.Error("upstream's spans are there from the start")
	}
	b.click("document.querySelector('.choice input')")
	b.until("location.hash.includes('show=upstream')")
	b.until(row(`upstream span "Get"`))
	b.accessible()
	// A span is selected as other calls are.
	b.click(row(`upstream span "Get"`))
	b.until("document.querySelector('[aria-selected=true]')?.textContent.includes('upstream span')")
	js[any](b, "history.back()")
	b.until(heading + " === '(*store).Get'")
	b.until("[...document.querySelectorAll('.marks button.upstream')].some((m) => m.textContent.includes('upstream span \"Get etcd3\"'))")
	b.click("document.querySelector('.choice input')")
	b.until("!" + row("upstream span"))
}
