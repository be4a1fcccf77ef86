package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// recorded returns a recording of the newest release.
func recorded(t testing.TB, scenario string) *trace.Recording {
	t.Helper()
	return recordedBy(t, "v1.37.1", scenario)
}

// writeFile writes the page of a recording into a file.
func writeFile(t testing.TB, rec *trace.Recording, p web.PageFile, lang string) (path, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := p.WriteRecording(&out, rec, lang); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, out.String()
}

var dataOf = regexp.MustCompile(`id="data">([A-Za-z0-9+/=]*)</script>`)

// TestFileAnswersAsTheServer sends the same API requests to the
// server and to the data of a file, and compares the answers.
func TestFileAnswersAsTheServer(t *testing.T) {
	parallel(t)
	fileAnswersAsTheServer(t, map[string]int{"get-node": 8})
}

// TestNightlyFileAnswersAsTheServer tests more calls and more recordings.
func TestNightlyFileAnswersAsTheServer(t *testing.T) {
	testenv.Nightly(t)
	fileAnswersAsTheServer(t, map[string]int{"get-node": 4, "create-deployment": 19, "get-forbidden": 9})
}

// fileAnswersAsTheServer requests every nth call of recordings. scenarios
// has n for each scenario.
func fileAnswersAsTheServer(t *testing.T, scenarios map[string]int) {
	t.Helper()
	source := fakeSource(t)
	server := served(t)
	for scenario, every := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			rec := recorded(t, scenario)
			_, text := writeFile(t, rec, web.PageFile{Source: source}, "")
			b := open(t, server, firstRequest, 1280)
			b.is("document.querySelector('.tree')")
			loadStill(b, text)
			for asked := range slices.Chunk(addresses(rec, every), 100) {
				list, err := json.Marshal(asked)
				if err != nil {
					t.Fatal(err)
				}
				for _, wrong := range js[[]string](b, fmt.Sprintf("compare(%s)", list)) {
					t.Error(wrong)
				}
				if t.Failed() {
					break
				}
			}
			for _, address := range []string{"/requests/1/calls/999999", "/requests/99/view", "/requests/1/calls/-1/children", "/no/such", "/requests/1/position?call=5&kind=calling&next=3"} {
				if status := js[int](b, fmt.Sprintf(`local.get(%q, Object.fromEntries(new URL(%[1]q, location.href).searchParams)).then(() => 0, (e) => e.status)`,
					"/releases/latest/scenarios/"+scenario+address)); status == 0 {
					t.Errorf("%s is answered, expected an error", address)
				}
			}
		})
	}
}

// loadStill loads the data of a file into a page. There,
// window.local answers requests from this data, and
// window.compare compares its answers with the server's answers.
func loadStill(b *tab, file string) {
	b.Helper()
	js[any](b, bundled(b.TB, `export * from './src/still.ts'; export * from './src/server.ts'`, "still")+`; window.still = still; window.remote = still.server(); null`)
	js[any](b, fmt.Sprintf(`(async () => {
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		const data = await still.unpack(bytes);
		window.local = still.still(async (key) => data[key] ?? null, data.library);
	})()`, dataOf.FindStringSubmatch(file)[1]))
	js[any](b, compareAnswers)
}

// compareAnswers defines window.compare. This function requests addresses from
// the server and from the data, and returns the addresses with different answers.
const compareAnswers = `window.compare = async (addresses) => {
	const plain = (x) => JSON.stringify(x, (key, value) => key === 'id' || key === 'parent' ? undefined
		: value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value);
	const one = async (address) => {
		const url = new URL(address, location.href), query = Object.fromEntries(url.searchParams);
		const want = { ...await remote.get(url.pathname, query) };
		const got = await local.get(url.pathname, query);
		if (want.missing) // the reason depends on the machine, and the server adds advice
			return got.missing && (got.lines ?? got.hunks).length === 0 ? '' : address + ': ' + plain(got).slice(0, 300);
		if (address.startsWith('/search')) delete want.names; // a page without a server has no names of released sources
		delete got.licence;
		delete got.notice;
		const a = plain(got), b = plain(want);
		let at = 0;
		while (at < a.length && a[at] === b[at]) at++;
		return a === b ? '' : address + ':\n' + a.slice(Math.max(0, at - 60), at + 200) + '\nthe server:\n' + b.slice(Math.max(0, at - 60), at + 200);
	};
	return (await Promise.all(addresses.map((a) => one(a).catch((e) => a + ': ' + e)))).filter((wrong) => wrong);
}; null`

