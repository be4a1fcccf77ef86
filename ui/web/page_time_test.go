package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// cursor is an expression for the description of the call at the cursor of the time line.
const cursor = "(document.querySelector('.cursor')?.textContent ?? '')"

// pointer sends a pointer event to a place of the time line.
// part is a fraction of its width. y is in pixels from its top.
func (b *tab) pointer(kind string, part float64, y int, more string) {
	b.Helper()
	class := "PointerEvent"
	if kind == "wheel" {
		class = "WheelEvent"
	}
	js[any](b, fmt.Sprintf(`(() => {
		const c = document.querySelector('.flame canvas'), r = c.getBoundingClientRect(), left = c.clientWidth < 600 ? 44 : 64;
		c.setPointerCapture = () => {};
		c.dispatchEvent(new %s(%q, {bubbles: true, cancelable: true, button: 0, pointerId: 1,
			clientX: r.left + left + (c.clientWidth - left) * %g, clientY: r.top + %d, %s}));
	})()`, class, kind, part, y, more))
}

func TestPageShowsWhereTheTimeWent(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/create-deployment/1?view=time&wrappers=all", 1280)
	b.is("document.querySelector('.span')?.textContent.match(/^0ms to \\d/)")
	b.is(cursor + ".startsWith('server.(*APIServerHandler).ServeHTTP ')")
	if said := js[string](b, cursor); !strings.Contains(said, " of it its own · made 1 call · kube-apiserver · goroutine ") {
		t.Errorf("the description of the first call is %q, expected its own time, calls, program and goroutine", said)
	}
	// As soon as the chart has the focus, the arrow keys move.
	js[any](b, "document.querySelector('.flame').focus()")
	b.press(kb.ArrowRight)
	b.is(cursor + ".startsWith('filters.withAuditInit.func1 ')")
	b.press(kb.ArrowUp)
	b.is(cursor + ".startsWith('server.(*APIServerHandler).ServeHTTP ')")
	// The pointer shows the description of a box, and a click
	// selects the box: here the first call and its callee.
	b.pointer("pointermove", 0.5, 48, "")
	b.is("document.querySelector('.hover')?.textContent.startsWith('server.(*APIServerHandler).ServeHTTP')")
	b.pointer("pointerdown", 0.5, 82, "")
	b.pointer("pointerup", 0.5, 82, "")
	b.is(heading + " === 'withPanicRecovery.func1'")
	b.is("location.hash.includes('view=time') && location.hash.includes('withPanicRecovery')")
	b.is(cursor + ".startsWith('filters.withPanicRecovery.func1 ')")

	// The wheel zooms around the pointer, and the address has the span.
	b.pointer("wheel", 0.25, 82, "deltaY: -200")
	b.is("location.hash.includes('from=') && location.hash.includes('to=')")
	b.is("!document.querySelector('.span').textContent.startsWith('0ns')")
	zoomed := js[string](b, "document.querySelector('.span').textContent.split(' · ')[0]")
	again := js[string](b, "location.hash")
	// A drag moves the span. A drag on the scale selects a span.
	b.pointer("pointerdown", 0.5, 90, "")
	b.pointer("pointermove", 0.4, 90, "")
	b.pointer("pointerup", 0.4, 90, "")
	b.is("document.querySelector('.span').textContent.split(' · ')[0] !== " + fmt.Sprintf("%q", zoomed))
	moved := js[string](b, "document.querySelector('.span').textContent.split(' · ')[0]")
	b.pointer("pointerdown", 0.2, 8, "")
	b.pointer("pointermove", 0.4, 8, "")
	b.pointer("pointerup", 0.4, 8, "")
	b.is("document.querySelector('.span').textContent.split(' · ')[0] !== " + fmt.Sprintf("%q", moved))
	b.click("[...document.querySelectorAll('.time-head button')].at(-1)")
	b.is("document.querySelector('.span').textContent.match(/^0ms to \\d/) && !location.hash.includes('from=')")

	// The keyboard moves along the tree.
	js[any](b, "document.querySelector('.flame').focus()")
	b.press(kb.ArrowDown)
	b.is(cursor + ".startsWith('filters.WithMuxAndDiscoveryComplete.func1 ')")
	b.press(kb.ArrowUp)
	b.press(kb.ArrowUp)
	b.is(cursor + ".startsWith('filters.withAuditInit.func1 ')")
	b.press(kb.ArrowRight) // the next callee of the first call
	b.is("!" + cursor + ".startsWith('filters.withAuditInit.func1 ')")
	b.press(kb.ArrowLeft)
	b.is(cursor + ".startsWith('filters.withAuditInit.func1 ')")
	b.press(kb.Enter)
	b.is(heading + " === 'withAuditInit.func1'")
	// The same call is selected in the tree.
	b.click("document.querySelector('.views a')")
	b.is("document.querySelector('[aria-selected=true]')?.textContent.includes('withAuditInit')")

	// A link opens the same span.
	other := b.reopen(server, again)
	other.is("document.querySelector('.span')?.textContent.split(' · ')[0] === " + fmt.Sprintf("%q", zoomed))
	// The page changes to Chinese.
	other.click("document.querySelector('.language')")
	other.is("document.querySelector('.span').textContent.includes('至')")
}

