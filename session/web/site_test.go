package web_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/session/web"
	"github.com/kubeapitrace/apitrace/trace/recordings"
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
					t.Errorf("%s leads to %s, which is not there", file, m[1])
					continue
				}
			}
			if fragment != "" && !strings.Contains(string(target), fmt.Sprintf("id=%q", fragment)) {
				t.Errorf("%s leads to %s, where there is no such place", file, m[1])
			}
		}
		return nil
	})
	if err != nil || pages < 20 {
		t.Errorf("%d pages: %v", pages, err)
	}
}

// openEach opens each recording of a site below a path of a plain file server.
func openEach(t *testing.T, folder string, releases []recordings.Info) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	home := server.URL + "/some/path/"
	b := openAt(t, home, home, 1280)
	b.until("document.querySelector('.tree')")
	for _, info := range releases {
		for _, scenario := range info.Scenarios {
			b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(home+"#/"+info.K8sVersion+"/"+scenario+"/1"))
			b.until(fmt.Sprintf("document.querySelectorAll('[role=treeitem]').length > 3 && document.title.includes(%q) && document.title.includes(%q)", scenario, info.K8sVersion))
			if text := js[string](b, "document.querySelector('.problem')?.textContent ?? ''"); text != "" {
				t.Errorf("%s of %s: %s", scenario, info.K8sVersion, text)
			}
		}
	}
	b.until("document.querySelector('.code')")
}

// TestSiteHasNoDeadLink writes a small site, crawls it, and opens its recordings.
func TestSiteHasNoDeadLink(t *testing.T) {
	scenarios := []string{"get-node", "create-deployment"}
	folder := writeSite(t, web.Site{Releases: []string{"1.30", "1.37"}, Scenarios: scenarios})
	crawl(t, folder)
	openEach(t, folder, []recordings.Info{{K8sVersion: "v1.37.1", Scenarios: scenarios}, {K8sVersion: "v1.30.4", Scenarios: scenarios}})
}

// TestSlowSiteHasTheWholeLibrary does the same with all recordings.
func TestSlowSiteHasTheWholeLibrary(t *testing.T) {
	testenv.Slow(t)
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	folder := writeSite(t, web.Site{})
	crawl(t, folder)
	for _, info := range infos { // one browser per release: none lives long enough for all
		openEach(t, folder, []recordings.Info{info})
	}
}

// TestSiteReplacesASiteAlone checks that the user's files are not overwritten.
func TestSiteReplacesASiteAlone(t *testing.T) {
	folder := t.TempDir()
	site := web.Site{Out: folder, Releases: []string{"1.37"}, Scenarios: []string{"get-node"}, Source: fakeSource(t)}
	mine := filepath.Join(folder, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := site.Write(t.Context(), t.Logf); err == nil || !strings.Contains(err.Error(), "name another one") {
		t.Errorf("a folder with a file of the user's: %v", err)
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
	for range 2 { // an empty folder, then a site
		if err := site.Write(t.Context(), t.Logf); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), ".apitrace-site-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	site.Scenarios = []string{"no-such"}
	if err := site.Write(t.Context(), t.Logf); err == nil {
		t.Error("a site of a scenario that there is not")
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
