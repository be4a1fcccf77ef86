package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

const joinCode = "abcd-2345"

// A lead is a running server for the leader of a workshop.
type lead struct {
	page     string // the address with the token
	learners string // host and port for learners
	stop     func() error
}

// startGroup starts a leader's server. If g.Listen is "", learners join on a
// free port of this machine.
func startGroup(t *testing.T, g web.Group) *lead {
	t.Helper()
	g.Code, g.NoOpen = joinCode, true
	if g.Listen == "" {
		g.Listen = "0"
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &lead{}
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		err := g.Serve(ctx, func(address string) { ready <- address }, func(format string, args ...any) {
			if _, command, ok := strings.Cut(fmt.Sprintf(format, args...), "workshop join "); ok {
				l.learners, _, _ = strings.Cut(command, " ")
			}
		}, message.For("en"))
		ended <- err
	}()
	select {
	case l.page = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	l.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := l.stop(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// does records events of a learner, as the workshop command does.
func does(t *testing.T, dir string, events ...workshop.Event) {
	t.Helper()
	state := &workshop.State{Path: filepath.Join(dir, "workshop.jsonl")}
	if err := state.Add(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

// posted sends a POST request to a learnerServer, as the apitrace command does.
// from is the address of this machine that the request comes from. change may
// alter the request; nil changes nothing.
func posted(t *testing.T, from, address, body string, change func(*http.Request)) (status int, said string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext}
	defer transport.CloseIdleConnections()
	for try := 1; ; try++ {
		request, err := http.NewRequest(http.MethodPost, "http://"+address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if change != nil {
			change(request)
		}
		answer, text, err := answerTo(&http.Client{Transport: transport}, request)
		if try < 10 && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
			continue // the server refuses a large body while it is still being sent: the answer may be lost
		}
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
}

// TestGroupRefuses sends requests that the apitrace command never sends.
func TestGroupRefuses(t *testing.T) {
	l := startGroup(t, web.Group{})
	joining := func(name string) string {
		body, err := json.Marshal(group.JoinRequest{Code: joinCode, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	port := l.learners[strings.LastIndex(l.learners, ":"):]
	for name, test := range map[string]struct {
		path, body string
		change     func(*http.Request)
		status     int
	}{
		"a learner":          {group.JoinPath, joining("Ada"), nil, 200},
		"localhost":          {group.JoinPath, joining("Bob"), func(r *http.Request) { r.Host = "localhost" + port }, 200},
		"wrong code":         {group.JoinPath, `{"code":"abcd-2346","name":"Eve"}`, nil, 403},
		"no code":            {group.JoinPath, `{"name":"Eve"}`, nil, 403},
		"DNS rebinding":      {group.JoinPath, joining("Eve"), func(r *http.Request) { r.Host = "evil.example" + port }, 403},
		"another port":       {group.JoinPath, joining("Eve"), func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403},
		"a page":             {group.JoinPath, joining("Eve"), header("Origin", "http://evil.example"), 403},
		"a page's fetch":     {group.JoinPath, joining("Eve"), header("Sec-Fetch-Site", "cross-site"), 403},
		"a form":             {group.JoinPath, joining("Eve"), header("Content-Type", "text/plain"), 415},
		"GET":                {group.JoinPath, joining("Eve"), func(r *http.Request) { r.Method = "GET" }, 405},
		"no name":            {group.JoinPath, joining(" "), nil, 400},
		"a long name":        {group.JoinPath, joining(strings.Repeat("x", group.MostName+1)), nil, 400},
		"a control sequence": {group.JoinPath, joining("\x1b[31mEve"), nil, 400},
		"right to left":      {group.JoinPath, joining("Eve\u202e"), nil, 400},
		"no JSON":            {group.JoinPath, `{`, nil, 400},
		"two bodies":         {group.JoinPath, joining("Eve") + joining("Eve"), nil, 400},
		"more fields":        {group.JoinPath, `{"code":"abcd-2345","name":"Eve","admin":true}`, nil, 400},
		"a large body":       {group.JoinPath, joining(strings.Repeat("x", 1<<17)), nil, 413},
		"a body without end": {group.JoinPath, joining(strings.Repeat("x", 1<<17)), func(r *http.Request) { r.ContentLength = -1 }, 400},
		"no token":           {group.ReportPath, `{"events":[]}`, nil, 401},
		"a wrong token":      {group.ReportPath, `{"events":[]}`, header("Authorization", "Bearer x"), 401},
		"a vote of nobody":   {group.VotePath, `{"true":true}`, nil, 401},
		"the leader's page":  {"/", "", nil, 404},
		"the leader's data":  {"/api/group", "", nil, 404},
	} {
		if status, said := posted(t, "127.0.0.1", l.learners+test.path, test.body, test.change); status != test.status {
			t.Errorf("%s: got the status %d: %s, expected %d", name, status, said, test.status)
		}
	}
	// The page has the same guard as "apitrace
	// web". It shows nothing without the token.
	address, _, _ := strings.Cut(l.page, "?")
	if status, said := posted(t, "127.0.0.1", strings.TrimPrefix(address, "http://")+"api/group/question", "{}", nil); status != 401 {
		t.Errorf("the leader's page without the token: got the status %d: %s, expected 401", status, said)
	}
}

// TestGroupFlood sends wrong codes as fast as possible. The server must refuse
// the flood and still admit learners from other machines.
func TestGroupFlood(t *testing.T) {
	l := startGroup(t, web.Group{})
	counts := map[int]int{}
	for range 150 {
		status, _ := posted(t, "127.0.0.2", l.learners+group.JoinPath, `{"code":"aaaa-aaaa","name":"Eve"}`, nil)
		counts[status]++
	}
	if counts[429] < 20 || counts[403] > 30 || counts[200] > 0 {
		t.Errorf("the flood was answered with %v: expected few wrong codes and many refusals", counts)
	}
	if _, err := group.Join(t.Context(), t.TempDir(), l.learners, joinCode, "Ada", "en"); err != nil {
		t.Error(err)
	}
}

// TestGroupGuesses checks that a machine that has used up its guesses
// cannot join with the right code, and that right codes use up none.
func TestGroupGuesses(t *testing.T) {
	l := startGroup(t, web.Group{})
	join := func(code string) int {
		status, _ := posted(t, "127.0.0.2", l.learners+group.JoinPath, `{"code":"`+code+`","name":"Eve"}`, nil)
		return status
	}
	for i := range 20 { // more than the limit guesses
		if status := join(joinCode); status != http.StatusOK {
			t.Fatalf("right code %d: status %d, expected 200", i+1, status)
		}
	}
	// A right code is accepted only while a guess is left. Then the next wrong
	// code uses up this guess and is answered with 403. So there are at least
	// as many such answers as joins, however many guesses time adds.
	wrong, joined := 0, 0
	for range 35 {
		if join("aaaa-aaaa") == http.StatusForbidden {
			wrong++
		}
		if join(joinCode) == http.StatusOK {
			joined++
		}
	}
	if joined > wrong {
		t.Errorf("the right code was accepted %d times, though only %d wrong codes were checked: expected no check without a guess", joined, wrong)
	}
	if wrong == 0 {
		t.Error("no wrong code was checked")
	}
}

// TestGroupNeverStopsALearner checks that progress is kept without the
// leader's server and sent later. A restarted server gets all of it.
func TestGroupNeverStopsALearner(t *testing.T) {
	first := startGroup(t, web.Group{})
	dir := t.TempDir()
	does(t, dir, workshop.Event{Did: workshop.Passed, Exercise: "find-the-getter"})
	if _, err := group.Join(t.Context(), dir, first.learners, joinCode, "Ada", "en"); err != nil {
		t.Fatal(err)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	name := claimExercise(t)
	does(t, dir, workshop.Event{Did: workshop.Started, Exercise: name})
	group.RequestSend(dir)
	if err := group.Send(t.Context(), dir); err == nil {
		t.Error("sending a report to a stopped server succeeded")
	}
	file := filepath.Join(t.TempDir(), "out.json")
	second := startGroup(t, web.Group{Listen: first.learners, Save: file})
	does(t, dir, workshop.Event{Did: workshop.Tried, Exercise: name, Answer: "=1+1"}, workshop.Event{Did: workshop.Passed, Exercise: name, Answer: "right"})
	if err := group.Send(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := second.stop(); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"learners": 1`, `"passed": 1`, `"answer": "=1+1"`} {
		if !strings.Contains(string(saved), want) {
			t.Errorf("the export lacks %s:\n%s", want, saved)
		}
	}
	if strings.Contains(string(saved), "find-the-getter") || strings.Contains(string(saved), "right") || strings.Contains(string(saved), "Ada") {
		t.Errorf("the export has an event from before joining, a right answer or a name:\n%s", saved)
	}
	if forgotten, err := group.Leave(t.Context(), dir); err != nil || forgotten {
		t.Errorf("leaving a stopped server: got forgotten %t and the error %v, expected false and none", forgotten, err)
	}
	if err := group.Send(t.Context(), dir); err == nil {
		t.Error("a learner who has left can still send a report")
	}
}

// TestGroupAfterDamage removes all events but the first from a learner's list, which
// is from before joining. The leader must not get it, and must get the next event.
func TestGroupAfterDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.json")
	lead := startGroup(t, web.Group{Save: file})
	dir := t.TempDir()
	does(t, dir, workshop.Event{Did: workshop.Passed, Exercise: "find-the-getter"}, workshop.Event{Did: workshop.Passed, Exercise: "name-the-layers"})
	if _, err := group.Join(t.Context(), dir, lead.learners, joinCode, "Ada", "en"); err != nil {
		t.Fatal(err)
	}
	name := claimExercise(t)
	does(t, dir, workshop.Event{Did: workshop.Started, Exercise: name}, workshop.Event{Did: workshop.Tried, Exercise: name, Answer: "=1+1"})
	if err := group.Send(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "workshop.jsonl")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	backups, err := filepath.Glob(list + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, backup := range backups {
		if err := os.Remove(backup); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(list, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := group.Send(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	does(t, dir, workshop.Event{Did: workshop.Passed, Exercise: name, Answer: "right"})
	if err := group.Send(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := lead.stop(); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(saved), "find-the-getter") || !strings.Contains(string(saved), `"passed": 1`) {
		t.Errorf("expected that the leader knows of one passed exercise, %s, and of none before joining:\n%s", name, saved)
	}
}

// claimExercise returns the name of a true-or-false exercise.
func claimExercise(t *testing.T) string {
	t.Helper()
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range course.Exercises() {
		if e.Claim != nil {
			return e.Name
		}
	}
	t.Fatal("the course has no true-or-false exercise")
	return ""
}

// script is a name that runs as a script in a page that does not escape it.
const script = `<img src=x onerror=alert(1)>`

// TestGroupOfThirty shows thirty learners on the leader's page, in a real
// browser. At the same time, another machine sends wrong codes.
func TestGroupOfThirty(t *testing.T) {
	l := startGroup(t, web.Group{})
	page, _, _ := strings.Cut(l.page, "?")
	b := openAt(t, l.page, page, 1280)
	b.until("document.querySelector('.join .code')?.textContent === '" + joinCode + "'")
	b.accessible()
	claim := claimExercise(t)
	dirs := make([]string, 30)
	var learners sync.WaitGroup
	failures := make(chan error, 2*len(dirs))
	for i := range dirs {
		dirs[i] = t.TempDir()
		learners.Go(func() {
			if _, err := group.Join(t.Context(), dirs[i], l.learners, joinCode, fmt.Sprintf("Learner %02d", i+1), "en"); err != nil {
				failures <- err
				return
			}
			state := &workshop.State{Path: filepath.Join(dirs[i], "workshop.jsonl")}
			failures <- errors.Join(state.Add(t.Context(),
				workshop.Event{Did: workshop.Started, Exercise: claim},
				workshop.Event{Did: workshop.Tried, Exercise: claim, Answer: script},
				workshop.Event{Did: workshop.Passed, Exercise: claim, Answer: "secret right answer"}), group.Send(t.Context(), dirs[i]))
		})
	}
	learners.Go(func() { // wrong codes from another machine
		for range 150 {
			posted(t, "127.0.0.2", l.learners+group.JoinPath, `{"code":"aaaa-aaaa","name":"Eve"}`, nil)
		}
	})
	learners.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Error(err)
		}
	}
	if name, err := group.Join(t.Context(), t.TempDir(), l.learners, joinCode, script, "en"); err != nil || name != script {
		t.Errorf("joining with a script as the name: got the name %q and the error %v, expected the same name", name, err)
	}
	b.until("document.querySelectorAll('.learners li').length === 31")
	b.until("[...document.querySelectorAll('.learners li')].filter((l) => l.textContent.includes('1 of ') && l.textContent.includes('1 wrong answer')).length === 30")
	if js[bool](b, "!!document.querySelector('.learners img')") || !js[bool](b, fmt.Sprintf("[...document.querySelectorAll('.learners .name')].some((n) => n.textContent === %q)", script)) {
		t.Error("a name was not escaped")
	}
	b.accessible()

	// The leader shows a question, and starts a poll.
	js[any](b, fmt.Sprintf("(() => { const s = document.querySelector('select.exercise'); s.value = %q; s.dispatchEvent(new Event('change', { bubbles: true })); })()", claim))
	b.click("document.querySelector('button.poll:not(:disabled)')")
	b.until("document.querySelector('.wall .text p')")
	for i, dir := range dirs {
		if voted, err := group.SendVote(t.Context(), dir, i < 20); err != nil || voted != claim {
			t.Fatalf("the vote is on %q, with the error %v, expected the exercise of the poll", voted, err)
		}
	}
	b.until("document.querySelector('.votes').textContent.includes('30 of 31')")
	if js[bool](b, "!!document.querySelector('.votes .bar')") {
		t.Error("the distribution is shown while the poll is open")
	}
	b.click("document.querySelector('button.close')")
	b.until("[...document.querySelectorAll('.votes .bar b')].map((n) => n.textContent).join() === '20,10'")
	if _, err := group.SendVote(t.Context(), dirs[0], true); err == nil || !strings.Contains(err.Error(), "no poll is open") {
		t.Errorf("a vote after the poll: got the error %v, expected that no poll is open", err)
	}
	b.accessible()

	// The page's cookie is enough for exports.
	for format, want := range map[string]string{"csv": "30", "json": `"times": 30`, "md": "30 × ` " + script + " `"} {
		text := js[string](b, "fetch('/api/group/export/"+format+"').then((r) => r.text())")
		if !strings.Contains(text, want) || !strings.Contains(text, claim) || strings.Contains(text, "secret right answer") || strings.Contains(text, "Learner 0") {
			t.Errorf("the export as %s lacks a wrong answer, or has a right answer or a name:\n%s", format, text)
		}
	}

	// The page changes to Chinese. One learner leaves, and one is removed.
	b.click("document.querySelector('button.language')")
	b.until("document.querySelector('h2').textContent === '31 位学员'")
	b.accessible()
	if forgotten, err := group.Leave(t.Context(), dirs[29]); err != nil || !forgotten {
		t.Errorf("leaving: got forgotten %t and the error %v, expected true and none", forgotten, err)
	}
	b.click("[...document.querySelectorAll('.learners li')].find((l) => l.textContent.includes('img')).querySelector('.remove')")
	b.until("document.querySelectorAll('.learners li').length === 29")
	b.click("document.querySelector('button.down')")
	b.until("!document.querySelector('.wall')")
}
