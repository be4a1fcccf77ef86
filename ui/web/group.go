package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

// Limits of a group.
const (
	// mostLearners is the maximum number of learners.
	mostLearners = 200
	// mostWrong is the maximum number of different wrong answers that are kept of an exercise.
	mostWrong = 200
)

// codeLetters are the letters of codes to join: on a wall, none of them is mistaken for another.
const codeLetters = "abcdefghjkmnpqrstuvwxyz23456789"

// newGroupCode returns a code to join that cannot be guessed: nearly 40 bits.
func newGroupCode() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	for i := range random {
		random[i] = codeLetters[int(random[i])%len(codeLetters)]
	}
	return string(random[:4]) + "-" + string(random[4:])
}

// A classroom is what the leader's server knows of a group. Everything is in memory.
type classroom struct {
	code   string
	course *workshop.Course
	now    func() time.Time

	mu       sync.Mutex
	learners map[[sha256.Size]byte]*attendee // by the sum of their token
	nextID   int
	wrong    map[string]map[string]int // by exercise and answer, how often it was given
	shown    shownQuestion
	changed  map[chan struct{}]bool // the channels of listen
}

// An attendee is a learner who has joined.
type attendee struct {
	id      int
	name    string
	last    time.Time
	number  int // that of the last reported event
	current string
	done    map[string]*workshop.Done
	vote    *bool
}

// A shownQuestion is what the wall shows.
type shownQuestion struct {
	exercise *workshop.Exercise
	// poll is set when there is a poll, open while votes are taken.
	poll, open bool
}

func newClassroom(code string, course *workshop.Course) *classroom {
	return &classroom{
		code: code, course: course, now: time.Now,
		learners: map[[sha256.Size]byte]*attendee{}, wrong: map[string]map[string]int{}, changed: map[chan struct{}]bool{},
	}
}

// join adds a learner who has the right code.
func (c *classroom) join(request group.JoinRequest) (*group.Joined, error) {
	if !same(strings.ToLower(strings.TrimSpace(request.Code)), c.code) {
		return nil, errWrongCode
	}
	name, err := checkName(request.Name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.learners) >= mostLearners {
		return nil, newError(http.StatusTooManyRequests, message.Errorf("the group is full: it has %d learners", mostLearners), message.Of("ask the leader"))
	}
	name = c.unused(name)
	c.nextID++
	token := newToken()
	c.learners[sha256.Sum256([]byte(token))] = &attendee{id: c.nextID, name: name, last: c.now(), done: map[string]*workshop.Done{}}
	c.notify()
	return &group.Joined{Token: token, Name: name}, nil
}

var errWrongCode = newError(http.StatusForbidden, message.NewError("the code is wrong"), message.Of("read it again from the leader's page"))

// checkName returns a name with its blanks tidied up, or an error if it has other than printable characters or too many.
func checkName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	printable := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if n := utf8.RuneCountInString(name); n == 0 || n > group.MostName || !printable {
		return "", badRequest(message.Errorf("the name %q cannot be shown", text.Escape(name[:min(len(name), 4*group.MostName)])),
			message.Of("choose one of 1 to %d printable characters with --name", group.MostName))
	}
	return name, nil
}

// unused returns the name, with a number if another learner has it. The caller must hold the lock.
func (c *classroom) unused(name string) string {
	taken := map[string]bool{}
	for _, a := range c.learners {
		taken[strings.ToLower(a.name)] = true
	}
	free := name
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = name + " (" + strconv.Itoa(n) + ")"
	}
	return free
}

// as calls do with the learner of a token, and notifies the listeners.
func (c *classroom) as(token string, do func(*attendee) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.learners[sha256.Sum256([]byte(token))]
	if a == nil {
		return newError(http.StatusUnauthorized, message.NewError("the group does not know you"), message.Of("join again"))
	}
	defer c.notify()
	a.last = c.now()
	return do(a)
}

// report records progress. Events of other courses, and events that were reported before, do not count.
func (c *classroom) report(token string, report group.Report) error {
	if len(report.Events) > group.MostEvents {
		return badRequest(message.Errorf("the report has %d events", len(report.Events)), message.Of("at most %d are accepted", group.MostEvents))
	}
	return c.as(token, func(a *attendee) error {
		for _, e := range report.Events {
			if e.Number <= a.number {
				continue
			}
			a.number = e.Number
			c.add(a, e)
		}
		return nil
	})
}

