package web_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/view"
)

// station is the format of an expression for a station of the map.
const station = "[...document.querySelectorAll('.station')].find((s) => s.dataset.id === %q)"

func TestPageDrawsTheMapOfARequest(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/get-node/1?view=map", 1280)
	b.is("document.querySelectorAll('.map-picture .line').length > 10")
	b.is("/Times at the stations: own time.*Times in the list: with the calls/.test(document.querySelector('.map-times').textContent)")
	_, body := get(t, server+web.Base+"/releases/latest/scenarios/get-node/requests/1/map")
	var want view.RequestMap
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	for _, v := range want.Visits {
		if !js[bool](b, fmt.Sprintf("[...("+station+").querySelectorAll('.numbers b')].some((n) => n.textContent === '%d')", v.Station, v.Number)) {
			t.Errorf("station %s does not have the number %d", v.Station, v.Number)
		}
		if !js[bool](b, fmt.Sprintf("[...document.querySelectorAll('.way li')][%d].textContent.includes(%q)", v.Number-1, v.Title)) {
			t.Errorf("item %d of the list is not %q", v.Number, v.Title)
		}
	}
	if text := js[string](b, "document.querySelector('.map-picture').innerText"); !strings.Contains(text, "apiextensions-apiserver (not reached)") || !strings.Contains(text, "kube-aggregator") {
		t.Errorf("the picture lacks kube-aggregator, or does not say that apiextensions-apiserver is not reached:\n%s", text)
	}
	b.is(fmt.Sprintf("("+station+").classList.contains('off')", "kube-apiserver/kube-apiserver/admission"))
	// Each line begins and ends at a box.
	if n, lines := js[int](b, "document.querySelectorAll('.map-picture .line path:first-child').length"), len(want.Visits); n != lines {
		t.Errorf("the map has %d lines, expected %d", n, lines)
	}
	// The keyboard moves along the way, and the address has the place.
	js[any](b, "document.querySelector('.station').focus()")
	b.press(kb.ArrowRight, kb.ArrowRight)
	b.is("location.hash.includes('stop=2')")
	b.is("document.querySelector('.way .here').textContent.includes('Authentication')")
	b.is("document.querySelector('.map-picture .dot') && document.querySelectorAll('.line.now').length === 1")
	b.press(kb.ArrowLeft)
	b.is("location.hash.includes('stop=1')")
	// A station shows the source of its first step. The map stays where it is, and keeps the station in sight.
	place := "(({ left, top, width }) => [left, top, width].join())(" + fmt.Sprintf(station, "kube-apiserver/kube-apiserver/handler") + ".getBoundingClientRect())"
	stood := js[string](b, place)
	b.click(fmt.Sprintf(station, "kube-apiserver/kube-apiserver/etcd3"))
	b.is("location.hash.includes('call=') && location.hash.includes('view=map') && location.hash.includes('stop=1')")
	b.is(heading + " === '(*store).Get' && document.querySelector('.code').checkVisibility() && document.querySelectorAll('.map-picture .line').length > 10")
	if now := js[string](b, place); now != stood {
		t.Errorf("beside a source, a station is at %s, expected %s as before", now, stood)
	}
	b.click("document.querySelector('.map-controls button[aria-label=\"To the next station\"]')")
	b.is("location.hash.includes('stop=2') && document.querySelector('.code')")
	b.click("[...document.querySelectorAll('.station')].find((s) => s.dataset.id.startsWith('etcd/') && s.getAttribute('aria-disabled') !== 'true')")
	b.is("document.querySelector('.code')?.textContent.includes('go.etcd.io') && [...document.querySelectorAll('.station')].find((s) => s.dataset.id.startsWith('etcd/')).getBoundingClientRect().right <= document.querySelector('.split').getBoundingClientRect().left")
	b.back()
	b.accessible()
	b.back()
	b.is("document.querySelector('.map-picture') && !document.querySelector('.code')")
	b.click("document.querySelectorAll('.way .in-tree')[1]")
	b.is("document.querySelector('[aria-selected=true]')?.textContent.includes('withAuthentication.func1')")
	b.back()
	b.click("document.querySelectorAll('.way .in-tree')[1]")
	b.is(heading + " === 'withAuthentication.func1'")
	// A link to a station opens it.
	again := b.reopen(server, "#/latest/get-node/1?view=map&stop=3")
	again.is("document.querySelector('.way .here')?.textContent.includes('Flow control')")
	again.click("document.querySelector('.language')")
	again.is("document.querySelector('.way .here')?.textContent.includes('流量控制') || document.querySelector('.way .here')?.textContent.includes('流控')")
}

