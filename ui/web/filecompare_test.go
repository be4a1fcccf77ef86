package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/view"
)

// recordedBy returns a recording of a release.
func recordedBy(t testing.TB, release, scenario string) *trace.Recording {
	t.Helper()
	rec, err := recordings.Load(release, scenario)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// writeComparison writes the page of a comparison into a file.
func writeComparison(t testing.TB, a, b *trace.Recording, nameA, nameB string, source web.SourceFolder) (path, text string) {
	t.Helper()
	var out bytes.Buffer
	c := diff.CompareRecordings(a, b, diff.Options{})
	if err := (web.PageFile{Source: source}).WriteComparison(&out, c, render.DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: nameA, NameB: nameB}}, "en"); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "diff.html")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, out.String()
}

// TestComparisonFileNeedsNothingElse opens the page of a comparison from the disk.
func TestComparisonFileNeedsNothingElse(t *testing.T) {
	parallel(t)
	path, text := writeComparison(t, recordedBy(t, "v1.30.4", "get-node"), recordedBy(t, "v1.37.1", "get-node"), "v1.30.4", "v1.37.1", licensed(t, bothSources(t, storeGet)))
	if needs := regexp.MustCompile(`<(link rel="style|img|iframe)|<script[^>]* src=|@import|url\(`).FindString(text); needs != "" {
		t.Errorf("the file loads something else: %q", needs)
	}
	if title := regexp.MustCompile(`<title>(.*?)</title>`).FindStringSubmatch(text)[1]; title != "get-node: v1.30.4 → v1.37.1 · apitrace" {
		t.Errorf("the title is %q", title)
	}
	b := openFile(t, path, 1280)
	b.is(row("etcd3.(*corruptObjectDeleter).Get"))
	if js[bool](b, "!!document.querySelector('.controls .pair')") {
		t.Error("the file offers to choose another comparison")
	}
	// A sentence leads to its place.
	b.click("[...document.querySelectorAll('.sentence')].find((s) => s.textContent.startsWith('etcd3.(*corruptObjectDeleter).Get now stands'))")
	b.is(selectedRow + ".includes('corruptObjectDeleter).Get')")
	b.is("document.querySelector('.difference h2').textContent.includes('corruptObjectDeleter')")
	// The page shows the source hunks that differ, of both releases.
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.querySelector('.name').textContent === 'etcd3.(*store).Get')")
	b.is("document.querySelector('.hunk')")
	if hunk := js[string](b, "document.querySelector('.hunk').innerText"); !strings.Contains(hunk, "s.before(1)") || !strings.Contains(hunk, "s.after(2)") {
		t.Errorf("the hunk is:\n%s", hunk)
	}
	if text := js[string](b, "document.querySelector('.difference .licence').textContent"); !strings.Contains(text, "Licence of k8s.io/apiserver") || !strings.Contains(text, "Do no harm.") {
		t.Errorf("the licence of the source is shown as %q, expected the module and the licence", text)
	}
	link := js[string](b, "location.hash")
	// It shows all changes, and the changes of one layer.
	b.click("[...document.querySelectorAll('.switch button')].find((x) => x.textContent === 'All changes')")
	b.is("location.hash.includes('show=all') && document.querySelector('.merged')")
	b.click("document.querySelector('.summary button.layer')")
	b.is("location.hash.includes('layer=') && document.querySelector('.merged .row')")
	b.click("[...document.querySelectorAll('.switch button')].find((x) => x.textContent === 'Side by side')")
	b.is("document.querySelector('.merged .side')")
	// Both recordings are in the file, with their calls and sources.
	for _, side := range []string{"v1.30.4", "v1.37.1"} {
		b.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+path+link))
		b.click(fmt.Sprintf("[...document.querySelectorAll('.difference .about a')].find((a) => a.textContent.includes(%q))", side))
		b.is(fmt.Sprintf("location.hash.startsWith('#/%s/get-node/1')", side))
		b.is(heading + " === '(*store).Get' && document.querySelector('.l.ran, .l.here, .lines .l')")
	}
	// The search finds a text that only one side has.
	b.goTo("#/search?text=corruptObjectDeleter).Get")
	b.click("document.querySelector('.places .link')")
	b.is("location.hash.startsWith('#/v1.37.1/get-node/1')")
	// The header links back to the comparison.
	b.click("[...document.querySelectorAll('.top nav a')].find((a) => a.textContent === 'Compare')")
	b.is(row("etcd3.(*corruptObjectDeleter).Get"))
	if text := js[string](b, "[...document.querySelectorAll('.top nav a')].map((a) => a.textContent).join()"); strings.Contains(text, "Live") || strings.Contains(text, "Workshop") || strings.Contains(text, "Releases") {
		t.Errorf("the header of the file has the links %s, expected no page that needs a server", text)
	}
	b.click("document.querySelector('.language')")
	b.is("document.querySelector('.summary')?.textContent.includes('调用')")
}

