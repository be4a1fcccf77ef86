package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/web"
)

const compared = "#/compare?scenario=get-node&from=v1.30.4&to=v1.37.1"

// bothSources writes a source file with a function for each of two
// releases. The function begins at its recorded line. Only one line
// of it differs: the line where v1.37.1 calls kubernetes.Client.Get.
func bothSources(t *testing.T, function string) web.SourceFolder {
	t.Helper()
	folders := map[string]string{}
	later := recordedBy(t, "v1.37.1", "get-node").Requests[0].Calls
	at := slices.IndexFunc(later, func(c trace.Call) bool { return c.Function == function })
	made := slices.IndexFunc(later, func(c trace.Call) bool { return c.Parent == later[at].ID && c.ShortName() == "kubernetes.Client.Get" })
	before := later[made].CallerLine - later[at].Line - 1
	for release, work := range map[string]string{"v1.30.4": "s.before(1)", "v1.37.1": "s.after(2)"} {
		rec, err := recordings.Load(release, "get-node")
		if err != nil {
			t.Fatal(err)
		}
		call := rec.Requests[0].Calls[callOf(t, rec, function)]
		text := "package x\n" + strings.Repeat("\n", call.Line-2) + "func (s *store) Get() error {\n" + strings.Repeat("\ts.same()\n", before) + "\t" + work + "\n\treturn nil\n}\n\ntype store struct{}\n"
		folders[release] = t.TempDir()
		file := filepath.Join(folders[release], filepath.FromSlash(call.File))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(process, k8sVersion string) (string, error) {
		if folder := folders[k8sVersion]; folder != "" && process == trace.ProcessAPIServer {
			return folder, nil
		}
		return "", fmt.Errorf("there is none")
	}
}

const selectedRow = "document.querySelector('.merged [aria-selected=true]')?.textContent"

func TestPageComparesTwoReleases(t *testing.T) {
	server := start(t, web.Options{Source: bothSources(t, storeGet)})
	b := open(t, server, compared, 1280)
	b.is(row("etcd3.(*corruptObjectDeleter).Get"))
	// The sentences scroll. Their last line in sight fades, but not the last one of all.
	b.is(`((s) => {
		if (s.scrollHeight <= s.clientHeight || getComputedStyle(s, '::after').position !== 'sticky') return false;
		s.scrollTop = 1e6;
		const covered = s.lastElementChild.getBoundingClientRect().bottom > s.getBoundingClientRect().bottom - parseFloat(getComputedStyle(s, '::after').height);
		s.scrollTop = 0;
		return !covered;
	})(document.querySelector('.summary'))`)
	for mark, class := range map[string]string{"+": "added", "-": "removed", "~": "changed"} {
		if !js[bool](b, fmt.Sprintf("[...document.querySelectorAll('.row.%s .marked')].some((m) => m.textContent.includes(%q))", class, mark)) {
			t.Errorf("no row of the class has the mark %s", mark)
		}
	}
	// A sentence links to its place in the
	// tree, and the address then has the place.
	b.click("[...document.querySelectorAll('.sentence')].find((s) => s.textContent.startsWith('etcd3.(*corruptObjectDeleter).Get now stands'))")
	b.is(selectedRow + ".includes('corruptObjectDeleter).Get')")
	b.is("document.querySelector('.difference h2').textContent.includes('corruptObjectDeleter')")
	if link := js[string](b, "location.hash"); !strings.Contains(link, "corruptObjectDeleter") {
		t.Errorf("the address is %q, expected the selected function in it", link)
	}
	// The source of both releases is shown in hunks.
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.querySelector('.name').textContent === 'etcd3.(*store).Get')")
	b.is("document.querySelector('.hunk')")
	hunk := js[string](b, "document.querySelector('.hunk').innerText")
	for _, want := range []string{"s.before(1)", "s.after(2)", "s.same()"} {
		if !strings.Contains(hunk, want) {
			t.Errorf("the hunk does not have %q:\n%s", want, hunk)
		}
	}
	if minus, plus := js[string](b, "document.querySelector('.l.minus code').textContent"), js[string](b, "document.querySelector('.l.plus code').textContent"); !strings.Contains(minus, "before") || !strings.Contains(plus, "after") {
		t.Errorf("the removed and the added line are %q and %q, expected before and after", minus, plus)
	}
	link := js[string](b, "location.hash")
	// For a call that only one side makes, the page shows the
	// source of its caller, with a sign at the line of the call.
	const marked = `[...document.querySelectorAll('.hunk .l')].filter((l) => getComputedStyle(l.querySelector('.n'), '::before').content.includes('▶') && getComputedStyle(l).boxShadow !== 'none')`
	if n := js[int](b, marked+".length"); n != 0 {
		t.Errorf("%d lines are marked as the line of a call, expected none, because the function itself is selected", n)
	}
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.querySelector('.name').textContent === 'kubernetes.Client.Get')")
	b.is("document.querySelector('.of-caller')?.textContent.includes('etcd3.(*store).Get')")
	b.is("document.querySelector('.hunk.made-here')")
	if lines := js[[]string](b, marked+".map((l) => l.className + ': ' + l.querySelector('code').textContent.trim())"); len(lines) != 1 || lines[0] != "l plus here: s.after(2)" {
		t.Errorf("the lines marked as the line of the call are %q, expected only s.after(2)", lines)
	}
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.querySelector('.name').textContent === 'etcd3.(*store).Get')")
	b.is("!document.querySelector('.of-caller') && document.querySelector('.hunk')")
	// The call of each side can be opened in that side's tree.
	b.click("[...document.querySelectorAll('.difference .about a')].find((a) => a.textContent.includes('v1.30.4'))")
	b.is("location.hash.startsWith('#/v1.30.4/get-node/1')")
	b.is(heading + " === '(*store).Get'")
	// A link to the place still works when it is loaded again.
	again := b.reopen(server, link)
	again.is(selectedRow + ".includes('etcd3.(*store).Get')")
	again.is("document.querySelector('.hunk')")
	// A link with only the function shows a call of it, and does not
	// report another place. A link with a number that is too large does.
	alone := b.reopen(server, compared+"&call="+escape(storeGet))
	alone.is(selectedRow + ".includes('etcd3.(*store).Get')")
	alone.is("document.querySelector('.hunk')")
	if said := js[string](alone, "document.querySelector('.problem.notice')?.textContent ?? ''"); said != "" {
		t.Errorf("the link with only the function shows the notice %q, expected none", said)
	}
	many := b.reopen(server, compared+"&nth=99&call="+escape(storeGet))
	many.is("document.querySelector('.problem.notice')?.textContent.includes('does not show that place')")
	many.is(selectedRow + ".includes('etcd3.(*store).Get')")
	// A place that does not exist is reported.
	lost := b.reopen(server, compared+"&call=k8s.io/x.Lost")
	lost.is("document.querySelector('.problem.notice')?.textContent.includes('k8s.io/x.Lost')")
}