func TestPageShowsWhatAStartBuilt(t *testing.T) {
	parallel(t)
	showsWhatAStartBuilt(open(t, served(t), "#/latest/boot/1?view=map", 1280))
}

// TestFileShowsWhatAStartBuilt opens the single-file page of a start.
func TestFileShowsWhatAStartBuilt(t *testing.T) {
	parallel(t)
	path, _ := writeFile(t, recorded(t, "boot"), web.PageFile{Source: fakeSource(t)}, "en")
	b := openFile(t, path, 1280)
	b.is("document.querySelector('.tree')")
	b.click("[...document.querySelectorAll('.views a')].find((a) => a.textContent === 'Map')")
	showsWhatAStartBuilt(b)
}

// showsWhatAStartBuilt opens the map of a start down
// to the storage and the strategy of deployments.
func showsWhatAStartBuilt(b *tab) {
	b.Helper()
	b.is("document.querySelectorAll('.boot-server').length === 3")
	if text := js[string](b, "[...document.querySelectorAll('.boot-server h3')].map((h) => h.textContent.split(' ')[0]).join()"); !strings.HasPrefix(text, "kube-aggregator") || !strings.HasSuffix(text, "apiextensions-apiserver") {
		b.Errorf("the servers are %q, expected kube-aggregator first and apiextensions-apiserver last", text)
	}
	opens := func(name string) {
		b.click(fmt.Sprintf("[...document.querySelectorAll('.opens')].find((o) => o.textContent.startsWith(%q))", name+" "))
	}
	opens("apps/v1")
	opens("deployments")
	b.is("document.querySelector('.boot-resource')?.textContent.includes('deployment.deploymentStrategy')")
	text := js[string](b, "document.querySelector('.boot-resource').innerText")
	for _, want := range []string{"deployment/storage.REST", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "endpoints.restfulGetResource"} {
		if !strings.Contains(text, want) {
			b.Errorf("deployments do not have %q:\n%s", want, text)
		}
	}
	// On a phone, no method name is broken, and nothing is wider than the screen.
	b.do(chromedp.EmulateViewport(400, 860))
	if broken := js[string](b, "[...document.querySelectorAll('.boot-routes td:first-child')].filter((d) => d.getBoundingClientRect().height > 28).map((d) => d.textContent).join()"); broken != "" {
		b.Errorf("on a phone, these methods take more than a line: %s", broken)
	}
	if js[bool](b, "document.documentElement.scrollWidth > innerWidth") {
		b.Error("the opened map is wider than a phone")
	}
	if js[bool](b, "document.documentElement.scrollHeight > innerHeight") {
		b.Error("the whole page can be scrolled, expected the header to stay")
	}
	b.do(chromedp.EmulateViewport(1280, 860))
	b.click("[...document.querySelectorAll('.boot-resource .link')].find((l) => l.textContent === 'The call that registered it')")
	b.is(heading + " === '(*APIInstaller).registerResourceHandlers'")
}

// TestPageDrawsTheMapWithoutOverlaps measures the map. No line may
// cross a box or a text. Boxes and texts may not overlap, and are
// within the box of their program. The calls that take up the
// event of a write must come after the servers.
func TestPageDrawsTheMapWithoutOverlaps(t *testing.T) {
	parallel(t)
	drawsTheMapWithoutOverlaps(t, []string{"create-deployment", "get-node"}, 1280)
	drawsTheMapWithoutOverlaps(t, []string{"aggregated-api"}, 400)
}

