package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestEachCellOfTheMatrixLeadsSomewhere follows the three kinds of
// cells in the table of a site's releases. On a narrow screen, the
// table shows one release at a time.
func TestEachCellOfTheMatrixLeadsSomewhere(t *testing.T) {
	parallel(t)
	folder, _ := smallSite(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	b := openAt(t, server.URL+"/#/releases", server.URL, 1280)
	cell := func(row, column string) string {
		return "[...document.querySelectorAll('.overview tbody tr')].find((r) => r.querySelector('th').textContent === '" + row + "')?.querySelectorAll('td a')[" + column + "]"
	}
	b.is(cell("discovery", "2") + " && " + cell("get-node", "2"))
	if without := js[int](b, "[...document.querySelectorAll('.overview td')].filter((c) => !c.querySelector('a')).length"); without > 0 {
		t.Errorf("%d cells have no link", without)
	}
	// A cell of a release without a recording links to the reason.
	b.click(cell("discovery", "2"))
	b.is("location.hash === '#/releases?scenario=discovery' && /v1.26.15/.test(document.querySelector('.releases tr.missing')?.textContent)")
	b.goTo("#/releases")
	// The cell of the first release links to its
	// recording, and other cells link to the comparison.
	b.is(cell("get-node", "2"))
	b.click(cell("get-node", "2"))
	b.is("location.hash.startsWith('#/v1.26.15/get-node/1') && document.querySelector('.tree')")
	b.goTo("#/releases")
	b.is(cell("get-node", "2"))
	b.click(cell("get-node", "1"))
	b.is("document.querySelector('.summary h1') && location.hash.includes('from=v1.26.15')")

	narrow := openAt(t, server.URL+"/#/releases", server.URL, 400)
	narrow.is("document.querySelectorAll('.overview thead th').length === 2 && document.querySelectorAll('.overview td a').length === 3")
	js[any](narrow, `(() => { const s = document.querySelector('.matrix select.release'); s.value = 'v1.30.4'; s.dispatchEvent(new Event('change', {bubbles: true})) })()`)
	narrow.is("document.querySelector('.overview thead th:last-child').textContent === 'v1.30.4' && location.hash === '#/releases?release=v1.30.4'")
	if js[bool](narrow, "(() => { const t = document.querySelector('.wide-table'); return t.scrollWidth > t.clientWidth })()") {
		t.Error("the table is wider than the screen")
	}
	narrow.accessible()
}

// TestPageSaysWhatTheSignsOfAHistoryMean reads the changes of a scenario
// from v1.18 to v1.20. A call that both sources have must have its sign in
// brackets. Each sign must be explained in text and for screen readers.
func TestPageSaysWhatTheSignsOfAHistoryMean(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/releases?scenario=get-node", 400)
	b.is("document.querySelector('.matrix .legend')")
	for sign, says := range map[string]string{
		"+":   "added",
		"(+)": "added, both releases have the code, and only one ran it",
		"(−)": "removed, both releases have the code, and only one ran it",
		"~":   "renamed",
	} {
		find := fmt.Sprintf("[...document.querySelectorAll('.name-of b')].find((s) => s.textContent === %q)", sign)
		if label := js[string](b, find+"?.getAttribute('aria-label') ?? ''"); label != says {
			t.Errorf("the sign %s is read as %q, expected %q", sign, label, says)
		}
	}
	// A sign and the beginning of its name are on one line.
	const apart = `(n) => { const r = document.createRange(); r.setStart(n.lastChild, 0); r.setEnd(n.lastChild, 1); return r.getBoundingClientRect().top > n.querySelector('b').getBoundingClientRect().bottom }`
	if alone := js[string](b, "[...document.querySelectorAll('.name-of')].filter((n) => n.querySelector('b')).filter("+apart+").map((n) => n.textContent).join()"); alone != "" {
		t.Errorf("these signs are on another line than their name: %s", alone)
	}
	legend := js[string](b, "document.querySelector('.matrix .legend').textContent")
	for _, text := range []string{"+ added", "~ renamed", "( ) both releases have the code"} {
		if !strings.Contains(legend, text) {
			t.Errorf("the legend %q lacks %q", legend, text)
		}
	}
	b.accessible()
}

// TestPageKeepsAllCallsInSight looks for rows that are cut
// off, on a narrow screen.
func TestPageKeepsAllCallsInSight(t *testing.T) {
	parallel(t)
	keepsAllCallsInSight(t, 400)
}

// TestNightlyPageKeepsAllCallsInSight looks for rows that are cut off, on a wide screen.
func TestNightlyPageKeepsAllCallsInSight(t *testing.T) {
	testenv.Nightly(t)
	keepsAllCallsInSight(t, 1280)
}

func keepsAllCallsInSight(t *testing.T, width int64) {
	t.Helper()
	server := served(t)
	{
		b := open(t, server, "#/v1.24.17/get-anonymous/1?view=calls", width)
		b.is("document.querySelectorAll('.row.flat .place').length > 20")
		if cut := js[string](b, "[...document.querySelectorAll('.row.flat')].filter((r) => [...r.children].some((c) => c.getBoundingClientRect().right > r.getBoundingClientRect().right)).map((r) => r.textContent).join()"); cut != "" {
			t.Errorf("%d pixels: rows are cut off: %s", width, cut)
		}
		// Shortened texts can be read in full.
		if lost := js[string](b, "[...document.querySelectorAll('.row.flat .name, .row.flat .place')].filter((n) => n.scrollWidth > n.clientWidth && n.title !== n.textContent).map((n) => n.textContent).join()"); lost != "" {
			t.Errorf("%d pixels: these shortened texts cannot be read in full: %s", width, lost)
		}
		// The paper has the rows that were visible, without empty
		// space for the other rows.
		b.emulate("print", "")
		b.is("/^Calls 1 to [0-9]+ of [0-9]+: /.test(document.querySelector('.paper').innerText)")
		if height, rows := js[int](b, "document.documentElement.scrollHeight"), js[int](b, "document.querySelectorAll('.row.flat').length"); height > rows*24+400 {
			t.Errorf("%d pixels: %d rows take %d pixels of paper", width, rows, height)
		}
	}
}

// TestPageNumbersCallsFromOne checks the number of the first call and
// the names of all layers in the step player. It also moves through
// the time line with an arrow key before any element has the focus.
func TestPageNumbersCallsFromOne(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/v1.37.1/get-node/1?at=entered", 1280)
	b.is(fmt.Sprintf("[...document.querySelectorAll('.code .about span')].some((s) => s.textContent === 'Call 1 of %d')", callsOf(t, "get-node")))
	b.is("document.querySelectorAll('.layer-box').length > 10")
	if cut := js[string](b, "[...document.querySelectorAll('.layer-box span')].filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.textContent).join()"); cut != "" {
		t.Errorf("the names of layers are cut: %s", cut)
	}
	b = open(t, server, "#/v1.37.1/get-node/1?view=time", 1280)
	b.is("document.querySelector('.flame canvas')")
	b.is("document.activeElement === document.body && document.querySelector('.cursor b')?.textContent.includes('APIServerHandler')")
	js[any](b, "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}))")
	b.is("document.activeElement.matches('.flame') && document.querySelector('.cursor b')?.textContent.includes('withAuditInit')")
}

// TestReleasesHaveOneScrollBar checks that only the table of all scenarios scrolls.
func TestReleasesHaveOneScrollBar(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/releases?scenario=get-node", 1280)
	const scrolls = "[...document.querySelectorAll('main, main *')].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).map((e) => e.className).join()"
	b.is("document.querySelectorAll('.releases tbody th').length >= 12 && " + scrolls + " === 'wide-table'")
}