// TestPageShowsWhatTookAPlaceInOnePlace selects a step that opens a
// section and replaces another step. Both must be below the heading of the
// section, and only there.
func TestPageShowsWhatTookAPlaceInOnePlace(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1", 1280)
	const was, is = "filters.WithImpersonation.func1", "impersonation.(*constrainedImpersonationHandler).ServeHTTP"
	b.is(row(is))
	rows := js[[]string](b, "[...document.querySelectorAll('.merged .row')].map((r) => (r.querySelector('.marked')?.textContent ?? '') + '|' + (r.querySelector('.name, .title')?.textContent ?? '').trim())")
	heading := slices.Index(rows, "|2 Impersonation")
	if heading < 0 || !slices.Equal(rows[heading+1:heading+3], []string{"-|" + was, "+|" + is}) {
		t.Fatalf("expected the replaced and the new step below the heading of section 2; the rows are %q", rows)
	}
	if at := slices.Index(rows, "-|"+was); at != heading+1 {
		t.Errorf("%s is in row %d, expected it below the heading of the section", was, at)
	}
	// The link to the section has the mark and the same text.
	link := "[...document.querySelectorAll('.merged .row.link')].find((r) => r.textContent.includes('▸ 2 Impersonation'))"
	if text := js[string](b, link+".textContent"); !strings.Contains(text, "+") || !strings.Contains(text, is) || !strings.Contains(text, "takes the place of "+was) {
		t.Errorf("the link to the section is %q, expected the mark, and the new step in place of the old one", text)
	}
	// Each step links to the other, and the section links to its caller.
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.textContent.includes('" + was + "'))")
	b.click("[...document.querySelectorAll('.difference .detail .link')].find((l) => l.textContent === '" + is + " takes its place')")
	b.is("document.querySelector('.difference h2').textContent.includes('" + is + "')")
	b.click("[...document.querySelectorAll('.difference .detail .link')].find((l) => l.textContent === 'takes the place of " + was + "')")
	b.is("document.querySelector('.difference h2').textContent.includes('" + was + "')")
	b.click("[...document.querySelectorAll('.merged .row.section')].find((r) => r.textContent.includes('2 Impersonation')).querySelector('.called')")
	b.is("document.activeElement === " + link)
}