// TestMapStaysInSight checks that the list beside the map scrolls on its own, and shows the
// stop.
func TestMapStaysInSight(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/create-deployment/1?view=map&stop=15", 1280)
	b.is("document.querySelectorAll('.map-picture .line').length > 5")
	b.is("document.querySelector('.map-view')?.scrollHeight < 1200")
	b.is("(([list, stop]) => stop?.top >= list.top - 1 && stop.bottom <= list.bottom + 1)([document.querySelector('.way'), document.querySelector('.way [aria-current]')].map((e) => e?.getBoundingClientRect()))")
}

// TestNightlyPageDrawsTheMapWithoutOverlaps measures more maps.
func TestNightlyPageDrawsTheMapWithoutOverlaps(t *testing.T) {
	testenv.Nightly(t)
	drawsTheMapWithoutOverlaps(t, []string{"create-deployment", "get-node", "aggregated-api", "create-crd"}, 1600, 1280, 400)
}

func drawsTheMapWithoutOverlaps(t *testing.T, scenarios []string, widths ...int64) {
	t.Helper()
	server := served(t)
	for _, scenario := range scenarios {
		for _, width := range widths {
			b := open(t, server, "#/latest/"+scenario+"/1?view=map", width)
			b.is("document.querySelectorAll('.map-picture .line').length > 5")
			overlaps := js[[]string](b, `(() => {
				const wrong = [], whole = document.querySelector('.map-picture').getBoundingClientRect();
				const things = [...document.querySelectorAll('.map-picture .station, .map-client, .map-picture h2, .map-picture h3, .map-picture .also')]
					.map((e) => ({ r: e.getBoundingClientRect(), name: e.innerText.slice(0, 30) }));
				const programs = [...document.querySelectorAll('.map-program')];
				programs.forEach((p, i) => {
					const r = p.getBoundingClientRect(), name = p.getAttribute('aria-label');
					for (const e of p.querySelectorAll('.map-server, .station, .also')) {
						const of = e.getBoundingClientRect();
						if (of.left < r.left || of.right > r.right || of.top < r.top || of.bottom > r.bottom) wrong.push(e.innerText.slice(0, 30) + ' is not within ' + name);
					}
					for (const o of [...programs.slice(i + 1), document.querySelector('.way')].map((e) => e.getBoundingClientRect())) if (r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom) wrong.push(name + ' lies on another part');
				});
				const inside = (r, x, y) => x > r.left + 1 && x < r.right - 1 && y > r.top + 1 && y < r.bottom - 1;
				for (const line of document.querySelectorAll('.map-picture .line path:first-child')) {
					const length = line.getTotalLength();
					if (!(length > 0)) wrong.push('a line without length');
					for (let at = 0; at <= length; at += 2) {
						const p = line.getPointAtLength(at), x = p.x + whole.left, y = p.y + whole.top;
						const hit = things.find((t) => inside(t.r, x, y));
						if (hit) { wrong.push('a line runs through ' + hit.name); break; }
					}
				}
				things.forEach((a, i) => things.slice(i + 1).forEach((b) => {
					if (a.r.left < b.r.right - 1 && b.r.left < a.r.right - 1 && a.r.top < b.r.bottom - 1 && b.r.top < a.r.bottom - 1) wrong.push(a.name + ' lies on ' + b.name);
				}));
				return wrong;
			})()`)
			for _, o := range overlaps {
				t.Errorf("%s, %d pixels wide: %s", scenario, width, o)
			}
			_, body := get(t, server+web.Base+"/releases/latest/scenarios/"+scenario+"/requests/1/map")
			var m view.RequestMap
			if err := json.Unmarshal(body, &m); err != nil {
				t.Fatal(err)
			}
			drawn := 0
			var later []string
			for _, v := range m.Visits {
				if v.Afterwards {
					later = append(later, strconv.Itoa(v.Number))
				} else {
					drawn++
				}
			}
			if lines := js[int](b, "document.querySelectorAll('.map-picture .line').length"); lines != drawn {
				t.Errorf("%s, %d pixels wide: %d lines for %d visits", scenario, width, lines, drawn)
			}
			if scenario == "create-deployment" {
				if len(later) == 0 {
					t.Error("no visit comes after the write")
				}
				b.is("[...document.querySelectorAll('.map-later .numbers b')].map((n) => n.textContent).join() === '" + strings.Join(later, ",") + "'")
				if js[bool](b, "document.querySelector('.map-later').getBoundingClientRect().top < document.querySelector('.map-servers').getBoundingClientRect().bottom") {
					t.Error("the visits after the write are not below the servers")
				}
			}
			b.close()
		}
	}
}

