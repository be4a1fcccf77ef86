package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// toChange is the name of an exercise that asks for a change of the server.
const toChange = "your-own-rule"

// TestUnchangedServerIsNoAnswer answers an exercise that
// asks for a change of the server, without any change.
func TestUnchangedServerIsNoAnswer(t *testing.T) {
	address := start(t, web.Options{})
	path := address + web.Base + "/workshop/exercises/" + toChange
	for _, answer := range []string{`{}`, `{"text":"registry.(*Store).Get"}`} {
		if said := post(t, path+"/answers", answer, http.StatusBadRequest); !strings.Contains(said, "the server is not changed yet") || !strings.Contains(said, "apitrace edit k8s.io/") {
			t.Errorf("the answer %s: got %s, expected that the server is not changed yet", answer, said)
		}
	}
	_, body := get(t, path)
	if sheet := decode[learner.Sheet](t, string(body)); sheet.Kind != "change" || sheet.File == "" || sheet.Tries != 0 {
		t.Errorf("the exercise is %+v, expected the kind change, a file and no tries", sheet)
	}
}

// TestSlowChangeTheServerOnThePage does an exercise that asks
// for a change of the server. It tries no change, a change that
// does not compile, a build that is cancelled, and the solution.
func TestSlowChangeTheServerOnThePage(t *testing.T) {
	testenv.Slow(t)
	testenv.NeedsServer(t)
	address := start(t, web.Options{})
	path := address + web.Base + "/workshop/exercises/" + toChange
	b := open(t, address, "#/workshop/"+toChange, 1280)
	check := "document.querySelector('.answer .go')"
	b.click(check)
	b.until("document.querySelector('.problem')?.textContent.includes('the server is not changed yet')")
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	exercise, err := course.Find(toChange)
	if err != nil {
		t.Fatal(err)
	}
	edit, err := session.Edits{}.Add(t.Context(), "latest", serverconfig.Own{}, exercise.Change.File, noticeless{})
	if err != nil {
		t.Fatal(err)
	}
	b.click(check)
	b.until("document.querySelector('.problem')?.textContent.includes('your copy does not differ from upstream')")

	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(edit.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(string(edit.Text) + "var mine int = \"one\"\n")
	b.click(check)
	b.until("document.querySelector('.question .progress')?.textContent.includes('kube-apiserver')")
	b.until("document.querySelector('.question .notices')?.textContent.includes('is built with your edit')")
	b.click("document.querySelector('.answer .stop')")
	b.until("document.querySelector('.reply').textContent.includes('Cancelled.') && !document.querySelector('.question .progress')")
	b.click(check)
	b.within(forABuild, "document.querySelector('.problem')?.textContent.includes('your change does not compile')")
	b.forgive("the server responded with a status of 400")
	b.forgive("the server responded with a status of 502")

	solved, err := exercise.Edited(string(edit.Text), exercise.Solution.Edits)
	if err != nil {
		t.Fatal(err)
	}
	save(solved)
	events := listen(t, address)
	answered := make(chan string)
	go func() {
		request, _ := http.NewRequest(http.MethodPost, path+"/answers", strings.NewReader("{}"))
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		var reply json.RawMessage
		if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
			answered <- err.Error()
			return
		}
		answered <- string(reply)
	}()
	events.until(t, fmt.Sprintf(`event: check
data: {"exercise":%q`, toChange))
	reply := decode[web.ExerciseReply](t, <-answered)
	if !reply.Passed || reply.Trace == "" || reply.Exercise.Tries != 0 || !strings.Contains(strings.Join(reply.Notices, "\n"), "THIS SERVER IS CHANGED") {
		t.Errorf("the reply is %+v, expected it to be passed, with a trace and a notice", reply)
	}
	// The answer was judged with a trace of the changed server.
	b.goTo(fmt.Sprintf("#/live/%s/1", reply.Trace))
	b.until("document.querySelector('.tree')?.textContent.includes('Authentication') && document.body.textContent.includes('built with edits of')")
}
