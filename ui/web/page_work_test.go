package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageReturnsToTheSelectedCall goes back in the browser's history to the first
// call of a request. Its row must be in sight again.
func TestPageReturnsToTheSelectedCall(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?open=all", 1280)
	b.is(heading + " === '(*APIServerHandler).ServeHTTP' && document.querySelectorAll('.row.step').length > 40")
	js[any](b, "document.querySelector('.scroll').scrollTop = 1e6")
	b.click("[...document.querySelectorAll('.row.step')].at(-1)")
	b.is("location.hash.includes('call=')")
	b.back()
	b.is(heading + " === '(*APIServerHandler).ServeHTTP'")
	b.is(`(() => {
		const row = document.querySelector('.row[aria-selected="true"]').getBoundingClientRect(), seen = document.querySelector('.scroll').getBoundingClientRect();
		return row.top >= seen.top && row.bottom <= seen.bottom;
	})()`)
}

// TestKeysOfTheTimeLineWorkInTheWholeView presses the keys of the chart while the focus
// is on a button beside it.
func TestKeysOfTheTimeLineWorkInTheWholeView(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=time&call="+escape(storeGet), 1280)
	b.is(heading + " === '(*store).Get' && document.querySelector('.span')")
	b.is("!location.hash.includes('from=')")
	js[any](b, "document.querySelector('.top .help').focus()")
	b.press("z")
	b.is("location.hash.includes('from=')")
	b.press("0")
	b.is("!location.hash.includes('from=')")
	b.press("+")
	b.is("location.hash.includes('from=')")
	// In a field, they are text.
	b.press("/")
	b.is("document.activeElement.name === 'text'")
	js[any](b, "document.activeElement.select()")
	b.press("0")
	b.is("document.querySelector('input[name=text]').value === '0'")
}

// TestPlayerSeeksWithItsSlider moves the slider of the step player, and follows a mark
// of a section. The keys of the player must still work.
func TestPlayerSeeksWithItsSlider(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?at=entered", 1280)
	const slider = ".player input[type=range]"
	const number = "parseInt((document.querySelector('.player .at')?.textContent ?? '').replace(/^Step |,/g, ''))"
	b.is(number + " === 1 && document.querySelector('" + slider + "').max > 1000")
	js[any](b, "document.querySelector('"+slider+"').focus()")
	js[any](b, setValue(slider, "1200"))
	b.is("Math.abs(" + number + " - 1200) < 30 && " + position + ".startsWith('At the beginning of ')")
	b.is("location.hash.includes('call=')")
	b.press("T")
	b.is(number + " < 1200")
	b.click("[...document.querySelectorAll('.player .mark-of')].find((m) => m.title.includes('Authorization'))")
	b.is(position + ".includes('uthoriz')")
	b.is("Math.abs(document.querySelector('" + slider + "').value - (" + number + " - 1)) === 0")
	// The layers are in the order of the request.
	b.is("document.querySelector('.layer-box').textContent === 'HTTP server and filter chain'")
	b.accessible()
}

// TestPlayerOnANarrowScreenShowsTheSource opens the step player on a phone without a
// selected call. The source must be there, and most of the buttons behind one, as on a
// wide screen. The page remembers that the reader wants them.
func TestPlayerOnANarrowScreenShowsTheSource(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?at=entered", 400)
	b.is(position + ".startsWith('At the beginning of ')")
	b.is("document.querySelector('main .code')?.checkVisibility()")
	const into = "[...document.querySelectorAll('.player .step')].find((s) => s.getAttribute('aria-label') === 'Into, forward')"
	b.is("!" + into + ".checkVisibility() && document.querySelector('.player').getBoundingClientRect().height < 200")
	// What is below the player stays where it is while the reader steps.
	const height = "document.querySelector('.player').offsetHeight"
	for first := js[int](b, height); !strings.Contains(js[string](b, position), " returned after "); b.press("s") {
		b.is(fmt.Sprintf("%s === %d", height, first))
	}
	b.click("document.querySelector('.player .finer-of')")
	b.is(into + ".checkVisibility()")
	b.accessible()
	b.do(chromedp.EmulateViewport(1280, 860))
	b = b.reopen(served(t), "#/latest/get-node/1?at=entered")
	b.is(into + ".checkVisibility()")
	b.click("document.querySelector('.player .finer-of')")
	b.is("!" + into + ".checkVisibility()")
}

