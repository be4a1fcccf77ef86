package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// solutions opens one exercise of each kind that needs no
// server. It returns its name and a correct answer, by kind.
func solutions(t *testing.T, address string) map[string][2]string {
	t.Helper()
	found := map[string][2]string{}
	_, body := get(t, address+web.Base+"/workshop")
	for _, chapter := range decode[learner.Board](t, string(body)).Chapters {
		for _, e := range chapter.Exercises {
			if _, has := found[e.Kind]; has || e.Live {
				continue
			}
			path := address + web.Base + "/workshop/exercises/" + e.Name + "/actions"
			sheet := decode[learner.Sheet](t, post(t, path, `{"did":"revealed"}`, 200))
			post(t, path, `{"did":"reset"}`, 200)
			found[e.Kind] = [2]string{e.Name, sheet.Solution.Answers[0]}
		}
	}
	return found
}

// TestPageTeachesTheWorkshop solves an exercise from the list to
// the debrief, with a wrong answer, hints, and the trace beside it.
func TestPageTeachesTheWorkshop(t *testing.T) {
	address := start(t, web.Options{})
	b := open(t, address, "#/workshop", 1280)
	b.until("document.querySelector('.board .next')")
	b.until("document.querySelectorAll('.board li').length > 40")
	b.accessible()
	b.click("document.querySelector('.board .next')")
	b.until("document.querySelector('.exercise h1')?.textContent.startsWith('0.1')")
	b.until("document.querySelector('.prose p')")
	// The reader can follow the trace without leaving the
	// question. Nothing is selected at first, and one click answers with a call.
	b.until("!document.querySelector('.exercise [aria-selected=true]') && !document.querySelector('.answer .use')")
	// An answer without a text is not sent, and the field says what is missing.
	b.click("document.querySelector('.answer .go')")
	b.until("document.querySelector('.answer .field-error')?.textContent === 'The name of a function is missing here.' && document.querySelector('input[name=answer]').getAttribute('aria-invalid') === 'true' && !document.querySelector('.problem')")
	b.accessible()
	b.click(row("registry.(*Store).Get"))
	b.until(heading + " === '(*Store).Get'")
	b.until("location.hash.startsWith('#/workshop/') && location.hash.includes('call=')")
	b.click("document.querySelector('.answer .use')")
	b.until("document.querySelector('input[name=answer]').value.endsWith('registry.(*Store).Get')")
	b.until("document.querySelector('.reply .wrong')?.textContent.includes('registry.(*Store).Get runs') || document.querySelector('.reply .wrong .prose')")
	b.accessible()
	for n := 1; n <= 3; n++ {
		b.click("document.querySelector('.actions .hint')")
		b.until(fmt.Sprintf("document.querySelectorAll('.hints li').length === %d", n))
	}
	b.until("document.querySelector('.actions .reveal')")
	_, body := get(t, address+web.Base+"/workshop/exercises/0.1")
	sheet := decode[learner.Sheet](t, string(body))
	if sheet.Tries != 1 || len(sheet.Hints) != 3 || !sheet.Started || sheet.Passed {
		t.Errorf("the started exercise has %d tries and %d hints, expected 1 and 3", sheet.Tries, len(sheet.Hints))
	}
	b.click("document.querySelector('.actions .reveal')")
	b.until("document.querySelector('.solution pre') && document.querySelector('.solution ~ .debrief')") // the solution comes before the debrief
	js[any](b, `document.querySelector('input[name=answer]').value = ''`)
	js[any](b, setValue("input[name=answer]", js[string](b, "document.querySelector('.solution pre').textContent")))
	b.click("document.querySelector('.answer .go')")
	b.until("document.querySelector('.reply .right')")
	b.until("document.querySelector('.debrief .prose p')")
	b.until("document.querySelector('h1 .ok')")
	b.until("document.querySelector('.reply .right .go')?.hash.startsWith('#/workshop/')")
	b.click("document.querySelector('.language')")
	b.until("document.querySelector('.debrief h2')?.textContent === '学到了什么'")
	b.click("document.querySelector('.way a')")
	b.until("document.querySelector('.board .mark')?.textContent === '✓*'")
	b.click("[...document.querySelectorAll('.board .lesson')].at(2)")
	b.until("document.querySelector('.lesson .prose h1')")
	b.accessible()
	b.forgive("the server responded with a status of 400")
}

