package web_test

import "testing"

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
// selected call. The source must be there, and most of the buttons behind one.
func TestPlayerOnANarrowScreenShowsTheSource(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?at=entered", 400)
	b.is(position + ".startsWith('At the beginning of ')")
	b.is("document.querySelector('main .code')?.checkVisibility()")
	const into = "[...document.querySelectorAll('.player .step')].find((s) => s.getAttribute('aria-label') === 'Into, forward')"
	b.is("!" + into + ".checkVisibility() && document.querySelector('.player').getBoundingClientRect().height < 200")
	b.click("document.querySelector('.player .finer-of')")
	b.is(into + ".checkVisibility()")
	b.accessible()
}