func (c *classroom) add(a *attendee, e group.Event) {
	if e.Did == workshop.Reset && e.Exercise == "" {
		clear(a.done)
		a.current = ""
		return
	}
	exercise := c.course.Named(e.Exercise)
	if exercise == nil {
		return
	}
	e.Exercise = exercise.Name // an earlier build of apitrace may report the former name
	done := a.done[e.Exercise]
	if done == nil {
		done = &workshop.Done{}
		a.done[e.Exercise] = done
	}
	switch e.Did {
	case workshop.Started:
		a.current, done.Started = e.Exercise, true
	case workshop.Tried:
		if !done.Passed {
			done.Tries++
		}
		c.keepWrong(e)
	case workshop.Passed:
		done.Passed = true
	case workshop.Hinted:
		done.Hints = min(done.Hints+1, 3)
	case workshop.Revealed:
		done.Revealed = true
	case workshop.Reset:
		delete(a.done, e.Exercise)
	}
}

func (c *classroom) keepWrong(e group.Event) {
	answers := c.wrong[e.Exercise]
	if answers == nil {
		answers = map[string]int{}
		c.wrong[e.Exercise] = answers
	}
	answer := []rune(text.Escape(strings.ToValidUTF8(e.Answer, "?")))
	said := strings.TrimSpace(string(answer[:min(len(answer), group.MostAnswer)]))
	if answers[said] > 0 || len(answers) < mostWrong {
		answers[said]++
	}
}

// vote counts an opinion in the poll that is open.
func (c *classroom) vote(token string, vote group.Vote) (*group.Voted, error) {
	var voted *group.Voted
	err := c.as(token, func(a *attendee) error {
		if !c.shown.open {
			return conflict(message.NewError("no poll is open"), message.Of("wait for the leader to open one"))
		}
		a.vote = &vote.True
		voted = &group.Voted{Exercise: c.shown.exercise.Name}
		return nil
	})
	return voted, err
}

// leave forgets a learner.
func (c *classroom) leave(token string) error {
	return c.as(token, func(*attendee) error {
		delete(c.learners, sha256.Sum256([]byte(token)))
		return nil
	})
}

// remove forgets a learner on behalf of the leader. The learner can join again.
func (c *classroom) remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for token, a := range c.learners {
		if a.id == id {
			delete(c.learners, token)
		}
	}
	c.notify()
}

// show puts a question on the wall, or takes it down if the name is "". With poll, learners can vote.
func (c *classroom) show(exercise string, poll bool) error {
	var shown shownQuestion
	if exercise != "" {
		e, err := c.course.Find(exercise)
		if err != nil {
			return workshopError(err)
		}
		if poll && e.Claim == nil {
			return badRequest(message.Errorf("%s is not true or false", e.Name), message.Of("choose an exercise of that kind for a poll"))
		}
		shown = shownQuestion{e, poll, poll}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown = shown
	for _, a := range c.learners {
		a.vote = nil
	}
	c.notify()
	return nil
}

// closePoll ends the poll: no more votes are accepted, and the distribution is shown.
func (c *classroom) closePoll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown.open = false
	c.notify()
}

// notify wakes the listeners, which show the state. The caller must hold the lock.
func (c *classroom) notify() {
	for listener := range c.changed {
		select {
		case listener <- struct{}{}:
		default: // it has not read the last change yet
		}
	}
}

// listen returns a channel that receives a value after each change, or after several. leave ends that.
func (c *classroom) listen() (changes chan struct{}, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changed) >= mostListeners {
		return nil, nil, newError(http.StatusTooManyRequests, message.Errorf("%d listen already", mostListeners), message.Of("close a page of apitrace"))
	}
	changes = make(chan struct{}, 1)
	c.changed[changes] = true
	return changes, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.changed, changes)
	}, nil
}

// byName lists the learners. The caller must hold the lock.
func (c *classroom) byName() []*attendee {
	var all []*attendee
	for _, a := range c.learners {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *attendee) int {
		return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	return all
}
