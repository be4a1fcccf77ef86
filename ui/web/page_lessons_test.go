package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowLessonsAreAccessible checks each lesson
// with axe: wide in English and narrow in Chinese.
func TestSlowLessonsAreAccessible(t *testing.T) {
	testenv.Slow(t)
	server := served(t)
	for _, test := range []struct {
		lang  string
		width int64
	}{{"en", 1280}, {"zh", 400}} {
		t.Run(test.lang, func(t *testing.T) {
			b := open(t, server, "#/lessons", test.width)
			b.is("document.querySelectorAll('.lessons-of a').length > 5")
			if test.lang == "zh" {
				js[any](b, "document.querySelector('.language').click()")
				b.is("document.documentElement.lang === 'zh'")
			}
			for _, name := range lessons.Names() {
				source, err := lessons.Page(name, test.lang)
				if err != nil {
					t.Fatal(err)
				}
				title, _, _ := strings.Cut(strings.TrimPrefix(source, "# "), "\n")
				b.goTo(fmt.Sprintf("#/lessons/%s", name))
				b.is(fmt.Sprintf("document.querySelector('.lesson .prose h1')?.textContent === %q", strings.ReplaceAll(title, "`", "")))
				b.accessible()
				if js[bool](b, "document.documentElement.scrollWidth > innerWidth") {
					t.Errorf("%s is wider than the screen", name)
				}
			}
		})
	}
}

// TestLessonsAreLive reads what the list says of a lesson, follows a call in a tree of
// the lesson into the recording, and goes from the lesson to its exercises.
func TestLessonsAreLive(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/lessons", 1280)
	b.is("[...document.querySelectorAll('.lesson-says')].length > 10 && [...document.querySelectorAll('.lesson-says')].every((e) => /^.{20,}\\d+ min to read/.test(e.textContent))")
	b.accessible()
	b.goTo("#/lessons/03-get")
	b.is("document.querySelectorAll('.transcript a').length > 20")
	b.accessible()
	// The last tree is far below the first screen. Opening the trace must not move the link.
	const called = "[...document.querySelectorAll('.transcript a')].findLast((a) => a.textContent === 'registry.(*Store).Get')"
	const top = called + ".getBoundingClientRect().top"
	js[any](b, called+".scrollIntoView({ block: 'center' })")
	was := js[float64](b, top)
	js[any](b, called+".click()")
	b.is("location.hash.startsWith('#/lessons/03-get?call=') && document.querySelector('.lesson .trace .tree [aria-selected=true]')")
	b.is(heading + " === '(*Store).Get'")
	b.is(fmt.Sprintf("Math.abs(%s - %f) < 2", top, was))
	b.accessible()
	b.click("document.querySelector('.lesson .trace > .tools button')")
	b.is("location.hash === '#/lessons/03-get' && !document.querySelector('.trace')")
	b.is(fmt.Sprintf("Math.abs(%s - %f) < 2", top, was))
	js[any](b, called+".click()")
	b.click("document.querySelector('.lesson .trace > .tools a')")
	b.is("/^#.[^/]+.get-node.*call=/.test(location.hash) && !document.querySelector('.lesson')")
	b.is(heading + " === '(*Store).Get'")
	b.back()
	b.click("document.querySelector('.lesson-exercises a')")
	b.is("location.hash.startsWith('#/workshop/') && document.querySelector('.workshop h1')")
	// Each row of a tree leads to its own call, although its function has other calls.
	b.goTo("#/lessons/01-url-to-handler")
	const handlers = "[...document.querySelector('.transcript')?.querySelectorAll('a') ?? []].filter((a) => a.textContent === 'server.NewAPIServerHandler')"
	for i, server := range []string{"apiextensions-apiserver", "kube-apiserver", "kube-aggregator"} {
		js[any](b, fmt.Sprintf("%s[%d]?.click()", handlers, i))
		b.is(heading + " === 'NewAPIServerHandler' && document.querySelector('.attributes')?.textContent.includes('" + server + "')")
	}
	// A release that the command names.
	b.goTo("#/lessons/08-versions")
	b.is("document.querySelector('.transcript a')?.hash === '#/1.30/get-node/1'")
	b.goTo("#/lessons/06-watch")
	b.is("[...document.querySelectorAll('.transcript a')].some((a) => a.hash.startsWith('#/latest/watch-pods/1?'))")
}
