package web_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// writeSite writes a site and returns its folder.
func writeSite(t *testing.T, site web.Site) string {
	t.Helper()
	site.Out, site.Version, site.Source = filepath.Join(t.TempDir(), "public"), "test", fakeSource(t)
	if err := site.Write(t.Context(), t.Logf); err != nil {
		t.Fatal(err)
	}
	return site.Out
}

// smallSite returns the folder of a site with three releases and three scenarios.
// The oldest release has no recording of discovery. Tests share the site.
func smallSite(t *testing.T) (folder string, infos []recordings.Info) {
	t.Helper()
	const discovery = "discovery"
	scenarios := []string{"get-node", "create-deployment", discovery}
	for _, release := range []string{"v1.37.1", "v1.30.4", "v1.26.15"} {
		info := recordings.Info{K8sVersion: release, Scenarios: scenarios}
		if release == "v1.26.15" {
			info.Scenarios = scenarios[:2]
		}
		infos = append(infos, info)
	}
	source := fakeSource(t)
	common.Lock()
	defer common.Unlock()
	folder = filepath.Join(common.folder, "site")
	if _, err := os.Stat(folder); err != nil {
		site := web.Site{Out: folder, Version: "test", Source: source, Releases: []string{"1.26", "1.30", "1.37"}, Scenarios: scenarios}
		if err := site.Write(t.Context(), t.Logf); err != nil {
			t.Fatal(err)
		}
	}
	return folder, infos
}

var linkInPage = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// crawl follows every link of every page of a site.
func crawl(t *testing.T, folder string) {
	t.Helper()
	pages := 0
	err := fs.WalkDir(os.DirFS(folder), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".html" {
			return err
		}
		pages++
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		for _, m := range linkInPage.FindAllStringSubmatch(string(text), -1) {
			to, fragment, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "data:") {
				continue
			}
			target := text
			if to != "" {
				if target, err = os.ReadFile(filepath.Join(folder, path.Dir(file), to)); err != nil {
					t.Errorf("%s links to %s, which does not exist", file, m[1])
					continue
				}
			}
			if fragment != "" && !strings.Contains(string(target), fmt.Sprintf("id=%q", fragment)) {
				t.Errorf("%s links to %s, but that page has no such id", file, m[1])
			}
		}
		return nil
	})
	if err != nil || pages < 20 {
		t.Errorf("found %d pages and the error %v, expected at least 20 pages", pages, err)
	}
}

// openEach opens each recording of a site. A
// plain file server serves the site below a path.
func openEach(t *testing.T, folder string, releases []recordings.Info) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	home := server.URL + "/some/path/"
	b := openAt(t, home, home, 1280)
	b.is("document.querySelector('.start .card')")
	for _, info := range releases {
		for _, scenario := range info.Scenarios {
			b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(home+"#/"+info.K8sVersion+"/"+scenario+"/1"))
			b.is(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length > 3 && document.title.includes(%q) && document.title.includes(%q)", scenario, info.K8sVersion))
			if text := js[string](b, "document.querySelector('.problem')?.textContent ?? ''"); text != "" {
				t.Errorf("%s of %s: %s", scenario, info.K8sVersion, text)
			}
		}
	}
	b.is("document.querySelector('.code')")
}

