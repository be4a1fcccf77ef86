package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// decode decodes a JSON answer.
func decode[A any](t *testing.T, answer string) (a A) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%v: %.300s", err, answer)
	}
	return a
}

// TestEveryExerciseCanBeDone answers each exercise that needs
// no server with its solution, and reads all of its texts.
func TestEveryExerciseCanBeDone(t *testing.T) {
	testenv.Costly(t, "solves all exercises")
	address := start(t, web.Options{})
	_, body := get(t, address+web.Base+"/workshop")
	board := decode[learner.Board](t, string(body))
	kinds := map[string]bool{}
	for _, chapter := range board.Chapters {
		for _, e := range chapter.Exercises {
			path := address + web.Base + "/workshop/exercises/" + e.Name
			sheet := decode[learner.Sheet](t, post(t, path+"/actions", `{"did":"started"}`, 200))
			if sheet.Solution != nil || sheet.Debrief != "" || len(sheet.Hints) != 0 || sheet.HintsLeft == 0 {
				t.Errorf("%s: a started exercise shows the solution, the debrief or a hint", e.Name)
			}
			if !strings.Contains(sheet.Question, "<p>") {
				t.Errorf("%s: the question is %q, expected HTML", e.Name, sheet.Question)
			}
			sheet = decode[learner.Sheet](t, post(t, path+"/actions", `{"did":"hinted"}`, 200))
			if len(sheet.Hints) != 1 {
				t.Errorf("%s: after one hint, %d hints are shown", e.Name, len(sheet.Hints))
			}
			sheet = decode[learner.Sheet](t, post(t, path+"/actions", `{"did":"revealed"}`, 200))
			if sheet.Solution == nil || len(sheet.Solution.Answers) == 0 || sheet.Debrief == "" {
				t.Fatalf("%s: the revealed solution has no answer or no debrief", e.Name)
			}
			kinds[e.Kind] = true
			if e.Live {
				continue
			}
			if len(sheet.Traces) == 0 {
				t.Errorf("%s: the exercise has no recording", e.Name)
			}
			answer, _ := json.Marshal(map[string]string{"text": sheet.Solution.Answers[0]})
			reply := decode[web.ExerciseReply](t, post(t, path+"/answers?lang=zh", string(answer), 200))
			if !reply.Passed || !reply.Exercise.Passed || !reply.Exercise.Revealed {
				t.Errorf("%s: the solution %s is not accepted: %s", e.Name, answer, reply.Text)
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("the kinds of exercises are %v, expected 7", kinds)
	}
	_, body = get(t, address+web.Base+"/workshop")
	if now := decode[learner.Board](t, string(body)); now.Passed < 30 || now.Next == "" {
		t.Errorf("%d of %d exercises are passed, the next one is %q: expected at least 30, and a next one", now.Passed, now.Exercises, now.Next)
	}
	sheet := decode[learner.Sheet](t, post(t, address+web.Base+"/workshop/exercises/0.1/actions", `{"did":"reset"}`, 200))
	if sheet.Passed || sheet.Started || sheet.Solution != nil {
		t.Errorf("after a reset, the exercise is %+v, expected no progress", sheet)
	}
}

// TestPageAndCommandShareTheProgress works on the same
// exercise with the API and with the command at the same time.
func TestPageAndCommandShareTheProgress(t *testing.T) {
	address := start(t, web.Options{})
	program := t.TempDir() + "/apitrace"
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "../../cmd/apitrace").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path := address + web.Base + "/workshop/exercises/0.1"
	post(t, path+"/actions", `{"did":"started"}`, 200)
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() { post(t, path+"/answers", fmt.Sprintf(`{"text":"wrong.page%d"}`, i), 200) })
		all.Go(func() { _ = exec.Command(program, "workshop", "check", fmt.Sprintf("wrong.command%d", i)).Run() }) // a wrong answer only sets the exit status
	}
	all.Wait()
	_, body := get(t, path)
	if sheet := decode[learner.Sheet](t, string(body)); sheet.Tries != 10 {
		t.Errorf("%d tries, expected those of the page and those of the command, 10", sheet.Tries)
	}
}

// TestWrongInputToTheWorkshop answers with the name of a file,
// which must not be read, and with requests that cannot be sent.
func TestWrongInputToTheWorkshop(t *testing.T) {
	address := start(t, web.Options{})
	_, body := get(t, address+web.Base+"/workshop")
	for _, chapter := range decode[learner.Board](t, string(body)).Chapters {
		for _, e := range chapter.Exercises {
			if e.Kind != "make" {
				continue
			}
			path := address + web.Base + "/workshop/exercises/" + e.Name + "/answers"
			for _, answer := range []string{`{"text":"../../etc/passwd"}`, `{"text":"/tmp/x.yaml"}`, `{}`, `{"request":{"method":"GET","path":"x"}}`} {
				if said := post(t, path, answer, http.StatusBadRequest); !strings.Contains(said, "message") {
					t.Errorf("%s: got %s, expected an error", answer, said)
				}
			}
			return
		}
	}
	t.Error("no exercise asks for a request")
}
