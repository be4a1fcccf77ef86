package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// position is an expression for the text of the step player.
const position = "(document.querySelector('.player .said')?.textContent ?? '')"

// TestKeyOfAStepOpensThePlayer presses a key for a step
// before the player is open.
func TestKeyOfAStepOpensThePlayer(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?call="+escape(storeGet), 1280)
	b.is(heading + " === '(*store).Get' && document.querySelector('.tree')")
	b.press("s")
	b.is("document.querySelector('.player .at') && " + position + ".startsWith('In etcd3.(*store).Get, line ')")
	b.back()
	b.is("!document.querySelector('.player') && " + heading + " === '(*store).Get'")
}

func TestPageStepsThroughARequest(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1?call="+escape(storeGet), 1280)
	b.is(heading + " === '(*store).Get'")
	b.click("document.querySelector('.stepper')")
	b.is(position + " === 'At the beginning of etcd3.(*store).Get.'")
	b.is("document.querySelector('.l.control')?.textContent.includes('func (s *store) Get()')")
	number := func() int {
		return js[int](b, "parseInt(document.querySelector('.player .at').textContent.replace(/^Step |,/g, ''))")
	}
	begin := number()

	// The next call is announced with its line,
	// and then entered. Its return shows its time.
	b.press("s")
	b.is(position + ".startsWith('In etcd3.(*store).Get, line ') && " + position + ".includes(': about to call ')")
	b.is("location.hash.includes('at=calling') && location.hash.includes('next=')")
	if n := number(); n != begin+1 {
		t.Errorf("the next position has the number %d, expected %d", n, begin+1)
	}
	line := js[string](b, "document.querySelector('.l.control .no').textContent")
	if said := js[string](b, position); !strings.Contains(said, "line "+line+":") {
		t.Errorf("line %s is marked, but the player says: %s", line, said)
	}
	calling := js[string](b, "location.hash")
	b.press("s")
	b.is(position + ".startsWith('At the beginning of ')")
	b.is("!" + heading + ".includes('(*store).Get')")
	b.press("x")
	b.is(position + ".includes(' returned after ')")
	b.is(heading + " === '(*store).Get'")

	// Going back leads to the previous position, by button and by key.
	b.click("[...document.querySelectorAll('.player .step')].find((s) => s.getAttribute('aria-label') === 'Over, backward')")
	b.is("location.hash === " + fmt.Sprintf("%q", calling))

	// The layers on the stack are highlighted, the innermost layer most.
	if lit := js[string](b, "document.querySelector('.layer-box.lit').textContent"); lit != "etcd3 store" {
		t.Errorf("the innermost layer is %q, expected etcd3 store", lit)
	}
	on := js[string](b, "[...document.querySelectorAll('.layer-box.on')].map((l) => l.textContent).join()")
	if !strings.Contains(on, "HTTP server and filter chain") || strings.Contains(on, "MVCC") {
		t.Errorf("the highlighted layers are %s, expected the HTTP server and not MVCC", on)
	}
	b.is("document.querySelector('.stack').open && document.querySelectorAll('.stack li').length > 10")

	// F10 and Shift+F11 work as in a debugger.
	at := number()
	b.press(kb.F10)
	b.is("parseInt(document.querySelector('.player .at').textContent.replace(/^Step |,/g, '')) > " + fmt.Sprint(at))

	// A position has a link by names.
	if strings.Contains(calling, "calls/") || !strings.Contains(calling, "at=calling") {
		t.Errorf("the link is %q, expected names and no numbers of calls", calling)
	}
	again := b.reopen(server, calling)
	again.is(position + ".startsWith('In etcd3.(*store).Get, line " + line + ": about to call ')")
	// If the recording has no such call, the
	// player is at the entry of the function.
	other := b.reopen(server, strings.Replace(calling, "next=", "next=x", 1))
	other.is(position + " === 'At the beginning of etcd3.(*store).Get.'")
}

func TestPagePlaysARequest(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?at=entered&call="+escape(storeGet), 1280)
	b.is(position + ".startsWith('At the beginning of etcd3.(*store).Get')")
	// At two steps per second, the player still plays when the page is asked.
	b.press("p")
	b.is("document.querySelector('.play').getAttribute('aria-pressed') === 'true' && document.querySelector('.player .said').getAttribute('aria-live') === 'off'")
	for range 3 {
		b.press(">")
	}
	b.is("document.querySelector('.pace').textContent.includes('16/s')")
	b.until("document.querySelector('.play').getAttribute('aria-pressed') === 'false'") // at the end of the request
	// The last key step in order of entry is
	// reached, so the next step does not move.
	const noMore = "No key step comes after this position."
	last := strings.TrimSuffix(js[string](b, position), noMore)
	b.press("t")
	b.is(position + " === " + fmt.Sprintf("%q", last+noMore))
	if at := js[string](b, "location.hash"); !strings.Contains(at, "at=entered") || strings.Contains(at, "store%29.Get&") {
		t.Errorf("the player stopped at %s, expected the entry of a later call", at)
	}
	b.press("q")
	b.is("!document.querySelector('.player')")

	// The table of keys is shown, and closes.
	b.press("?")
	b.is("document.querySelector('dialog.keys').open && document.querySelector('dialog.keys').textContent.includes('Shift+F11')")
	b.accessible()
	b.press(kb.Escape)
	b.is("!document.querySelector('dialog.keys').open")
}