// openPages opens each comparison of a site, and each scenario on the
// pages of the releases, the guide and the lessons. releases begins
// with the newest. columns is the number of releases in the whole site.
func openPages(t *testing.T, folder string, releases []recordings.Info, columns int) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	home := server.URL + "/some/path/"
	b := openAt(t, home, home, 1280)
	b.is("document.querySelector('.start .card')")
	// calm fails the test if the page shows a problem.
	calm := func(what string) {
		t.Helper()
		if text := js[string](b, "document.querySelector('.problem')?.textContent ?? ''"); text != "" {
			t.Errorf("%s: %s", what, text)
		}
	}
	// Each page is reached from the header.
	for name, ready := range map[string]string{
		"Compare": ".summary h1", "Releases": ".overview", "Guide": ".guide dl", "Lessons": ".lessons-of a",
	} {
		b.click(fmt.Sprintf("[...document.querySelectorAll('.top nav a')].find((a) => a.textContent === %q)", name))
		b.is(fmt.Sprintf("document.querySelector(%q)", ready))
		calm(name)
	}
	for _, link := range js[[]string](b, "[...document.querySelectorAll('.lessons-of a')].map((a) => a.getAttribute('href'))") {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(link))); err != nil {
			t.Errorf("the list of lessons links to %s: %v", link, err)
		}
	}
	before := map[string]string{} // the previous release, by scenario
	var scenarios []string
	for _, info := range slices.Backward(releases) {
		for _, scenario := range info.Scenarios {
			from := before[scenario]
			if before[scenario] = info.K8sVersion; from == "" {
				continue
			}
			if !slices.Contains(scenarios, scenario) {
				scenarios = append(scenarios, scenario)
			}
			what := fmt.Sprintf("scenario=%s&from=%s&to=%s", scenario, from, info.K8sVersion)
			b.goTo("#/lessons") // to remove the summary of another comparison
			b.is("document.querySelector('.lessons-of a')")
			b.goTo(fmt.Sprintf("#/compare?%s", what))
			b.is(fmt.Sprintf("document.querySelector('.summary h1') && document.querySelector('.compare .pair select').value === %q && [...document.querySelectorAll('.compare .pair select')].at(-1).value === %q", from, info.K8sVersion))
			calm(what)
		}
	}
	// The table of releases links to comparisons. A selected step shows how its
	// source differs, or why this is not known.
	for _, scenario := range scenarios {
		b.goTo("#/releases?scenario=" + scenario)
		b.is(fmt.Sprintf("document.querySelectorAll('.releases tbody th a').length > 0 && document.querySelector('.matrix select').value === %q", scenario))
		if rows := js[int](b, "document.querySelectorAll('.releases tbody th[scope=row]').length"); rows != columns {
			t.Errorf("%s: %d releases, expected %d", scenario, rows, columns)
		}
		calm(scenario)
	}
	b.click("document.querySelector('.releases tbody th a')")
	b.is("document.querySelector('.summary h1')")
	if js[bool](b, "!!document.querySelector('.merged .row.step')") {
		b.click("document.querySelector('.merged .row.step')")
		b.is("document.querySelector('.difference .hunk, .difference .nosource, .difference .same-text')")
		b.click("[...document.querySelectorAll('.difference .about a')].at(-1)")
		b.is("document.querySelector('.code h2')")
	}
	calm("the call of a comparison")
}

// TestSiteHasNoDeadLink crawls a small site and opens its pages.
func TestSiteHasNoDeadLink(t *testing.T) {
	parallel(t)
	folder, infos := smallSite(t)
	crawl(t, folder)
	openEach(t, folder, infos)
	openPages(t, folder, infos, len(infos))
}

// TestSiteFromTheDiskSaysWhatItNeeds opens a site
// without a server. The browser does not load its data.
func TestSiteFromTheDiskSaysWhatItNeeds(t *testing.T) {
	parallel(t)
	folder, _ := smallSite(t)
	b := openAt(t, "file://"+folder+"/index.html", "file://"+folder, 1280)
	b.forgive("file://")
	b.forgive("ERR_FAILED")
	b.forgive("preload assets") // a warning of Chromium about files that it could not read
	b.is("document.querySelector('[role=alert]')?.textContent.includes('Serve this folder with any web server')")
	b.accessible()
}

// TestSiteIsAccessible checks pages of a site with axe, on a narrow screen.
func TestSiteIsAccessible(t *testing.T) {
	parallel(t)
	siteIsAccessible(t, 400)
}

// TestNightlySiteIsAccessible does the same on a wide screen.
func TestNightlySiteIsAccessible(t *testing.T) {
	testenv.Nightly(t)
	siteIsAccessible(t, 1280)
}

func siteIsAccessible(t *testing.T, width int64) {
	t.Helper()
	folder, _ := smallSite(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	b := openAt(t, server.URL+"/", server.URL, width)
	for _, test := range []struct{ path, ready string }{
		{"#/", "document.querySelector('.start .card')"},
		{"#/latest/get-node/1", row("etcd3 store")},
		{"#/compare", "document.querySelector('.merged .row.added')"},
		{"#/releases", "document.querySelector('.overview td a')"},
		{"#/releases?scenario=get-node", "document.querySelector('.releases th a')"},
		{"#/guide", "document.querySelector('.guide dl')"},
		{"#/lessons", "document.querySelector('.lessons-of a')"},
	} {
		b.goTo(test.path)
		b.is(test.ready)
		b.accessible()
	}
	b.do(chromedp.Navigate(server.URL + "/lessons/03-get.en.html"))
	b.is("document.querySelector('main h1')")
	b.is("document.querySelector('nav a[rel=prev]')?.href.endsWith('/lessons/02-filter-chain.en.html') && document.querySelector('nav a[rel=next]')?.href.endsWith('/lessons/04-create.en.html')")
	b.accessible()
}

// TestNightlySiteHasTheWholeLibrary writes the site of
// all releases, crawls it, and opens each recording.
func TestNightlySiteHasTheWholeLibrary(t *testing.T) {
	testenv.Nightly(t)
	siteHas(t, newestFirst(t))
}

// newestFirst returns the recorded releases, the newest first.
func newestFirst(t *testing.T) []recordings.Info {
	t.Helper()
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(infos)
	return infos
}

// siteHas writes the site of some releases, compares its size
// with the announced size, crawls it, and opens each recording.
func siteHas(t *testing.T, infos []recordings.Info) {
	t.Helper()
	told := 0
	site := web.Site{Out: filepath.Join(t.TempDir(), "public"), Version: "test"}
	for _, info := range infos {
		site.Releases = append(site.Releases, info.K8sVersion)
	}
	if err := site.Write(t.Context(), func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if _, size, ok := strings.Cut(text, "in all about "); ok {
			if _, err := fmt.Sscanf(size, "%d MB", &told); err != nil {
				t.Error(err)
			}
		}
		t.Log(text)
	}); err != nil {
		t.Fatal(err)
	}
	if size := sizeOf(t, site.Out) >> 20; size < told*7/10 || size > told*13/10 {
		t.Errorf("the site has %d MB, but %d MB were announced", size, told)
	}
	crawl(t, site.Out)
	for i, info := range infos { // a tab for each, because none lives long enough for all
		if i > 0 {
			openPages(t, site.Out, infos[i-1:i+1], len(infos))
		}
		openEach(t, site.Out, []recordings.Info{info})
	}
}