func TestPageTiesMovedAndRenamedCalls(t *testing.T) {
	parallel(t)
	b := open(t, served(t), compared, 1280)
	b.is("document.querySelector('.row.ghost')")
	name := js[string](b, "document.querySelector('.row.ghost').textContent.match(/>(.*?) is elsewhere/)[1]")
	b.click("document.querySelector('.row.ghost')")
	b.is(fmt.Sprintf("%s.includes(%q)", selectedRow, name))
	b.click("document.querySelector('.difference .detail .link')") // back to the old caller
	b.is(fmt.Sprintf("!%s.startsWith('>' + %q)", selectedRow, name))
	// In the view side by side, a renamed call has both names in one row.
	b.click("[...document.querySelectorAll('.switch button')].find((x) => x.textContent === 'Side by side')")
	b.is("[...document.querySelectorAll('.sides .row.step')].some((r) => r.querySelectorAll('.side')[0].textContent.includes('cacher.(*Cacher).Get') && r.querySelectorAll('.side')[1].textContent.includes('cacher.(*CacheDelegator).Get'))")
	b.is("location.hash.includes('look=sides')")
	b.is("document.querySelector('.sides .row.link') && [...document.querySelectorAll('.sides .row.link')].every((r) => r.querySelectorAll('.side').length === 2 && [...r.querySelectorAll('.side:not(.absent)')].every((s) => s.querySelector('.tosection')))")
	// Both columns stay in place at any depth, and their names stay visible.
	if edges := js[[]int](b, "[...new Set([...document.querySelectorAll('.sides .side + .side')].map((s) => Math.round(s.getBoundingClientRect().left)))]"); len(edges) != 1 {
		t.Errorf("the right column begins at the positions %v, expected one", edges)
	}
	js[any](b, "document.querySelector('.sides .row:last-child').scrollIntoView({ block: 'end' })")
	b.is("document.querySelector('.compare-tree').scrollTop > 0 && Math.abs(document.querySelector('.side-names').getBoundingClientRect().top - document.querySelector('.compare-tree').getBoundingClientRect().top) < 2")
	// Both columns have the whole width, and the source is below them.
	b.is("document.querySelector('.compare-tree').clientWidth > innerWidth - 30 && document.querySelector('.compare-right').getBoundingClientRect().top > 300")
}

// TestPageSortsWhatChanged reads the sentences of a comparison: what the server does
// otherwise comes first, and moved code is one line. The sentences stay in sight while
// the reader steps from change to change.
func TestPageSortsWhatChanged(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1", 1280)
	b.is("document.querySelector('.summary dl .sentence')")
	if moved := js[string](b, "[...document.querySelectorAll('.summary > dl .sentence')].map((s) => s.textContent).filter((s) => / is now | are now in package /.test(s)).join('; ')"); moved != "" {
		t.Errorf("moved code stands among the changes of behaviour: %s", moved)
	}
	b.is("[...document.querySelectorAll('.summary .aside:not([open]) .sentence')].some((s) => s.textContent.includes('called functions are now in package'))")
	b.is("[...document.querySelectorAll('.summary > .facts')].some((p) => p.textContent.startsWith('A sentence without a line below it'))")
	b.is("/^[0-9]+ sentences on code that moved/.test(document.querySelector('.summary .aside summary').textContent)")
	b.accessible()
	inSight := "(() => { const s = document.querySelector('.summary').getBoundingClientRect(); return s.top < 200 && s.height > 150; })()"
	b.is(inSight)
	b.click("document.querySelector('.compare-right .pick button')")
	b.is("document.querySelector('.merged [aria-selected=true] .marked')?.textContent !== ''")
	for range 3 {
		b.click("document.querySelector('.controls [aria-label=\"Next change\"]')")
		b.is(inSight)
	}
	// The sentence about the selected step is marked.
	b.click("document.querySelector('.summary > dl .sentence')")
	b.is("document.querySelector('.summary > dl .sentence').ariaCurrent === 'true'")
	// The scenarios have their groups and titles, as in the traces.
	b.is("[...document.querySelectorAll('.controls select.scenario optgroup')].length > 5 && document.querySelector('.controls select.scenario').selectedOptions[0].textContent === 'create-deployment: POST a Deployment'")
}