// TestPageShowsTheTailOfAWrite zooms to the watch
// event, which comes after the first call has ended.
func TestPageShowsTheTailOfAWrite(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/create-deployment/1?view=time&call="+escape("k8s.io/apiserver/pkg/storage/cacher.(*Cacher).dispatchEvent"), 1280)
	b.is(cursor + ".startsWith('cacher.(*Cacher).dispatchEvent ')")
	b.is(heading + " === '(*Cacher).dispatchEvent'")
	// The event was too narrow to be visible. Now the time
	// line is zoomed in and scrolled to the lanes of the tail.
	b.is("document.querySelector('.flame').scrollTop > 100")
	b.is("location.hash.includes('from=')")
}

// TestPageZoomsThroughTheStartOfAServer zooms and moves the
// time line of the largest request, the start of a server.
func TestPageZoomsThroughTheStartOfAServer(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/boot/1?view=time", 1280)
	b.is("/^0s to [1-9]/.test(document.querySelector('.span')?.textContent)")
	js[any](b, `new Promise((done) => {
		const c = document.querySelector('.flame canvas'), r = c.getBoundingClientRect(); let n = 0;
		const frame = () => {
			c.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: r.left + 250, clientY: r.top + 90, deltaY: n < 60 ? -40 : 40, shiftKey: n % 10 === 9}));
			document.querySelector('.flame').scrollTop += 7;
			n++ < 120 ? requestAnimationFrame(frame) : done(null);
		};
		requestAnimationFrame(frame);
	})`)
	b.is("document.querySelector('.span')?.textContent.includes('zoom in')")
}