// TestPageOfTheWorkshopSaysWhatAReleaseHas opens the course with
// a release that has no exercises. It goes on to a release with
// exercises, and keeps this release from exercise to exercise.
func TestPageOfTheWorkshopSaysWhatAReleaseHas(t *testing.T) {
	address := start(t, web.Options{})
	b := open(t, address, "#/workshop?k8s=v1.16.15", 1280)
	b.until("document.querySelector('.going')?.textContent.startsWith('The course has no exercises about Kubernetes v1.16.15.')")
	b.accessible()
	b.click("document.querySelector('.language')")
	b.until("document.querySelector('.going')?.textContent.startsWith('课程没有针对 Kubernetes v1.16.15 的练习。')")
	b.click("document.querySelector('.language')")
	b.until("document.querySelector('.going .next')?.textContent.startsWith('Go on with v1.')")
	b.click("document.querySelector('.going .next')")
	b.until("document.querySelector('.going .next')?.textContent.startsWith('0.1')")

	offered := js[[]string](b, "[...document.querySelector('.board select').options].map((o) => o.value)")
	if len(offered) < 2 || slices.Contains(offered, "v1.16.15") || !slices.Contains(offered, "v1.17.17") {
		t.Errorf("releases to choose from: %v", offered)
	}
	js[any](b, "{ const s = document.querySelector('.board select'); s.value = 'v1.26.15'; s.dispatchEvent(new Event('change', {bubbles: true})) }")
	b.until("location.hash.includes('k8s=v1.26.15') && document.querySelector('.going .next')?.href.includes('k8s=v1.26.15')")
	b.click("document.querySelector('.going .next')")
	b.until("document.querySelector('.exercise .tree') && document.querySelector('.exercise h1').textContent.startsWith('0.1')")
	b.click(row("registry.(*Store).Get"))
	b.until("location.hash.includes('at=v1.26.15') && location.hash.includes('k8s=v1.26.15')")

	// An exercise that this release lacks links to a release that has it.
	_, body := get(t, address+web.Base+"/workshop?k8s=v1.26.15")
	var without string
	var has, lacks []workshop.Event
	for _, chapter := range decode[learner.Board](t, string(body)).Chapters {
		for _, e := range chapter.Exercises {
			if passed := (workshop.Event{Did: workshop.Passed, Exercise: e.Name}); e.Available {
				has = append(has, passed)
			} else {
				lacks, without = append(lacks, passed), e.Name
			}
		}
	}
	if without == "" {
		t.Fatal("each exercise can be done with v1.26.15")
	}
	b.goTo(fmt.Sprintf("#/workshop/%s?k8s=v1.26.15", without))
	b.until("document.querySelector('.elsewhere')?.textContent.startsWith('This exercise cannot be done with this release.')")
	b.accessible()
	b.click("document.querySelector('.elsewhere a')")
	b.until("document.querySelector('.answer .go')")

	// A learner who has passed all exercises of this release
	// is congratulated only after passing the rest, too.
	state := &workshop.State{Path: filepath.Join(os.Getenv(program.StateEnv), "workshop.jsonl")}
	if err := state.Add(t.Context(), has...); err != nil {
		t.Fatal(err)
	}
	b.goTo("#/workshop?k8s=v1.26.15")
	b.until("document.querySelector('.going')?.textContent.startsWith('You have passed all exercises that can be done with Kubernetes v1.26.15')")
	if err := state.Add(t.Context(), lacks...); err != nil {
		t.Fatal(err)
	}
	b.goTo("#/workshop")
	b.until("document.querySelector('.going')?.textContent === 'All exercises are passed.'")
}

