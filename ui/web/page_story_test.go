package web_test

import (
	"strconv"
	"strings"
	"testing"
)

// followed is the address of the recording of what a request caused.
const followed = "#/latest/deployment-to-pod/1"

// storyLine is an expression for the first line of the story that has a text.
func storyLine(text string) string {
	return "[...document.querySelectorAll('.story li button')].find((l) => l.textContent.includes('" + text + "'))"
}

// TestPageTellsTheStory opens the calls that prove lines of a story.
func TestPageTellsTheStory(t *testing.T) {
	parallel(t)
	b := open(t, served(t), followed, 1280)
	b.click("[...document.querySelectorAll('.views a')].find((a) => a.textContent === 'Story')")
	b.is("document.querySelectorAll('.story li').length > 20 && document.querySelector('.story').innerText.includes('hollow')")
	b.is("document.querySelector('.story .columns').innerText.includes('time')")
	b.click(storyLine("scheduler: 1 of 1 nodes can run the pod; selects n1"))
	b.is(heading + " === '(*Scheduler).schedulePod' && location.hash.includes('view=story')")
	const chosen = "document.querySelectorAll('.story [aria-current=true]').length === 1 && document.querySelector('.story [aria-current=true]').textContent"
	b.is(chosen + ".includes('selects n1')")
	b.click(storyLine("starts the container"))
	b.is(heading + " === '(*kubeGenericRuntimeManager).startContainer' && " + chosen + ".includes('starts the container')")
	b.back()
	b.is(chosen + ".includes('selects n1')")
	b.click(storyLine("wants 2 pods, has 0"))
	b.is(heading + " === '(*ReplicaSetController).manageReplicas'")
	b.accessible()
	b.back()
	b.is(heading + " === '(*Scheduler).schedulePod'")
	b.click("document.querySelector('.language')")
	b.is("document.querySelector('.story h1').textContent === '这些请求引起了什么'")

	other := b.reopen(served(t), "#/latest/get-node/1")
	other.is("document.querySelector('.views a') && ![...document.querySelectorAll('.views a')].some((a) => a.textContent === '经过')")
}

// TestPageDrawsTheStoryInTime looks at the lanes of the actors: a row for each line, in the
// order of time, and an arrow to each line that has a cause.
func TestPageDrawsTheStoryInTime(t *testing.T) {
	parallel(t)
	b := open(t, served(t), followed+"?view=story", 1280)
	b.is("!document.querySelector('.lanes')")
	lines := js[int](b, "document.querySelectorAll('.story li').length")
	roots := js[int](b, "[...document.querySelectorAll('.story .said')].filter((s) => s.style.getPropertyValue('--level') === '0').length")
	b.click("document.querySelector('.story .choice input')")
	b.is("location.hash.includes('order=time') && document.querySelector('.actors').innerText.includes('scheduler')")
	for what, want := range map[string]int{".in-time li": lines, ".lanes circle": lines, ".lanes .cause": lines - roots} {
		if got := js[int](b, "document.querySelectorAll('"+what+"').length"); got != want || want == 0 {
			t.Errorf("%s: there are %d, expected %d", what, got, want)
		}
	}
	b.is("[...document.querySelectorAll('.in-time .time')].map((e) => parseFloat(e.textContent) * (e.textContent.endsWith('ms') ? 1 : 1000)).every((t, i, all) => i === 0 || t >= all[i - 1])")
	// Each dot is as high as its row.
	b.is("[...document.querySelectorAll('.in-time li')].every((row, i) => { const r = row.getBoundingClientRect(), d = document.querySelectorAll('.lanes circle')[i].getBoundingClientRect(); return Math.abs((r.top + r.bottom) / 2 - (d.top + d.bottom) / 2) < 2; })")
	b.click(storyLine("selects n1"))
	b.is(heading + " === '(*Scheduler).schedulePod' && location.hash.includes('order=time') && document.querySelectorAll('.lanes .of-chosen').length > 0")
	b.accessible()
	b.click("document.querySelector('.story .choice input')")
	b.is("!document.querySelector('.lanes') && !location.hash.includes('order=')")
}

// TestChoiceOfAScenarioBeginsWithItsStory changes from a recording without a story to one with a
// story, and back.
func TestChoiceOfAScenarioBeginsWithItsStory(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/v1.37.1/get-node/1", 1280)
	b.is("document.querySelector('.tree')")
	js[any](b, setValue(".request-bar .scenario", "deployment-to-pod"))
	b.is("document.querySelector('.story h1') && location.hash === '#/v1.37.1/deployment-to-pod/1?view=story'")
	js[any](b, setValue(".request-bar .scenario", "get-node"))
	b.is("document.querySelector('.tree') && location.hash === '#/v1.37.1/get-node/1'")
}

// TestPageStepsThroughAStory steps from line to line of a story. The lines are about several
// programs.
func TestPageStepsThroughAStory(t *testing.T) {
	parallel(t)
	b := open(t, served(t), followed, 1280)
	b.is("document.querySelector('.tree')")
	step := func(key string) {
		t.Helper()
		before := js[string](b, position)
		b.press(key)
		b.is(position + " !== " + strconv.Quote(before) + " && document.querySelector('.player .said b')")
	}
	step("h")
	b.is(position + ".startsWith('deployment controller: creates ReplicaSet web-')")
	for range 20 {
		if strings.Contains(js[string](b, position), "selects n1") {
			break
		}
		step("h")
	}
	b.is(heading + " === '(*Scheduler).schedulePod' && document.querySelector('.layers .program').textContent === 'kube-scheduler'")
	chosen := js[string](b, "location.hash")
	step("h")
	step("H")
	b.is("location.hash === " + strconv.Quote(chosen))
	b.accessible()
	// The player can play the story, and stops at its end.
	now[any](b, "(() => { const by = document.querySelector('.player .by'); by.value = 'story'; by.dispatchEvent(new Event('change', { bubbles: true })); })()")
	b.press("p")
	b.is("document.querySelector('.play').getAttribute('aria-pressed') === 'true'")
	for range 3 {
		b.press(">")
	}
	b.until("document.querySelector('.play').getAttribute('aria-pressed') === 'false'")
	b.press("h")
	b.is(position + ".endsWith('No line of the story comes after this position.')")
}
