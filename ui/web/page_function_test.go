package web_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// function returns the address of a function's page.
func function(name string) string { return "#/function/" + url.PathEscape(name) }

// TestPageOfAFunction reads the page of a function, and follows its links: to a callee, to
// a scenario, and to another release.
func TestPageOfAFunction(t *testing.T) {
	parallel(t)
	b := open(t, served(t), function(storeGet), 1280)
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.(*store).Get'")
	b.is("document.querySelector('.function .note').textContent.includes('Reads one key')")
	b.is("document.querySelector('.function .layer').textContent === 'Layer: etcd3 store'")
	b.is("document.title.startsWith('etcd3.(*store).Get, v1.37.1')")
	section := func(title string) string { return "document.querySelector('.facts-of [aria-label=\"" + title + "\"]')" }
	b.is(section("Called by") + ".textContent.includes('etcd3.(*corruptObjectDeleter).Get')")
	b.is(section("Recorded values") + ".textContent.includes('/ranges/servicenodeports')")
	b.is("document.querySelector('.function .about').textContent.includes('in the source of every release here, from v1.16.15 on')")
	b.is("document.querySelector('.function .about').textContent.includes('called in a recorded scenario of every release here')")
	b.accessible()
	// The functions that the source calls lead to their pages, and the way back leads here.
	b.click("[...document.querySelectorAll('.function .marks a')].find((a) => a.textContent.includes('kubernetes.Client.Get'))")
	b.is("document.querySelector('.function h1')?.textContent === 'kubernetes.Client.Get'")
	b.is(section("Called by") + ".textContent.includes('etcd3.(*store).Get')")
	b.back()
	b.click("document.querySelector('.facts-of section[aria-label^=\"In \"] button')")
	b.click("[...document.querySelectorAll('.facts-of a')].find((a) => a.textContent === 'get-node')")
	b.is("location.hash.startsWith('#/v1.37.1/get-node/1?') && " + heading + " === '(*store).Get'")
	// A call leads to the page of its function.
	b.click("document.querySelector('.code .of-function')")
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.(*store).Get'")
	b.is(section("Through the releases") + ".querySelectorAll('tbody tr').length >= 20 && " + section("Through the releases") + ".querySelector('tbody th').textContent === 'v1.37.1'")
	b.click("[...document.querySelectorAll('.releases-of a')].find((a) => a.textContent === 'v1.30.4')")
	b.is("document.querySelector('.function .about').textContent.includes('v1.30.4') && document.querySelector('.function .nosource')?.textContent.includes('v1.30.4')")
	b.forgive("the server responded with a status of 404") // of the source that is not on this machine

	// A long list of requests is by scenario, and has a filter.
	b.goTo(function("k8s.io/apiserver/pkg/registry/rest.BeforeCreate"))
	uses := "document.querySelector('.facts-of section[aria-label^=\"In \"]')"
	b.click(uses + ".querySelector('button')")
	b.is(uses + ".querySelector('li ul')")
	b.is("document.querySelector('.function .nosource')?.textContent.includes('kube-apiserver')")
	js[any](b, setValue(".facts-of .filter input", "apply-configmap PATCH"))
	b.is(uses + ".querySelectorAll(':scope > ul > li').length === 1 && " + uses + ".textContent.includes('apply-configmap')")
	js[any](b, setValue(".facts-of .filter input", "no such request"))
	b.is(uses + ".textContent.includes('None has “no such request”.')")
	b.accessible()
	// The calls are in order of their lines. The functions that one line calls through an interface are folded.
	calls := section("Calls")
	b.is("[...(" + calls + "?.querySelectorAll(':scope > ul > li > .place') ?? [])].map((e) => e.textContent).join(' ') === 'create.go:104 create.go:120 create.go:124 create.go:128 create.go:130 create.go:132 create.go:135 create.go:139'")
	b.is("/functions named Canonicalize ×87/.test(" + calls + ".querySelector(':scope > ul > li:last-child summary').textContent) && !" + calls + ".querySelector('details[open]')")
	b.click(calls + ".querySelector(':scope > ul > li:last-child summary')")
	b.is(calls + ".querySelector('details[open]').textContent.includes('deployment.deploymentStrategy.Canonicalize ×6')")
	b.accessible()
	// The head says first since when the function has its name, and which one was in its place.
	b.goTo(function("k8s.io/apiserver/pkg/storage/cacher.(*CacheDelegator).Get"))
	b.is("document.querySelector('.function .about')?.textContent.includes('under this name since v1.33.13 (until v1.32.2, cacher.(*Cacher).Get was in its place, in the source since v1.16.15, the oldest here)')")
	b.goTo(function("k8s.io/apiserver/pkg/storage/cacher/delegator.ConsistentReadSupported"))
	b.is("/in the source since v1[.0-9]+ .v1[.0-9]+: in no traced package/.test(document.querySelector('.function .about')?.textContent)")
	b.is("/called in a recorded scenario since v1[.0-9]+$/.test(document.querySelector('.function .about')?.textContent)")

	narrow := open(t, served(t), function(storeGet), 400)
	narrow.is("document.querySelector('.function > .source')?.getBoundingClientRect().bottom <= document.querySelector('.facts-of').getBoundingClientRect().top")
	narrow.is("document.querySelector('.function h1') && document.documentElement.scrollWidth <= innerWidth")
	narrow.accessible()
}