func TestPageComparesTwoScenariosByKeyboard(t *testing.T) {
	parallel(t)
	b := open(t, served(t), compared, 1280)
	b.is(row("corruptObjectDeleter"))
	b.click("[...document.querySelectorAll('.controls button')].find((x) => x.textContent === 'Two scenarios' && !x.disabled)")
	b.is("location.hash.includes('release=v1.37.1') && location.hash.includes('to=get-node-cached')")
	b.is("document.querySelector('.summary')?.textContent.includes('cacher.(*CacheDelegator).Get calls cacher.(*Cacher).Get only in get-node-cached')")
	js[any](b, "document.querySelector('.merged [tabindex=\"0\"]').focus()")
	// The selection follows the focus, without Enter.
	b.press(kb.ArrowDown)
	b.is("document.activeElement.getAttribute('aria-selected') === 'true'")
	// The keys of the changes work wherever the focus is.
	js[any](b, "document.activeElement.blur()")
	b.press("n")
	b.is("document.querySelector('.merged [aria-selected=true] .marked').textContent !== ''")
	b.press("p")
	b.is("document.querySelector('.merged [aria-selected=true]')")
	js[any](b, "document.querySelector('.merged [tabindex=\"0\"]').focus()")
	b.press(kb.Home, kb.ArrowLeft)
	b.is("document.querySelector('.row.section').getAttribute('aria-expanded') === 'false'")
	b.click("document.querySelector('.language')")
	b.is("document.querySelector('.summary')?.textContent.includes('只有 get-node-cached 中')")
}

func TestPageOffersLayersWhereChangesAreTooMany(t *testing.T) {
	parallel(t)
	const address = "#/compare?scenario=boot&from=v1.36.3&to=v1.37.1"
	b := open(t, served(t), address+"&show=all", 1280)
	const count = "parseInt(document.querySelector('.too-many')?.textContent.replaceAll(',', ''))"
	b.is(count + " > 0")
	all := js[int](b, count)
	// A layer of a start may have too many changes, too.
	b.click("[...document.querySelectorAll('.summary button.layer')].find((x) => x.textContent.startsWith('Caches of client-go'))")
	b.is(fmt.Sprintf("location.hash.includes('layer=informer') && %s > 0 && %s < %d", count, count, all))
	b.goTo(address)
	b.is(fmt.Sprintf("%s > 0 && %s < %d", count, count, all))
	const layer = "[...document.querySelectorAll('.summary > dl > div')].find((x) => x.textContent.startsWith('Flow control'))"
	b.click(layer + "?.querySelector('.layer')")
	b.is("location.hash.includes('layer=flowcontrol')")
	b.is("document.querySelector('.merged .row')")
	b.back()
	b.click(layer + "?.querySelector('.sentence')")
	b.is("location.hash.includes('layer=') && document.querySelector('.merged [aria-selected=true]') && document.querySelector('.notice')?.textContent.includes('too many to draw')")
}

