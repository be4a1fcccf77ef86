package web_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestPageBeginsWithTheStartPage opens the page without an address. It follows the doors
// and a card, and filters the cards.
func TestPageBeginsWithTheStartPage(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "", 1280)
	b.is("document.querySelector('.start h1') && document.querySelectorAll('.door').length === 4")
	all, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	if cards := js[int](b, "document.querySelectorAll('.card').length"); cards != len(all) {
		t.Errorf("%d cards, expected one for each of %d scenarios", cards, len(all))
	}
	b.is("document.querySelector('.start .lead').textContent.includes('v1.37.1')")
	b.is("document.querySelector('.start .lead').textContent.includes('the recorded calls of kube-apiserver and etcd')") // not every function is traced
	b.is("[...document.querySelectorAll('.card')].some((c) => c.textContent.includes('get-forbidden') && c.textContent.includes('How RBAC comes to its answer'))")
	b.accessible()
	// A newcomer sees requests first, and the start of the server last.
	b.is("document.querySelector('.start section').textContent.includes('get-node') && [...document.querySelectorAll('.start section')].at(-1).textContent.includes('boot')")
	door := func(name string) string {
		return "[...document.querySelectorAll('.door a')].find((a) => a.textContent === '" + name + "')"
	}
	for name, hash := range map[string]string{
		"Read a request": "#/latest/get-node/1", "Compare releases": "#/compare?scenario=create-deployment&from=v1.36.3&to=v1.37.1", "Learn": "#/lessons", "Run your own": "#/servers",
	} {
		b.is(door(name) + ".hash === '" + hash + "'")
	}
	b.click(door("Read a request"))
	b.is(row("Authentication"))
	// The brand leads back.
	b.click("document.querySelector('.brand')")
	b.is("document.querySelector('.start h1')")
	js[any](b, setValue(".start .filter input", "forbidden"))
	b.is("[...document.querySelectorAll('.card .name-of-card')].some((c) => c.textContent.startsWith('get-forbidden')) && document.querySelectorAll('.card').length < 10")
	js[any](b, setValue(".start .filter input", "create deployment"))
	b.is("[...document.querySelectorAll('.card .name-of-card')].some((c) => c.textContent.startsWith('create-deployment'))")
	// A recording with a story begins with the story.
	js[any](b, setValue(".start .filter input", "deployment-to-pod"))
	b.is("document.querySelector('.card a').hash === '#/v1.37.1/deployment-to-pod/1?view=story'")
	// Enter opens the only card that is left. With several cards, it does nothing.
	js[any](b, setValue(".start .filter input", "deployment"))
	b.is("document.querySelectorAll('.card').length > 1")
	js[any](b, "document.querySelector('.start .filter input').focus()")
	b.press(kb.Enter)
	b.is("location.hash === '#/start?text=deployment'")
	js[any](b, setValue(".start .filter input", "get-forbidden"))
	b.is("document.querySelectorAll('.card').length === 1")
	b.press(kb.Enter)
	b.is("location.hash.startsWith('#/v1.37.1/get-forbidden/1') && document.querySelector('.tree')")
	b.back()
	b.is("document.querySelectorAll('.card').length === 1")
	js[any](b, setValue(".start .filter input", "kein Szenario"))
	b.is("document.querySelectorAll('.card').length === 0 && document.querySelector('.empty a').hash.startsWith('#/search?text=kein')")
	b.click("document.querySelector('.empty button')")
	b.click("[...document.querySelectorAll('.card a')].find((a) => a.textContent.startsWith('GET without the right'))")
	b.is("location.hash.includes('/get-forbidden/1')")

	narrow := open(t, served(t), "#/start", 400)
	narrow.is("document.querySelector('.card') && document.documentElement.scrollWidth <= innerWidth")
	narrow.accessible()
	// On a phone, all views of a request are in sight.
	narrow.goTo("#/latest/deployment-to-pod/1?view=story")
	narrow.is("document.querySelectorAll('.views a').length === 5 && [...document.querySelectorAll('.views a')].every((a) => a.getBoundingClientRect().right <= innerWidth)")
}

// TestPageBeginsANewPageAtItsTop follows links from the middle of a page. The new page
// begins at its top, and the way back leads to where the reader was.
func TestPageBeginsANewPageAtItsTop(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/start", 1280)
	const top = "document.querySelector('main.page').scrollTop"
	follow := func(name string) {
		js[any](b, "[...document.querySelectorAll('.menued a')].find((a) => a.textContent === '"+name+"').click()")
	}
	js[any](b, top+" = 600")
	follow("Lessons")
	b.is("location.hash === '#/lessons' && " + top + " === 0")
	js[any](b, top+" = 100")
	follow("Guide")
	b.is("location.hash === '#/guide' && " + top + " === 0")
	b.back()
	b.is("location.hash === '#/lessons' && " + top + " === 100")
	b.back()
	b.is("location.hash === '#/start' && " + top + " === 600")
	follow("Lessons")
	b.is("location.hash === '#/lessons' && " + top + " === 0")
}
