package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// searchedFew has typical search texts: a part of a name, a whole name, a
// pattern, values, an error, text in another script, and text without hits.
var searchedFew = []string{
	"corruptobjectdeleter", "etcd3.(*store).Get", "*store*", "etcd3...Get", "decision=", "is forbidden", "already exists deployment", "store get list", "a&b=c", "节点", "no such text anywhere",
}

// searched has more search texts.
var searched = []string{
	"corruptObjectDeleter", "corruptobjectdeleter", "CORRUPTOBJECT", "etcd3.(*store).Get", "etcd3.store.Get", "(*store).Get", "store).get", "store Get",
	"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get", "k8s.io/apiserver/pkg/storage/etcd3", "k8s.io/", "k8s.io", "/", ".", "...", "etcd3...", "...Get", "etcd3...Get", "k8s.io/...store...Get",
	"*", "**", "etcd3.*", "*.Get", "rbac.*", "(*store).*", "*store*", "etcd3.(*store).G*t", "[...]", "[", "func1", ".func1.1", "Range", "range", "ServeHTTP",
	"is forbidden", "IS FORBIDDEN", "not found", "pods \"n1\"", "=", "decision=", "Allow", "apitrace.", "resource=nodes", "/api/v1/nodes", "system:authenticated", "application/json", "100%", "a&b=c", "a+b", "<img>", " ", "  Get  ",
	"节点", "指南", "追踪", "é", "ß", "İ", "😀", "\\", "'", "\"", "no such text anywhere", "(", ")", "(*", "(*)", "..", "....", ".....", "x/y.z", "go.etcd.io/etcd/server/v3", "[...].Get", "v3rpc",
}

// TestSearchInFilesFindsWhatTheServerFinds searches the data of a site
// with the page's own code, and searches with the API. Both must return
// the same number of hits, in the same order, with the same places.
func TestSearchInFilesFindsWhatTheServerFinds(t *testing.T) {
	parallel(t)
	searchInFilesFindsWhatTheServerFinds(t, searchedFew, 6, 2)
}

// TestNightlySearchInFilesFindsWhatTheServerFinds searches more texts.
func TestNightlySearchInFilesFindsWhatTheServerFinds(t *testing.T) {
	testenv.Nightly(t)
	searchInFilesFindsWhatTheServerFinds(t, searched, 30, 8)
}

// searchInFilesFindsWhatTheServerFinds expects hits for at least
// leastFound texts, and no hits for at least leastNone texts.
func searchInFilesFindsWhatTheServerFinds(t *testing.T, searched []string, leastFound, leastNone int) {
	t.Helper()
	server := served(t)
	folder := t.TempDir()
	if err := web.WriteLists(folder); err != nil {
		t.Fatal(err)
	}
	packed := func(name string) string {
		data, err := os.ReadFile(filepath.Join(folder, "data", name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(data)
	}
	b := open(t, server, firstRequest, 1280)
	b.is("document.querySelector('.tree')")
	js[any](b, bundled(t, `export * from './src/still.ts'; export * from './src/server.ts'`, "still")+`; window.still = still; window.remote = still.server(); null`)
	js[any](b, fmt.Sprintf(`(async () => {
		const piece = async (data) => still.unpack(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
		const search = await piece(%q), library = await piece(%q);
		window.local = still.still(async (key) => key === 'search' ? search : null, library);
	})()`, packed("search"), packed("library")))
	js[any](b, compareAnswers)
	found, none := 0, 0
	for _, text := range searched {
		query := "/search?" + url.Values{"text": {text}, "limit": {"2000"}}.Encode()
		list, err := json.Marshal([]string{query, query + "&from=7", "/search?" + url.Values{"text": {text}}.Encode()})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range js[[]string](b, fmt.Sprintf("compare(%s)", list)) {
			t.Errorf("%q: %s", text, wrong)
		}
		if js[int](b, fmt.Sprintf("local.get('/search', {text: %q}).then((l) => l.total)", text)) > 0 {
			found++
		} else {
			none++
		}
	}
	if t.Logf("%d texts are found, %d are not", found, none); found < leastFound || none < leastNone {
		t.Error("expected more texts with hits, or more without hits")
	}
}
