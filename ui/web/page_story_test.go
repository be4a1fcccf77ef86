package web_test

import "testing"

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
	b.click(storyLine("scheduler: 1 of 1 nodes can run the pod; selects n1"))
	b.is(heading + " === '(*Scheduler).schedulePod' && location.hash.includes('view=story')")
	b.is("document.querySelector('.story [aria-current=true]').textContent.includes('selects n1')")
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