// TestPageOfAFunctionFollowsNames opens the pages of a function that no recording calls,
// of one by the name of another release, and of one that does not exist.
func TestPageOfAFunctionFollowsNames(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, function("k8s.io/apiserver/pkg/storage/etcd3.logWatchChannelErr"), 1280)
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.logWatchChannelErr'")
	b.is("document.querySelector('.function header').textContent.includes('No recording of v1.37.1 calls it')")
	b.forgive("the server responded with a status of 404") // of its source
	b.goTo(function("example.com/no.Such"))
	b.is("document.querySelector('main.nowhere h1') && document.querySelector('.problem').textContent.includes('example.com/no.Such')")
}

// TestNamesLeadToFunctions follows the names in the search, in a lesson and in a
// comparison.
func TestNamesLeadToFunctions(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/lessons/03-get", 1280)
	b.is("document.querySelector('.lesson .prose h1')")
	b.click("[...document.querySelectorAll('.lesson .prose a')].find((a) => a.hash.startsWith('#/function/'))")
	b.is("document.querySelector('.function h1')")
	b.goTo(compared + "&call=" + escape(storeGet))
	b.click("document.querySelector('.difference .of-function')")
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.(*store).Get'")
	b.forgive("the server responded with a status of 404") // of the sources of v1.30.4
}

// TestGuideNamesFunctions asks for the functions of the guide: their links lead to pages.
func TestGuideNamesFunctions(t *testing.T) {
	var list web.GuideList
	_, body := get(t, served(t)+web.Base+"/guide")
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, layer := range list.Items {
		for _, step := range layer.Steps {
			if strings.Contains(strings.ReplaceAll(step.Function, "[...]", ""), "...") {
				continue
			}
			asked++
			if err := web.FunctionOf(recordings.Latest, step.Function); err != nil {
				t.Errorf("%s: %v", step.Function, err)
			}
		}
	}
	if asked < 100 {
		t.Errorf("%d functions were asked for, expected some hundreds", asked)
	}
}

// TestPageOfAFunctionWithoutAServer reads the page of a function in a file. The facts are
// those of its recording, and the page says so.
func TestPageOfAFunctionWithoutAServer(t *testing.T) {
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "one.html")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := (web.PageFile{Source: fakeSource(t)}).WriteRecording(out, rec, "en"); err != nil {
		t.Fatal(err)
	}
	b := openAt(t, "file://"+file+function(storeGet), "file://"+file, 1280)
	b.is("document.querySelector('.function h1')?.textContent === 'etcd3.(*store).Get'")
	b.is("document.querySelector('.function header').textContent.includes('This page has no server') && document.querySelector('.function .note').textContent.includes('Reads one key')")
	b.is("document.querySelector('.facts-of [aria-label=\"Called by\"]').textContent.includes('corruptObjectDeleter')")
	b.is("document.querySelector('.function .source .marks a').hash.startsWith('#/function/')")
	b.is("document.querySelector('.releases-of tbody').textContent.includes('1 of 1')")
	b.click("[...document.querySelectorAll('.facts-of a')].find((a) => a.textContent === 'get-node')")
	b.is(heading + " === '(*store).Get'")
}