// licensed adds a licence to sources of kube-apiserver.
func licensed(t *testing.T, source web.SourceFolder) web.SourceFolder {
	t.Helper()
	for _, release := range []string{"v1.30.4", "v1.37.1"} {
		folder, err := source(trace.ProcessAPIServer, release)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "k8s.io", "apiserver", "LICENSE"), []byte("Do no harm."), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return source
}

// TestFilesAreAccessible checks the files of
// a recording and of a comparison with axe.
func TestFilesAreAccessible(t *testing.T) {
	parallel(t)
	filesAreAccessible(t, func(width int64) int64 { return width })
}

// TestNightlyFilesAreAccessible checks the files at the other widths.
func TestNightlyFilesAreAccessible(t *testing.T) {
	testenv.Nightly(t)
	filesAreAccessible(t, func(width int64) int64 { return 1280 + 400 - width })
}

func filesAreAccessible(t *testing.T, at func(width int64) int64) {
	t.Helper()
	recording, _ := writeFile(t, recorded(t, "get-node"), web.PageFile{Source: fakeSource(t)}, "en")
	comparison, _ := writeComparison(t, recordedBy(t, "v1.30.4", "get-node"), recordedBy(t, "v1.37.1", "get-node"), "v1.30.4", "v1.37.1", licensed(t, bothSources(t, storeGet)))
	b := openAt(t, "about:blank", "file://", 1280)
	for _, test := range []struct {
		name, address, ready string
		width                int64
	}{
		{"recording", recording, row("etcd3 store"), 1280},
		{"source", recording + "#/latest/get-node/1?call=" + escape(storeGet), "document.querySelector('.l.ran')", 400},
		{"map", recording + "#/latest/get-node/1?view=map", "document.querySelector('.line')", 1280},
		{"comparison", comparison, "document.querySelector('.merged .row.added')", 400},
		{"difference", comparison + compared + "&call=" + escape(storeGet), "document.querySelector('.difference .hunk')", 1280},
	} {
		b.do(chromedp.EmulateViewport(at(test.width), 860), chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+test.address))
		b.is(test.ready)
		b.accessible()
		if t.Failed() {
			t.Fatalf("the errors above are of the %s", test.name)
		}
	}
}

// TestComparisonFileNamesSides compares recordings
// that are not one scenario on two releases.
func TestComparisonFileNamesSides(t *testing.T) {
	parallel(t)
	a, b := recordedBy(t, "v1.37.1", "get-node"), recordedBy(t, "v1.37.1", "get-node")
	edited := "k8s.io/apiserver/pkg/storage/etcd3/store.go"
	b.Edited = []string{edited}
	unknown := recordedBy(t, "v1.37.1", "get-node-cached")
	unknown.K8sVersion, unknown.Scenario = "", "some </script> request"
	for _, test := range []struct {
		name         string
		a, b         *trace.Recording
		nameA, nameB string
		title        string
	}{
		{"live", a, b, "recorded 2026-11-21", "now", "get-node (recorded 2026-11-21) | get-node (now)"},
		{"files of one name", a, b, "x.json", "x.json", "get-node (x.json) A | get-node (x.json) B"},
		{"scenarios", a, recordedBy(t, "v1.37.1", "get-node-cached"), "get-node", "get-node-cached", "get-node | get-node-cached"},
		{"unknown release", a, unknown, "a.json", "b.json", "get-node | some &lt;-script&gt; request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, text := writeComparison(t, test.a, test.b, test.nameA, test.nameB, fakeSource(t))
			if n := strings.Count(text, "</script>"); n != 2 {
				t.Errorf("the file has %d ends of scripts, expected 2", n)
			}
			if !strings.Contains(text, "<title>"+test.title+" · apitrace</title>") {
				t.Errorf("the title is %q, expected %q", regexp.MustCompile(`<title>.*?</title>`).FindString(text), test.title)
			}
			b := openFile(t, path, 1280)
			b.is("document.querySelector('.summary h1')")
			said := js[string](b, "document.querySelector('.compare-left').innerText")
			if !strings.Contains(said, test.nameA) || !strings.Contains(said, test.nameB) {
				t.Errorf("the sides are not named %q and %q:\n%s", test.nameA, test.nameB, said)
			}
			if len(test.b.Edited) > 0 && !strings.Contains(said, edited) {
				t.Errorf("the page does not say that %s was edited:\n%s", edited, said)
			}
			for side, rec := range []*trace.Recording{test.a, test.b} {
				js[any](b, fmt.Sprintf("location.hash = '#/' + [...new URLSearchParams(location.hash.split('?')[1] ?? '')].find(([k]) => k === 'release')[1] + '/' + encodeURIComponent(new URLSearchParams(location.hash.split('?')[1]).get(%q)) + '/1'", []string{"from", "to"}[side]))
				b.is(row("HTTP server"))
				if facts := js[string](b, "document.querySelector('.facts, .tree-head, main').innerText"); !strings.Contains(facts, fmt.Sprint(len(rec.Requests[0].Calls))) {
					t.Errorf("side %d does not have %d calls:\n%.300s", side, len(rec.Requests[0].Calls), facts)
				}
				b.back()
				b.is("document.querySelector('.summary h1')")
			}
		})
	}
}