// sizeOf returns the sum of the sizes of all files.
func sizeOf(t *testing.T, folder string) int {
	t.Helper()
	size := 0
	if err := fs.WalkDir(os.DirFS(folder), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += int(info.Size())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return size
}

// TestSiteSharesWhatReleasesHaveInCommon gives two releases a function
// with the same text in different lines. The site must have the text once.
func TestSiteSharesWhatReleasesHaveInCommon(t *testing.T) {
	const mark = "s.work(\"once\")"
	folders := map[string]string{}
	for _, release := range []string{"v1.30.4", "v1.37.1"} {
		rec := recordedBy(t, release, "get-node")
		call := rec.Requests[0].Calls[callOf(t, rec, storeGet)]
		folders[release] = t.TempDir()
		file := filepath.Join(folders[release], filepath.FromSlash(call.File))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "package etcd3\n" + strings.Repeat("\n", call.Line-2) + "func (s *store) Get() error {\n\t" + mark + "\n\treturn nil\n}\n\ntype store struct{}\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	site := web.Site{Out: filepath.Join(t.TempDir(), "public"), Releases: []string{"1.30", "1.37"}, Scenarios: []string{"get-node"}}
	site.Source = func(process, release string) (string, error) {
		if folder := folders[release]; folder != "" && process == trace.ProcessAPIServer {
			return folder, nil
		}
		return "", fmt.Errorf("there is none")
	}
	if err := site.Write(t.Context(), t.Logf); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(site.Out, "data", "source", "kube-apiserver", "k8s.io", "apiserver", "pkg", "storage", "etcd3.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var piece struct {
		Texts     [][][]web.Token
		Functions map[string][]struct {
			Of    []string
			First int
			Text  int
		}
	}
	if err := json.NewDecoder(plain).Decode(&piece); err != nil {
		t.Fatal(err)
	}
	got := piece.Functions[storeGet]
	if len(piece.Texts) != 1 || len(got) != 2 || got[0].Text != got[1].Text || got[0].First == got[1].First {
		t.Errorf("the site has %d texts, and the function is %+v: expected one text in two places", len(piece.Texts), got)
	}
}

// TestSiteReplacesASiteAlone checks that a site replaces an empty folder or
// another site, but no files of the user.
func TestSiteReplacesASiteAlone(t *testing.T) {
	folder := t.TempDir()
	site := web.Site{Out: folder, Releases: []string{"1.37"}, Scenarios: []string{"get-node"}, Source: fakeSource(t)}
	mine := filepath.Join(folder, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := site.Write(t.Context(), t.Logf); err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("writing to a folder with a user's file: got the error %v, expected a refusal", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	dry := site
	dry.DryRun = true
	if err := dry.Write(t.Context(), t.Logf); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 0 {
		t.Errorf("a dry run wrote %v", entries)
	}
	for range 2 { // first an empty folder, then a site
		if err := site.Write(t.Context(), t.Logf); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), ".apitrace-site-*")); len(left) > 0 {
		t.Errorf("temporary folders are left: %v", left)
	}
	site.Scenarios = []string{"no-such"}
	if err := site.Write(t.Context(), t.Logf); err == nil {
		t.Error("a site of an unknown scenario was written")
	}
}

// TestSiteOfTheDocs runs the commands in docs/web.md.
func TestSiteOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^apitrace site --out public --k8s (\S+) --scenario (\S+)$`).FindSubmatch(text)
	if shown == nil {
		t.Fatal("docs/web.md shows no site")
	}
	writeSite(t, web.Site{Releases: strings.Split(string(shown[1]), ","), Scenarios: strings.Split(string(shown[2]), ",")})
}