// TestNoLineOfTheMapBeginsWithAComma checks the lists of links below
// the stations. A comma must be on the line of the link before it.
func TestNoLineOfTheMapBeginsWithAComma(t *testing.T) {
	parallel(t)
	noLineOfTheMapBeginsWithAComma(t, 400)
}

// TestNightlyNoLineOfTheMapBeginsWithAComma checks more widths.
func TestNightlyNoLineOfTheMapBeginsWithAComma(t *testing.T) {
	testenv.Nightly(t)
	noLineOfTheMapBeginsWithAComma(t, 340, 360, 380, 400, 420, 440, 460, 480)
}

func noLineOfTheMapBeginsWithAComma(t *testing.T, widths ...int64) {
	t.Helper()
	b := open(t, served(t), "#/latest/aggregated-api/1?view=map", 400)
	b.is("document.querySelector('.also .comma')")
	for _, lang := range []string{"en", "zh"} {
		if lang == "zh" {
			js[any](b, "localStorage.setItem('lang', 'zh')")
			b.do(chromedp.Reload())
			b.is("document.querySelector('.also')?.textContent.includes('、')")
		}
		for _, width := range widths {
			b.do(chromedp.EmulateViewport(width, 860))
			wrong := js[[]string](b, `[...document.querySelectorAll('.also .comma')].filter((comma) => {
				const before = document.createRange();
				before.setStart(comma.parentElement, 0);
				before.setEndBefore(comma);
				return comma.getBoundingClientRect().top >= [...before.getClientRects()].at(-1).bottom - 2;
			}).map((comma) => comma.parentElement.textContent)`)
			for _, text := range wrong {
				t.Errorf("%s, %d pixels wide: the comma after %q begins a line", lang, width, text)
			}
		}
	}
}

// TestMapIsOnOneScreen measures the picture of a write on a wide screen, and reads the
// times at its stations.
func TestMapIsOnOneScreen(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/create-deployment/1?view=map", 1600)
	b.is("document.querySelector('.map-picture svg path')")
	b.is(`(() => {
		const place = (name) => [...document.querySelectorAll('.map-program')].find((p) => p.getAttribute('aria-label') === name).getBoundingClientRect();
		const [server, etcd] = [place('kube-apiserver'), place('etcd')], last = [...document.querySelectorAll('.map-server .station')].at(-1).getBoundingClientRect();
		return etcd.left >= server.right && etcd.top === server.top && last.bottom < 900;
	})()`)
	b.is("[...document.querySelectorAll('.station:not(.off)')].every((s) => /\\d+ calls? · \\d[\\d.]*(ns|µs|ms)/.test(s.textContent))")
	b.is("(() => { const part = (s) => parseFloat(getComputedStyle(s).getPropertyValue('--part')); return Math.max(...[...document.querySelectorAll('.station')].map(part)) === 100 })()")
	b.accessible()
}

// TestPhoneKeepsTheMapInSight goes to the first station on a phone: the station and the buttons
// stay in sight, although the list of the stations is below the map.
func TestPhoneKeepsTheMapInSight(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/create-deployment/1?view=map", 400)
	b.click("[...document.querySelectorAll('.map-controls button')].find((x) => x.textContent === '▶')")
	b.is("document.querySelector('.way .here')")
	for _, what := range []string{".station.here", ".map-controls"} {
		b.is("(() => { const r = document.querySelector('" + what + "')?.getBoundingClientRect(); return r && r.top >= 0 && r.bottom <= innerHeight; })()")
	}
}