func TestPageShowsAScenarioThroughTheReleases(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/releases?scenario=get-node", 1280)
	b.is("document.querySelectorAll('.releases tbody th').length >= 12")
	text := js[string](b, "document.querySelector('.releases').innerText")
	for _, want := range []string{"v1.26.15", "v1.37.1", strconv.Itoa(callsOf(t, "get-node")), "kubernetes.Client.Get", "client/v3.(*Client).unaryClientInterceptor.func1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not have %q", want)
		}
	}
	b.click("document.querySelector('.told summary')")
	b.is("document.querySelector('.told details').open && document.querySelector('.told dd')")
	b.is("[...document.querySelectorAll('.told .evidence li')].some((e) => e.textContent.includes('feature gate'))") // the reasons that a comparison shows, too
	b.click("document.querySelector('.releases tbody th a')")
	b.is("location.hash.includes('#/compare') && location.hash.includes('to=v1.37.1')")
	b.is("document.querySelector('.summary h1')")
	// The page of all scenarios fills row by row. A cell links to
	// its comparison. Following it stops the work on further rows.
	all := b.reopen(server, "#/releases")
	const cells = "[...document.querySelectorAll('.overview tbody tr')].find((r) => r.querySelectorAll('td a[href^=\"#/compare\"]').length > 5)"
	all.untilBusy("document.querySelectorAll('.overview tbody tr').length > 30 && " + cells)
	scenario := now[string](all, "(() => { const row = "+cells+"; row.querySelector('td a[href^=\"#/compare\"]').click(); return row.querySelector('th').textContent })()")
	all.is("location.hash.includes('#/compare') && location.hash.includes('scenario=" + scenario + "')")
}

// TestPageLeadsFromASentenceToAFoldedCall selects a sentence about functions that the
// tree folds. The page must show them among all changes, say so, and keep the sentences
// of all layers. A sentence about a call in the tree changes nothing else.
func TestPageLeadsFromASentenceToAFoldedCall(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1", 1280)
	b.click("[...document.querySelectorAll('.sentence')].find((s) => s.textContent.includes('before in go.etcd.io/etcd/server/v3/wal'))")
	b.is("location.hash.includes('show=all') && !location.hash.includes('layer=') && location.hash.includes('call=go.etcd.io')")
	b.is("document.querySelector('.merged [aria-selected=true]')?.textContent.includes('wal.')")
	b.is("document.querySelector('.notice')?.textContent.includes('all changes are shown') && document.querySelectorAll('.summary button.layer').length > 3")
	b.back()
	b.is("!location.hash.includes('show=') && !document.querySelector('.notice')")
	b.click("document.querySelector('.summary > dl .sentence')")
	b.is("document.querySelector('.merged [aria-selected=true]') && !location.hash.includes('show=') && !document.querySelector('.notice')")
}

// TestSentencesLeadToTheCallsBelowWhichTheyCount follows the sentences that count calls
// below a change. Each stands in the layer of the change that it names, and leads to it or, if
// the tree does not show it, to the nearest step.
func TestSentencesLeadToTheCallsBelowWhichTheyCount(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?scenario=create-deployment&from=v1.36.3&to=v1.37.1", 1280)
	for _, c := range []struct{ change, counted, layer string }{
		{"rest.ValidateCreate", "of request.RequestInfoFrom", "Validation"},
		{"store.(*WatchCacheStorage).Get", "of the layer HTTP server", "Watch cache"},
	} {
		counts := "[...document.querySelectorAll('.sentence')].find((s) => s.textContent.startsWith('below " + c.change + ": ') && s.textContent.includes('" + c.counted + "'))"
		b.is(counts + "?.closest('dl > div').querySelector('.layer').textContent === '" + c.layer + "'")
		b.click(counts)
		b.is(selectedRow + ".includes('" + c.change + "') && " + counts + ".ariaCurrent === 'true'")
		b.goTo("#/compare?scenario=create-deployment&from=v1.36.3&to=v1.37.1")
	}
	b.goTo("#/compare?scenario=list-nodes&from=v1.36.3&to=v1.37.1")
	b.click("[...document.querySelectorAll('.sentence')].find((s) => s.textContent.startsWith('below responsewriters.(*deferredResponseWriter).Write: '))")
	b.is("document.querySelector('.merged [aria-selected=true]')")
}

// TestCompareNamesBothRequests compares two scenarios: each request has its own title
// with its status.
func TestCompareNamesBothRequests(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?release=latest&from=create-deployment&to=get-node", 1280)
	b.is("/create-deployment POST .*deployments → 201.*get-node GET .*nodes.n1 → 200/.test(document.querySelector('.summary h1')?.textContent)")
	b.accessible()
}