// TestPageStepsOnANarrowScreen begins without a selected call, as on a phone.
func TestPageStepsOnANarrowScreen(t *testing.T) {
	parallel(t)
	b := open(t, served(t), firstRequest, 400)
	b.is(row("Authentication"))
	// The pages, the colours and the language are behind a button.
	if js[bool](b, "document.querySelector('.theme').checkVisibility()") {
		t.Error("the colours are shown before the menu is opened")
	}
	b.click("document.querySelector('.menu')")
	b.is("document.querySelector('.theme').checkVisibility() && document.querySelector('.language').checkVisibility()")
	b.click("document.querySelector('.menu')")
	b.click("document.querySelector('.stepper')")
	b.is(position + ".startsWith('At the beginning of server.(*APIServerHandler).ServeHTTP')")
	b.click("[...document.querySelectorAll('.player .step')].find((s) => s.getAttribute('aria-label') === 'Into, forward')")
	b.is(position + ".includes('about to call')")
	b.is("document.querySelector('.code')?.checkVisibility()")
	// The current position is visible: the step, the function
	// and the layer. Only the box of that layer has its name.
	for element, want := range map[string]string{".at": "Step 2 of ", ".said": "In server.(*APIServerHandler).ServeHTTP", ".layer-box.lit": "HTTP server and filter chain"} {
		if !js[bool](b, fmt.Sprintf(`(() => {
			const e = document.querySelector('.player ' + %q), is = e.getBoundingClientRect(), player = document.querySelector('.player').getBoundingClientRect();
			return e.innerText.startsWith(%q) && is.width > 20 && is.top >= player.top && is.bottom <= Math.min(player.bottom, innerHeight);
		})()`, element, want)) {
			t.Errorf("%s does not show %q, or is not visible", element, want)
		}
	}
}

// TestPagePlayerStaysAtTheEnd steps to the next key step
// when there is none. The player must stay and say so.
func TestPagePlayerStaysAtTheEnd(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?at=returning&call="+escape("k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP"), 1280)
	b.is(position + ".includes('is about to return')")
	number := js[string](b, "document.querySelector('.player .at').textContent")
	b.press("t")
	b.is(position + ".endsWith('No key step comes after this position.')")
	b.press("s")
	b.is(position + ".endsWith('Nothing comes after this position.')")
	if now := js[string](b, "document.querySelector('.player .at').textContent"); now != number {
		t.Errorf("the player went from %s to %s, expected it to stay", number, now)
	}
	b.press("T")
	b.is(position + ".startsWith('At the beginning of') && !" + position + ".includes('after this position')")
}

// TestPageSaysWhatTakesUpAnEvent selects calls of the watch cache
// that take up the event of a write. Everywhere, the page must
// say that nobody called them, as the tree in the terminal does.
func TestPageSaysWhatTakesUpAnEvent(t *testing.T) {
	parallel(t)
	server := served(t)
	const dispatch, transform = "go.etcd.io/etcd/client/v3.(*watchGRPCStream).dispatchEvent", "k8s.io/apiserver/pkg/storage/etcd3.(*watchChan).transform"
	const from = "(document.querySelector('.code .from')?.textContent ?? '')"
	b := open(t, server, firstRequest, 1280)
	for _, view := range []string{"", "&view=time", "&view=calls"} {
		b.reopen(server, "#/latest/create-deployment/1?call="+escape(dispatch)+view)
		b.is(from + " === 'Not called: takes up the event of the write'")
		if view == "&view=time" {
			b.is(cursor + ".includes('Not called: takes up the event of the write')")
		}
	}
	b.reopen(server, "#/latest/create-deployment/1?at=entered&call="+escape(transform))
	b.is(from + ".startsWith('Not called: takes up the event of the write from client/v3.(*watchGRPCStream).dispatchEvent')")
	b.is(position + ".startsWith('At the beginning of etcd3.(*watchChan).transform')")
	b.press("S")
	b.is(position + ".endsWith('Next, etcd3.(*watchChan).transform takes up the event of the write. client/v3.(*watchGRPCStream).dispatchEvent does not call it.')")
	// Nobody waits for this call, so the layers of the request are not highlighted.
	b.press("s")
	b.is(position + ".startsWith('At the beginning of etcd3.(*watchChan).transform')")
	if on := js[int](b, "document.querySelectorAll('.layer-box.on').length"); on != 0 {
		t.Errorf("%d layers are highlighted as layers of callers, expected none", on)
	}
	// The stack of its callees ends with it.
	b.press("s")
	b.is(position + ".includes('about to call')")
	b.press("s")
	b.is(from + ".startsWith('Called from etcd3.(*watchChan).transform')")
	chinese := b.reopen(server, "#/latest/create-deployment/1?at=entered&call="+escape(dispatch))
	chinese.is(from + ".startsWith('Not called')")
	chinese.click("document.querySelector('.language')")
	chinese.is(from + " === '不是被调用的：接收该写入的事件'")
	chinese.is(position + ".startsWith('位于 ')")
}

// TestPlayerOfAStartBeginsAtItsFirstPhase opens the player on the start of a server.
func TestPlayerOfAStartBeginsAtItsFirstPhase(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/v1.37.1/boot/1?at=entered", 1280)
	b.is(position + ".startsWith('At the beginning of ') && !" + position + ".includes('runtime.main')")
	b.is("document.querySelector('.tree .said')?.textContent === 'the values of the flags are checked' && document.querySelector('.code').ariaLabel !== 'runtime.main'")
}