// TestPageHasAFormForEachKindOfExercise fills in
// the form of each kind with a correct answer.
func TestPageHasAFormForEachKindOfExercise(t *testing.T) {
	testenv.Chromium(t)
	address := start(t, web.Options{})
	all := solutions(t, address)
	b := open(t, address, "#/workshop", 400)
	b.until("document.querySelector('.board .next')")
	for kind, solution := range all {
		b.goTo(fmt.Sprintf("#/workshop/%s", solution[0]))
		b.until("document.querySelector('.answer .go')")
		answer := solution[1]
		switch kind {
		case "claim":
			truth, evidence, _ := strings.Cut(answer, " ")
			b.click(fmt.Sprintf("document.querySelector('input[name=truth][value=%s]')", truth))
			if evidence != "" {
				js[any](b, setValue("input[name=answer]", evidence))
			}
		case "choose":
			for _, letter := range strings.Fields(answer) {
				b.click(fmt.Sprintf("document.querySelector('input[name=%s]')", letter))
			}
		case "order":
			for at, letter := range strings.Fields(answer) { // with the buttons, as without a mouse
				for range 20 {
					now := strings.Fields(js[string](b, "[...document.querySelectorAll('.order .letter')].map((l) => l.textContent).join(' ')"))
					if now[at] == letter {
						break
					}
					b.click(fmt.Sprintf("document.querySelector('button[aria-label=\"Move %s up\"]')", letter))
					old, _ := json.Marshal(strings.Join(now, " "))
					b.until(fmt.Sprintf("[...document.querySelectorAll('.order .letter')].map((l) => l.textContent).join(' ') !== %s", old))
				}
			}
		default:
			js[any](b, setValue("input[name=answer]", answer))
		}
		b.accessible()
		b.until("document.querySelector('.embedded .tree')?.offsetHeight > 200") // the trace is below the question
		b.click("document.querySelector('.answer .go')")
		b.until("document.querySelector('.reply .right')")
		if wide := js[int](b, "document.documentElement.scrollWidth"); wide > 400 {
			t.Errorf("%s: the page is %d pixels wide at 400", kind, wide)
		}
	}
	if len(all) != 5 {
		t.Errorf("the kinds of exercises are %v, expected 5", all)
	}
}

// TestPageShowsTheProgressOfACheck checks an answer that needs
// a server, until the check is cancelled. No server starts
// here: the test sends the events of a build to the page.
func TestPageShowsTheProgressOfACheck(t *testing.T) {
	address := start(t, web.Options{})
	b := open(t, address, "#/workshop/your-own-rule", 1280)
	b.until("document.querySelector('.answer .go')")
	js[any](b, `{ const real = fetch; window.fetch = (to, with_) => String(to).includes('/answers') ? new Promise((_, refuse) =>
		with_.signal.addEventListener('abort', () => refuse(new DOMException('', 'AbortError')))) : real(to, with_) }`)
	b.click("document.querySelector('.answer .go')")
	b.until("document.querySelector('.answer .stop')")
	tell := func(exercise, stage string, done int, notice string) string {
		return fmt.Sprintf(`new BroadcastChannel('apitrace-live-en').postMessage({name: 'check', data: {exercise: %q,
			progress: {program: 'kube-apiserver v1.37.1', stage: %q, done: %d, total: 70}, notices: [%q]}})`, exercise, stage, done, notice)
	}
	// The event is sent again and again, because the page may not listen yet.
	b.until("(" + tell("your-own-rule", "compile", 7, "<b>built</b> with your edit") + ", document.querySelector('.question .progress')?.textContent.includes('compiling 7/70'))")
	js[any](b, tell("another", "link", 70, "of another exercise"))
	b.until("document.querySelector('.question .notices').textContent === '<b>built</b> with your edit'")
	b.accessible()
	b.click("document.querySelector('.answer .stop')")
	b.until("document.querySelector('.reply').textContent.includes('Cancelled.') && !document.querySelector('.question .progress')")
}