// TestPageNamesItsRequestsShortly reads the line of a request above its tree, and the
// list of the requests of a recording.
func TestPageNamesItsRequestsShortly(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/watch-pods/1", 1280)
	b.is("[...document.querySelectorAll('select.requests option')].map((o) => o.textContent.trim()).join(', ').startsWith('1 WATCH pods → 200, 2 POST pods → 201')")
	b.is("document.querySelector('select.requests option').title.includes('/api/v1/namespaces/')")
	b = b.reopen(server, "#/latest/get-forbidden/1")
	b.is("document.querySelector('.request h1 .status.bad')?.textContent === '→ 403'")
	b = b.reopen(server, "#/latest/get-node/1")
	b.is("document.querySelector('.request h1 .status:not(.bad)')?.textContent === '→ 200' && document.querySelector('.request h1').textContent.startsWith('GET /api/v1/nodes/')")
	// Nothing on the screen meets the eye first but this line.
	b.is("parseFloat(getComputedStyle(document.querySelector('.request h1')).fontSize) >= parseFloat(getComputedStyle(document.querySelector('.code h2')).fontSize)")
	b.accessible()
}

// TestLessonsLeadOn goes from a lesson to the next one and back.
func TestLessonsLeadOn(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/lessons", 1280)
	b.is("document.querySelectorAll('.lessons-of a').length > 5")
	second := js[string](b, "document.querySelectorAll('.lessons-of a')[1].textContent")
	b.click("document.querySelector('.lessons-of a')")
	b.is("document.querySelector('.lesson h1')")
	b.is("document.querySelector('.lesson-next')?.textContent.includes(" + fmt.Sprintf("%q", second) + ") && !document.querySelector('.lesson-before')")
	b.click("document.querySelector('.lesson-next')")
	b.is("document.querySelector('.lesson-before') && document.querySelector('main').scrollTop === 0")
	b.click("document.querySelector('.lesson-before')")
	b.is("document.querySelector('.lesson-next')?.textContent.includes(" + fmt.Sprintf("%q", second) + ")")
	b.accessible()
}

// TestTimeLinePrintsWithoutItsControls prints the time line: its ranking must be on
// paper, and its buttons not.
func TestTimeLinePrintsWithoutItsControls(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=time&wrappers=all", 1280)
	b.is("document.querySelector('.ranking li') && document.querySelector('.span')")
	b.emulate("print", "light")
	b.is("document.querySelector('.ranking').checkVisibility() && !document.querySelector('.time-head button').checkVisibility()")
	js[any](b, "dispatchEvent(new Event('beforeprint'))")
	b.is("document.querySelector('.flame').clientHeight > 1200")
	js[any](b, "dispatchEvent(new Event('afterprint'))")
	b.emulate("screen", "light")
	b.is("document.querySelector('.flame').clientHeight < 860")
}

// TestKeysForViewsAndScenario goes through the views by number, and to the choice of the
// scenario. In the choice, a letter is a letter of a scenario.
func TestKeysForViewsAndScenario(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1", 1280)
	b.is(said("the path means"))
	b.press("3")
	b.is("location.hash.includes('view=time') && document.querySelector('.span')")
	b.press("4")
	b.is("location.hash.includes('view=map')")
	b.press("1")
	b.is("!location.hash.includes('view=')")
	b.press("c")
	b.is("document.activeElement.matches('select.scenario')")
	b.press("2")
	b.is("!location.hash.includes('view=')")
}

// TestPageWrapsLongLines reads code with a long line: at first it is wrapped, and its
// rest begins to the right of the line. The page remembers that the reader does not want it.
func TestPageWrapsLongLines(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?call="+escape(storeGet), 600)
	b.is("document.querySelector('.source .lines')")
	const wide = "(document.querySelector('.source .lines').scrollWidth > document.querySelector('.source .lines').clientWidth)"
	b.is("!" + wide)
	if starts := js[[]float64](b, `(() => {
		const line = [...document.querySelectorAll('.l code')].find((c) => c.textContent.includes('a long line')), word = document.createRange();
		const begins = (at) => { word.setStart(line.lastChild.firstChild, at); word.setEnd(line.lastChild.firstChild, at + 1); return word.getBoundingClientRect(); };
		const all = [...line.lastChild.firstChild.data].map((_, i) => begins(i)).filter((r) => r.width > 0);
		return [line.querySelector('.k-keyword').getBoundingClientRect().left, Math.min(...all.filter((r) => r.top > all[0].top).map((r) => r.left))];
	})()`); starts[1] <= starts[0] {
		t.Errorf("the line begins at %.0f, and its rest at %.0f, expected the rest to the right", starts[0], starts[1])
	}
	b.is("document.documentElement.scrollHeight <= innerHeight") // only the source can be scrolled
	b.accessible()
	box := "document.querySelector('.source .wrap input')"
	b.is(box + ".checked") // the box says that lines are wrapped
	b.click(box)
	b.is(wide + " && !" + box + ".checked")
	again := b.reopen(served(t), "#/latest/get-node/1?view=calls&call="+escape(storeGet))
	again.is("document.querySelector('.source:not(.wrapped) .lines')")
}