// TestComparisonFileAnswersAsTheServer sends the same requests to
// the server and to the data of a file, and compares the answers.
func TestComparisonFileAnswersAsTheServer(t *testing.T) {
	testenv.Chromium(t)
	comparisonFileAnswersAsTheServer(t, "get-node", 1)
}

// TestNightlyComparisonFileAnswersAsTheServer compares a longer request.
func TestNightlyComparisonFileAnswersAsTheServer(t *testing.T) {
	testenv.Nightly(t)
	comparisonFileAnswersAsTheServer(t, "create-deployment", 4)
}

// comparisonFileAnswersAsTheServer requests every nth call of a comparison.
func comparisonFileAnswersAsTheServer(t *testing.T, scenario string, every int) {
	t.Helper()
	source := bothSources(t, storeGet)
	server := start(t, web.Options{Source: source})
	{
		t.Run(scenario, func(t *testing.T) {
			_, text := writeComparison(t, recordedBy(t, "v1.30.4", scenario), recordedBy(t, "v1.37.1", scenario), "v1.30.4", "v1.37.1", source)
			b := open(t, server, firstRequest, 1280)
			b.is("document.querySelector('.tree')")
			loadStill(b, text)
			base := "?" + url.Values{"scenario": {scenario}, "from": {"v1.30.4"}, "to": {"v1.37.1"}, "request": {"1"}}.Encode()
			var asked []string
			var calls []int
			for _, lang := range []string{"en", "zh"} {
				var tree view.Comparison
				_, body := get(t, server+web.Base+"/diff/tree"+base+"&show=all&lang="+lang)
				if err := json.Unmarshal(body, &tree); err != nil {
					t.Fatal(err)
				}
				asked = append(asked, "/diff/tree"+base+"&lang="+lang, "/diff/tree"+base+"&show=all&lang="+lang)
				for _, layer := range tree.Layers {
					asked = append(asked, "/diff/tree"+base+"&show=all&lang="+lang+"&layer="+layer.Name)
				}
				calls = callsIn(&tree)
			}
			for i := 0; i < len(calls); i += every {
				asked = append(asked, fmt.Sprintf("/diff/source%s&call=%d", base, calls[i]))
			}
			if len(asked) < 60 {
				t.Fatalf("%d addresses to compare, expected at least 60", len(asked))
			}
			for part := range slices.Chunk(asked, 60) {
				list, err := json.Marshal(part)
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
			for _, address := range []string{"/diff/tree?scenario=get-node&from=v1.30.4&to=v1.36.3", "/diff/tree" + base + "&layer=none", "/diff/source" + base + "&call=999999", "/diff/tree" + strings.Replace(base, "request=1", "request=9", 1)} {
				if status := js[int](b, fmt.Sprintf(`local.get(%q.split('?')[0], Object.fromEntries(new URL(%[1]q, location.href).searchParams)).then(() => 0, (e) => e.status)`, address)); status != 404 {
					t.Errorf("%s: status %d, expected 404", address, status)
				}
			}
		})
	}
}

// callsIn returns the calls that a tree shows.
func callsIn(tree *view.Comparison) []int {
	var calls []int
	var step func(*view.ComparedStep)
	step = func(s *view.ComparedStep) {
		calls = append(calls, s.Call)
		for i := range s.Children {
			step(&s.Children[i])
		}
	}
	for i := range tree.Sections {
		step(&tree.Sections[i].Root)
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// BenchmarkComparisonFile writes the comparison of create-deployment
// over seven releases as one file, with the sources on this machine.
func BenchmarkComparisonFile(b *testing.B) {
	one, other := recordedBy(b, "v1.30.4", "create-deployment"), recordedBy(b, "v1.37.1", "create-deployment")
	size := 0
	for b.Loop() {
		_, text := writeComparison(b, one, other, "v1.30.4", "v1.37.1", nil)
		size = len(text)
	}
	if size > 1_500_000 {
		b.Errorf("the file has %d bytes, expected at most 1,500,000", size)
	}
	b.ReportMetric(float64(size)/1000, "kB")
}
