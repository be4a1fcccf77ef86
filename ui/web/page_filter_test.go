package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestPageFiltersAllCalls filters the list of all calls. The callers of the
// matching calls must stay, and the page must say how many calls match. The
// address must have the filter.
func TestPageFiltersAllCalls(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1?view=calls", 1280)
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
	js[any](b, "document.querySelector('.filter input').focus()")
	b.press("rbac.go:")
	b.is("/^\\d+ of 919 calls$/.test(document.querySelector('.filter [role=status]')?.textContent)")
	b.is("location.hash.includes('text=rbac.go')")
	const rows = "[...document.querySelectorAll('.row.flat')]"
	b.is(rows + ".filter((r) => !r.matches('.context')).every((r) => r.textContent.includes('rbac.go:')) && " + rows + ".some((r) => r.matches('.context') && r.textContent.includes('ServeHTTP'))")
	b.click(rows + ".find((r) => !r.matches('.context'))")
	b.is(heading + " === '(*RBACAuthorizer).Authorize'")
	js[any](b, "document.querySelector('.row.flat[aria-selected=\"true\"]').focus()")
	b.press(kb.ArrowLeft)
	b.is("document.activeElement.matches('.row.flat.context') && document.activeElement.textContent.includes('(*instrumentedAuthorizer).Authorize')")

	b = b.reopen(server, "#/latest/get-node/1?view=calls&process=etcd")
	b.is("document.querySelector('.filter [role=status]')?.textContent === '69 of 919 calls'")
	// The layers are those of all calls, also without a key step.
	b.is("['Audit', 'etcd client', 'etcd: revisioned store (MVCC)'].every((title) => [...document.querySelectorAll('.filter option')].some((o) => o.textContent === title))")
	// Also a deep row stands to the right of its caller.
	indentOf := func(name string) string {
		return rows + ".find((r) => r.textContent.includes('" + name + "'))?.querySelector('.depth').offsetWidth"
	}
	b.is(indentOf("v3rpc.newLogUnaryInterceptor.func1") + " > " + indentOf("client/v3.(*retryKVClient).Range") + " && " + indentOf("v3rpc.(*kvServer).Range") + " > " + indentOf("v3rpc.newLogUnaryInterceptor.func1"))
	// The matching calls begin near the edge. On a phone, a place that is cut ends with its line.
	b.is("[...document.querySelectorAll('.row.flat:not(.context) .depth')].length > 5 && Math.min(...[...document.querySelectorAll('.row.flat:not(.context) .depth')].map((d) => d.offsetWidth)) <= 4")
	narrow := open(t, server, "#/latest/get-node/1?view=calls&process=etcd", 400)
	narrow.is(rows + ".filter((r) => !r.matches('.context')).length > 10")
	narrow.is(rows + ".every((r) => { const p = r.querySelector('.place'); return p?.textContent === '' || p?.clientWidth > 50 && p.firstChild.getBoundingClientRect().right <= p.getBoundingClientRect().right + 1; })")
	b = b.reopen(server, "#/latest/get-forbidden/1?view=calls&failed=true")
	b.is(rows + ".some((r) => !r.matches('.context') && r.querySelector('.handled'))")
	if wrong := js[int](b, rows+".filter((r) => !r.matches('.context') && !r.querySelector('.handled')).length"); wrong > 0 {
		t.Errorf("the filter for failed calls shows %d calls without an error", wrong)
	}
	b.accessible()
}

// TestSearchBeginsWithThisRecording searches from the page of a recording. Its
// hits must come first, and Enter must stay in this recording.
func TestSearchBeginsWithThisRecording(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1", 1280)
	b.is(said("the path means"))
	b.press("/")
	b.is("document.activeElement.name === 'text'")
	js[any](b, "document.activeElement.select()")
	b.press("authorizingVisitor")
	b.is("document.querySelector('.found .here h2')?.textContent === 'In the recording get-node'")
	b.is("document.querySelector('.found .here mark')?.textContent === 'authorizingVisitor'")
	b.press(kb.ArrowDown, kb.Enter)
	b.is("location.hash.startsWith('#/latest/get-node/1?call=')")
	b.is(heading + ".includes('authorizingVisitor')")
	// The search also finds a file with a line.
	b.goTo("#/search?text=rbac.go:")
	b.is("document.querySelector('.found .here li')?.textContent.includes('rbac.go:')")
}

// TestPageFiltersOnce scrolls through a filtered list. The page must not look through
// all calls again for each part of the list.
func TestPageFiltersOnce(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=calls&text=k8s.io", 1280)
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
	js[any](b, `(() => {
		const lower = String.prototype.toLowerCase, index = Array.prototype.indexOf;
		window.searched = window.sought = 0;
		String.prototype.toLowerCase = function () { if (/\.go:\d+$/.test(this)) window.searched++; return lower.call(this); };
		Array.prototype.indexOf = function (...what) { if (this.length > 300) window.sought++; return index.apply(this, what); };
		document.querySelector('.all').scrollTop = 1e6;
	})()`)
	b.is("document.querySelector('.all').scrollTop > 5000 && [...document.querySelectorAll('.row.flat')].slice(-5).every((r) => r.querySelector('.place'))")
	if searched, sought := js[int](b, "window.searched"), js[int](b, "window.sought"); searched > 0 || sought > 0 {
		t.Errorf("while the list scrolled, the page looked at the place of %d functions, and %d times through the list, expected neither", searched, sought)
	}
}

// TestFilterEndsWithItsView leaves the list of all calls right after a key in its
// field. The address of the next view must not get the text.
func TestFilterEndsWithItsView(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=calls", 1280)
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
	js[any](b, setValue(".filter input", "rbac")+"; [...document.querySelectorAll('.views a')].find((a) => a.textContent === 'Key steps').click()")
	b.is(said("the path means"))
	if hash := js[string](b, "location.hash"); strings.Contains(hash, "rbac") {
		t.Errorf("the address of the next view is %s, expected it without the text of the filter", hash)
	}
}

// TestSearchSaysWhenACallCannotBeLoaded opens a hit while the server is gone.
func TestSearchSaysWhenACallCannotBeLoaded(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=authorizingVisitor", 1280)
	b.is("document.querySelector('.found .here button')")
	js[any](b, "window.fetch = () => Promise.reject(new TypeError('gone'))")
	b.click("document.querySelector('.found .here button')")
	b.is("document.querySelector('.problem[role=alert]')?.textContent.includes('does not answer')")
}
