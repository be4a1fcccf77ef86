package web_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

// groupPicture is the picture of the leader's
// page with a group of eight after a poll.
const groupPicture = "group"

// takeGroupPictures takes groupPicture in both languages.
func takeGroupPictures(t *testing.T) {
	t.Helper()
	l := startGroup(t, web.Group{Listen: "4181"})
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	all := course.Exercises()
	poll, err := course.Find("routed-first")
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(l.page, "?")
	b := openAt(t, l.page, page, 1280)
	b.do(chromedp.EmulateViewport(1280, 800))
	b.until("document.querySelector('select.exercise')")
	js[any](b, "fetch('/api/group/question', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"exercise\":\""+poll.Name+"\",\"poll\":true}' }).then((r) => r.status)")
	b.until("document.querySelector('button.close')")
	for i, name := range []string{"Ada", "Barbara", "小林", "Dennis", "Grace", "Ken", "Margaret", "Radia"} {
		dir := t.TempDir()
		if _, err := group.Join(t.Context(), dir, l.learners, joinCode, name, "en"); err != nil {
			t.Fatal(err)
		}
		state := &workshop.State{Path: filepath.Join(dir, "workshop.jsonl")}
		for n, e := range all[:5+i*i%9] {
			events := []workshop.Event{{Did: workshop.Started, Exercise: e.Name}, {Did: workshop.Passed, Exercise: e.Name}}
			if (n+i)%3 == 0 {
				events = []workshop.Event{events[0], {Did: workshop.Tried, Exercise: e.Name, Answer: "x"}, events[1]}
			}
			if err := state.Add(t.Context(), events...); err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Send(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if _, err := group.SendVote(t.Context(), dir, i%3 == 0); err != nil {
			t.Fatal(err)
		}
	}
	b.click("document.querySelector('button.close')")
	b.until("document.querySelector('.votes .bar')")
	js[any](b, "(() => { const s = document.querySelector('select.theme'); s.value = 'light'; s.dispatchEvent(new Event('change', { bubbles: true })); })()")
	takePicture(b, groupPicture)
	b.click("document.querySelector('button.language')")
	b.until("document.documentElement.lang === 'zh'")
	takePicture(b, groupPicture+".zh")
}