// addresses returns API requests of each kind
// for a recording, and for every nth call of it.
func addresses(rec *trace.Recording, every int) []string {
	recording := "/releases/v1.37.1/scenarios/" + rec.Scenario
	all := []string{recording, recording + "?lang=zh", recording + "/story?lang=zh", "/releases/latest/scenarios/" + rec.Scenario + "/requests/1/view"}
	for n := range rec.Requests {
		request := fmt.Sprintf("%s/requests/%d", recording, n+1)
		calls := rec.Requests[n].Calls
		all = append(all, request+"/view?lang=zh", request+"/view?show=upstream", request+"/layers", request+"/map?lang=zh", request+"/calls", request+"/calls?from=100&limit=300", request+"/calls?from=99999",
			request+"/calls?text=ETCD", request+"/timeline")
		for i := 0; i < len(calls); i += every {
			call := fmt.Sprintf("%s/calls/%d", request, i)
			all = append(all, call, call+"/children", call+"/source", call+"?lang=zh")
		}
	}
	return append(all, recording+"/requests/1/find?function=no.Such")
}

// openFile opens a file in a tab that may load nothing else.
func openFile(t *testing.T, path string, width int64) *tab {
	t.Helper()
	return openAt(t, "file://"+path, "file://"+path, width)
}

// TestFileNeedsNothingElse opens the page of a recording from the disk.
func TestFileNeedsNothingElse(t *testing.T) {
	parallel(t)
	path, text := writeFile(t, recorded(t, "get-node"), web.PageFile{Source: fakeSource(t)}, "en")
	if needs := regexp.MustCompile(`<(link rel="style|img|iframe)|<script[^>]* src=|@import|url\(`).FindString(text); needs != "" {
		t.Errorf("the file loads something else: %q", needs)
	}
	b := openFile(t, path, 1280)
	b.click("document.querySelector('.choices button')") // opens all sections
	b.click(row("etcd3.(*store).Get"))
	b.is(heading + " === '(*store).Get'")
	b.is("document.querySelector('.l.ran')")
	if text := js[string](b, "document.querySelector('.k-comment').textContent"); text != `// Get gets "<b>".` {
		t.Errorf("the first comment is %q, expected the comment in the source", text)
	}
	if text := js[string](b, "document.querySelector('.licence').textContent"); text != "Licence of k8s.io/apiserver// Copyright <i>Do <b>no</b> harm." {
		t.Errorf("the licence of the source is shown as %q, expected the module, the notice and the licence", text)
	}
	// A call from a line can be followed. For a function
	// without source in the file, the page says so.
	b.click("[...document.querySelectorAll('.marks button')].find((m) => m.textContent.includes('kubernetes.Client.Get'))")
	b.is(heading + " === 'Client.Get'")
	b.is("document.querySelector('.nosource')?.textContent.includes('etcd v3.7.0') || document.querySelector('.nosource')?.textContent.includes('kube-apiserver v1.37.1')")
	if js[bool](b, "!!document.querySelector('.nosource button')") {
		t.Error("the file has a button to try again, though it cannot load more sources")
	}
	b.back()
	b.is(heading + " === '(*store).Get'")
	// A link still works when it is loaded again, and all calls are there.
	link := js[string](b, "location.hash")
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+path+link))
	b.is(heading + " === '(*store).Get'")
	b.click("[...document.querySelectorAll('.views a')].find((a) => a.textContent === 'All calls')")
	b.is("document.querySelectorAll('.row.flat .place').length > 10")
	for _, view := range []string{"time", "map", "steps"} {
		b.goTo("#/v1.37.1/get-node/1?view=" + view)
		b.is("document.querySelector('.views [aria-current]').getAttribute('href').includes('view=" + view + "') || " + fmt.Sprint(view == "steps"))
		b.is("document.querySelector('main').innerText.length > 100")
		if problem := js[string](b, "document.querySelector('.problem')?.textContent ?? ''"); problem != "" {
			t.Errorf("the view %s shows the problem %s", view, problem)
		}
	}
	if js[bool](b, "!![...document.querySelectorAll('.top a')].find((a) => /compare|servers|workshop|releases/.test(a.hash))") {
		t.Error("the file links to a page that needs a server")
	}
	// The search finds the texts of the file.
	b.goTo("#/search?text=corruptObjectDeleter).Get")
	b.is("document.querySelector('.found .text')?.textContent.includes('corruptObjectDeleter).Get')")
	b.click("document.querySelector('.places .link')")
	b.is(heading + ".includes('(*corruptObjectDeleter).Get')")
	b.click("document.querySelector('.language')")
	b.is("document.documentElement.lang === 'zh'")
	b.is("document.querySelector('.note, .code')?.textContent.includes('调用')")
}