// TestPageMarksCallsWithoutADuration zooms to a leaf call, which has only a
// recorded entry. It must be drawn with a dot, and its description must say that
// the duration was not recorded.
func TestPageMarksCallsWithoutADuration(t *testing.T) {
	parallel(t)
	server := served(t)
	rec, err := recordings.Load("v1.37.1", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	calls := rec.Requests[0].Calls
	at := slices.IndexFunc(calls, func(c trace.Call) bool { return c.Leaf })
	if at < 0 {
		t.Fatal("create-deployment has no call without a duration")
	}
	from := calls[at].StartNs
	b := open(t, server, fmt.Sprintf("#/v1.37.1/create-deployment/1?view=time&from=%d&to=%d", from-2000, from+2000), 1280)
	b.is(cursor + ".length > 0")
	dots := js[int](b, `(async () => {
		const arc = CanvasRenderingContext2D.prototype.arc;
		let dots = 0;
		CanvasRenderingContext2D.prototype.arc = function () { dots++; arc.apply(this, arguments); };
		for (let n = 0; n < 50 && dots === 0; n++) {
			const f = document.querySelector('.flame');
			f.scrollTop = n * 100;
			f.dispatchEvent(new Event('scroll'));
			await settled();
		}
		CanvasRenderingContext2D.prototype.arc = arc;
		return dots;
	})()`)
	if dots == 0 {
		t.Error("no call without a duration has a dot")
	}
	b.goTo(fmt.Sprintf("#/v1.37.1/create-deployment/1?view=time&call=%s", calls[at].Function))
	b.is(cursor + ".includes('its duration was not recorded')")
}

// TestPageTellsTimesApart zooms in until a microsecond fills
// the scale. No two labels on the scale may be the same.
func TestPageTellsTimesApart(t *testing.T) {
	parallel(t)
	tellsTimesApart(t, [2]int{0, 3000000}, [2]int{999990, 1000190})
}

// TestNightlyPageTellsTimesApart does the same with more spans.
func TestNightlyPageTellsTimesApart(t *testing.T) {
	testenv.Nightly(t)
	tellsTimesApart(t, [2]int{1500000, 1501000}, [2]int{1000000, 1000200})
}

func tellsTimesApart(t *testing.T, spans ...[2]int) {
	t.Helper()
	server := served(t)
	b := open(t, server, firstRequest, 1280)
	for _, span := range spans {
		b.reopen(server, fmt.Sprintf("#/latest/create-deployment/1?view=time&from=%d&to=%d", span[0], span[1]))
		b.is(cursor + ".length > 0")
		labels := js[[]string](b, `(async () => {
			const fill = CanvasRenderingContext2D.prototype.fillText, ground = CanvasRenderingContext2D.prototype.fillRect, written = [];
			CanvasRenderingContext2D.prototype.fillRect = function (x, y, w, h) { if (x === 0 && y === 0 && h > 60) written.length = 0; ground.apply(this, arguments); }; // it draws anew
			CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (y < 22 && /^[0-9.]+(ns|µs|ms|s)$/.test(text)) written.push(text); fill.apply(this, arguments); };
			document.querySelector('.flame').dispatchEvent(new Event('scroll'));
			await settled();
			CanvasRenderingContext2D.prototype.fillText = fill;
			CanvasRenderingContext2D.prototype.fillRect = ground;
			return written;
		})()`)
		seen := map[string]bool{}
		for _, label := range labels {
			if seen[label] {
				t.Errorf("from %d to %d ns the scale has %q twice: %v", span[0], span[1], label, labels)
			}
			seen[label] = true
		}
		if len(labels) < 4 {
			t.Errorf("from %d to %d ns the scale has only the labels %v, expected at least 4", span[0], span[1], labels)
		}
	}
}

// TestPageRanksWhatTookLongest opens the ranking of a request. The
// longest time must be first, and a row must link to the call.
func TestPageRanksWhatTookLongest(t *testing.T) {
	parallel(t)
	server := served(t)
	var want web.LayerList
	_, body := get(t, server+web.Base+"/releases/latest/scenarios/create-deployment/requests/1/layers")
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	for i := range want.Longest[1:] {
		if want.Longest[i].OwnNs < want.Longest[i+1].OwnNs {
			t.Fatalf("function %d of the ranking took less time than the next one: %+v", i, want.Longest[i:i+2])
		}
	}
	b := open(t, server, "#/latest/create-deployment/1?view=time", 400)
	b.is("document.querySelectorAll('.ranked').length === 2")
	b.is("document.querySelector('.ranking').textContent.includes('own times may add up to more than the request took')")
	b.accessible()
	first := "document.querySelector('.ranked button')"
	if text := js[string](b, first+".textContent"); !strings.Contains(text, want.Longest[0].Name) {
		t.Errorf("the first function is %q, expected %s", text, want.Longest[0].Name)
	}
	b.is("[...document.querySelectorAll('.ranked button')].find((f) => f.innerText.includes('unaryClientInterceptor')).innerText.includes('on the way to etcd and back')")
	b.is("[...document.querySelectorAll('.ranked .of')].every((name) => name.getBoundingClientRect().width > 200)") // no name is broken letter by letter
	b.click(first)
	b.is(cursor + ".startsWith(" + fmt.Sprintf("%q", want.Longest[0].Name) + ")")
	if js[bool](b, "document.documentElement.scrollWidth > innerWidth") {
		t.Error("the page is wider than the screen")
	}
}

// TestTimeLineFoldsWrappers compares the height of the chart with and without runs of
// wrappers, moves with the strip of the whole request, and reads for whom a client's call
// waits.
func TestTimeLineFoldsWrappers(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?view=time", 1280)
	const high = "document.querySelector('.flame').scrollHeight"
	b.is("document.querySelector('.span') && document.querySelector('.strip .window')?.style.width === '100%'")
	folded := js[int](b, high)
	b.is("(() => { const c = document.querySelector('.strip canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return d.filter((v, i) => i % 4 === 3 && v > 0).length > c.width })()")
	b.accessible()
	b.click("document.querySelector('.time-head .choice input')")
	b.is("location.hash.includes('wrappers=all') && " + high + " > " + strconv.Itoa(folded+150))
	b.click("document.querySelector('.time-head .choice input')")
	b.is("!location.hash.includes('wrappers') && " + high + " === " + strconv.Itoa(folded))
	b.press("+", "+", "+")
	b.is("parseFloat(document.querySelector('.strip .window').style.width) < 30 && location.hash.includes('from=')")
	before := js[string](b, "location.hash")
	js[any](b, "(() => { const s = document.querySelector('.strip'), r = s.getBoundingClientRect(); s.setPointerCapture = () => {}; s.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerId: 1, clientX: r.right - 5, clientY: r.top + 5 })) })()")
	b.is("location.hash !== " + strconv.Quote(before) + " && parseFloat(document.querySelector('.strip .window').style.left) > 60")
	b.goTo("#/latest/get-node/1?view=time&call=" + escape("go.etcd.io/etcd/client/v3.(*Client).unaryClientInterceptor.func1"))
	b.is("/waits for etcd: .* of work there, .* on the way/.test(document.querySelector('.cursor').textContent)")
}

// TestTimeBarsStandOutInTheDark measures the contrast of the bars of times to what is around them, in the dark
// theme: in the outline, on the map, in the chart and in the ranking.
func TestTimeBarsStandOutInTheDark(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/create-deployment/1", 1280)
	b.emulate("screen", "dark")
	const contrast = `const luminance = (c) => { const [r, g, b] = c.map((n) => n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
		const colour = (text) => { const n = text.match(/[\d.]+/g).slice(0, 3).map(Number); return text.startsWith('color') ? n : n.map((v) => v / 255); };
		const least = (bars, ground) => Math.min(...bars.map((c) => contrast(colour(c), colour(ground))));`
	measured := func(where, expression string) {
		t.Helper()
		if got := js[float64](b, "(() => { "+contrast+" return "+expression+" })()"); got < 3 {
			t.Errorf("%s: a bar has a contrast of %.2f, expected at least 3", where, got)
		}
	}
	b.is("document.querySelectorAll('.took i').length > 10")
	measured("outline", "least([...document.querySelectorAll('.took i')].map((i) => getComputedStyle(i).backgroundColor), getComputedStyle(document.body).backgroundColor)")
	b.goTo("#/latest/create-deployment/1?view=map")
	b.is("document.querySelectorAll('.station-time').length > 10")
	measured("map", `least([...document.querySelectorAll('.station-time')].map((s) => getComputedStyle(s).backgroundImage.match(/color\([^)]*\)/)[0]), getComputedStyle(document.querySelector('.station')).backgroundColor)`)
	b.goTo("#/latest/create-deployment/1?view=time")
	b.is("document.querySelectorAll('.ranked').length === 2 && document.querySelector('.span')")
	measured("ranking", `least([...document.querySelectorAll('.ranked button')].map((s) => getComputedStyle(s).backgroundImage.match(/color\([^)]*\)/)[0]), getComputedStyle(document.querySelector('.right')).backgroundColor)`)
	// The middle of the boxes of the first goroutine, at their right end, where no name stands.
	measured("chart", `(() => {
		const c = document.querySelector('.flame canvas'), scale = c.width / c.clientWidth, column = c.getContext('2d').getImageData((c.clientWidth - 30) * scale, 0, 1, 140 * scale).data;
		const at = (y) => 'rgb(' + [...column.slice(4 * y * scale, 4 * y * scale + 3)].join() + ')';
		return least([80, 97, 114, 131].map(at), getComputedStyle(document.querySelector('.flame')).backgroundColor);
	})()`)
}