// TestFileEscapesWhatWasRecorded writes a recording with a
// hostile script in every text.
func TestFileEscapesWhatWasRecorded(t *testing.T) {
	parallel(t)
	rec := recorded(t, "get-node")
	hostileEverywhere(rec)
	path, text := writeFile(t, rec, web.PageFile{Source: fakeSource(t)}, "")
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("the file has %d ends of scripts, expected 2: of its data and of its script", n)
	}
	if strings.Contains(text, "onerror=\"window") || strings.Contains(text, "<script>window") {
		t.Error("a recorded script is in the file unescaped")
	}
	b := openFile(t, path, 1280)
	b.is("document.body.innerText.includes('onerror=')")
	b.is("document.querySelector('.attributes')?.textContent.includes('onerror=')")
	if js[bool](b, "!!document.querySelector('img') || !!window.hacked") {
		t.Error("a recorded script became a part of the page")
	}
}

// BenchmarkFile writes the page of create-deployment
// as one file, with the sources on this machine.
func BenchmarkFile(b *testing.B) {
	rec := recorded(b, "create-deployment")
	size := 0
	for b.Loop() {
		var out bytes.Buffer
		if err := (web.PageFile{}).WriteRecording(&out, rec, ""); err != nil {
			b.Fatal(err)
		}
		size = out.Len()
	}
	if size > 1_500_000 {
		b.Errorf("the file has %d bytes, expected at most 1,500,000", size)
	}
	b.ReportMetric(float64(size)/1000, "kB")
}

// TestPagePrintsTheTree prints the page while its colours are dark. The paper
// must show the tree black on white, and must not show the page's bars.
func TestPagePrintsTheTree(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/latest/get-node/1?open=all", 1280)
	b.is(row("etcd3 store"))
	js[any](b, "document.documentElement.dataset.theme = 'dark'; null")
	pdf, err := chromedp.Call(b.ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
	if err != nil {
		t.Fatal(err)
	}
	if pages := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf.Data, -1)); pages < 2 || pages > 12 {
		t.Errorf("the printed tree has %d pages, expected 2 to 12", pages)
	}
	b.emulate("print", "")
	seen := js[[]string](b, `[getComputedStyle(document.querySelector('.top')).display, getComputedStyle(document.querySelector('.right')).display,
		getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,
		String(document.querySelector('.scroll').scrollHeight === document.querySelector('.scroll').clientHeight),
		String([...document.querySelectorAll('.tree .place')].every((place) => place.getBoundingClientRect().height > 0))]`)
	if got, want := strings.Join(seen, " "), "none none rgb(0, 0, 0) rgb(255, 255, 255) true true"; got != want {
		t.Errorf("on paper: %s, expected %s", got, want)
	}
}
