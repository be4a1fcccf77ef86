// Package classroom is the leader's side of a workshop: the group of learners who have
// joined, their progress, their wrong answers, and the question and the poll on the
// leader's page. It keeps everything in memory.
//
// It serves no requests: ui/web serves the learners and the leader's page. Package
// group is the learner's side.
package classroom

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
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
	// mostWrong is the maximum number of different wrong answers that are kept for an exercise.
	mostWrong = 200
	// mostListeners is the maximum number of listeners at once.
	mostListeners = 16
)

// codeLetters are the characters of join codes, easy to tell apart on a projector.
const codeLetters = "abcdefghjkmnpqrstuvwxyz23456789"

// NewCode returns a random join code of nearly 40 bits, which nobody can guess.
func NewCode() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	for i := range random {
		random[i] = codeLetters[int(random[i])%len(codeLetters)]
	}
	return string(random[:4]) + "-" + string(random[4:])
}

// A Reason says why a request is refused.
type Reason int

const (
	// Invalid: the request has a value that is not accepted.
	Invalid Reason = iota
	// WrongCode: the join code is wrong.
	WrongCode
	// Stranger: nobody in the group has the token.
	Stranger
	// NoPoll: no poll is open.
	NoPoll
	// TooMany: a limit is reached.
	TooMany
)

// An Error refuses a request.
type Error struct {
	Reason Reason
	// Action says how the client can go on.
	Action message.Message
	cause  error
}

func (e *Error) Error() string { return e.cause.Error() }

// Unwrap returns the cause, which may be a localized error.
func (e *Error) Unwrap() error { return e.cause }

func refuse(why Reason, cause error, action message.Message) *Error {
	return &Error{why, action, cause}
}

// A Classroom is a group and the question on the leader's page. Its methods may be called
// concurrently. Their errors about a request have type *Error.
type Classroom struct {
	code   string
	course *workshop.Course
	now    func() time.Time

	mu       sync.Mutex
	learners map[[sha256.Size]byte]*attendee // by the SHA-256 sum of their token
	nextID   int
	wrong    map[string]map[string]int // how often a wrong answer was given, by exercise and answer
	shown    shownQuestion
	changed  map[chan struct{}]bool // the channels of Listen
}

// An attendee is a learner who has joined.
type attendee struct {
	id      int
	name    string
	last    time.Time
	number  int // of the last reported event
	current string
	done    map[string]*workshop.Done
	vote    *bool
}

// A shownQuestion is the question on the leader's page.
type shownQuestion struct {
	exercise *workshop.Exercise
	// poll is set if the question has a poll. open is set while votes are accepted.
	poll, open bool
}

// New returns an empty group with a join code.
func New(code string, course *workshop.Course) *Classroom {
	return &Classroom{
		code: code, course: course, now: time.Now,
		learners: map[[sha256.Size]byte]*attendee{}, wrong: map[string]map[string]int{}, changed: map[chan struct{}]bool{},
	}
}

// Join adds a learner with the right code to the group.
func (c *Classroom) Join(request group.JoinRequest) (*group.Joined, error) {
	if subtle.ConstantTimeCompare([]byte(strings.ToLower(strings.TrimSpace(request.Code))), []byte(c.code)) != 1 {
		return nil, refuse(WrongCode, message.NewError("the code is wrong"), message.Of("read it again from the leader's page"))
	}
	name, err := checkName(request.Name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.learners) >= mostLearners {
		return nil, refuse(TooMany, message.Errorf("the group is full: it has %d learners", mostLearners), message.Of("ask the leader"))
	}
	name = c.unused(name)
	c.nextID++
	token := rand.Text()
	c.learners[sha256.Sum256([]byte(token))] = &attendee{id: c.nextID, name: name, last: c.now(), done: map[string]*workshop.Done{}}
	c.notify()
	return &group.Joined{Token: token, Name: name}, nil
}

// checkName returns a name without superfluous blanks. A name with characters that are
// not printable, or with too many characters, is an error.
func checkName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	printable := utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if n := utf8.RuneCountInString(name); n == 0 || n > group.MostName || !printable {
		return "", refuse(Invalid, message.Errorf("the name %q cannot be shown", text.Escape(name[:min(len(name), 4*group.MostName)])),
			message.Of("choose one of 1 to %d printable characters with --name", group.MostName))
	}
	return name, nil
}

// unused returns the name, with a number added if another learner has it. The caller
// must hold the lock.
func (c *Classroom) unused(name string) string {
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

// withLearner calls do with the learner of a token, under the lock, and notifies the
// listeners.
func (c *Classroom) withLearner(token string, do func(*attendee) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.learners[sha256.Sum256([]byte(token))]
	if a == nil {
		return refuse(Stranger, message.NewError("the group does not know you"), message.Of("join again"))
	}
	defer c.notify()
	a.last = c.now()
	return do(a)
}

// Report records progress. It ignores events on exercises of other courses, and events
// that were reported before.
func (c *Classroom) Report(token string, report group.Report) error {
	if len(report.Events) > group.MostEvents {
		return refuse(Invalid, message.Errorf("the report has %d events", len(report.Events)), message.Of("at most %d are accepted", group.MostEvents))
	}
	return c.withLearner(token, func(a *attendee) error {
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

func (c *Classroom) add(a *attendee, e group.Event) {
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

func (c *Classroom) keepWrong(e group.Event) {
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

// Vote counts a vote in the open poll. The vote replaces the learner's earlier vote.
func (c *Classroom) Vote(token string, vote group.Vote) (*group.Voted, error) {
	var voted *group.Voted
	err := c.withLearner(token, func(a *attendee) error {
		if !c.shown.open {
			return refuse(NoPoll, message.NewError("no poll is open"), message.Of("wait for the leader to open one"))
		}
		a.vote = &vote.True
		voted = &group.Voted{Exercise: c.shown.exercise.Name}
		return nil
	})
	return voted, err
}

// Leave removes a learner from the group.
func (c *Classroom) Leave(token string) error {
	return c.withLearner(token, func(*attendee) error {
		delete(c.learners, sha256.Sum256([]byte(token)))
		return nil
	})
}

// Remove removes a learner for the leader. The learner can join again.
func (c *Classroom) Remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for token, a := range c.learners {
		if a.id == id {
			delete(c.learners, token)
		}
	}
	c.notify()
}

// Show shows the question of an exercise on the leader's page, or removes the question if
// the name is "". With poll, learners can vote. Earlier votes are deleted.
func (c *Classroom) Show(exercise string, poll bool) error {
	var shown shownQuestion
	if exercise != "" {
		e, err := c.course.Find(exercise)
		if err != nil {
			return err
		}
		if poll && e.Claim == nil {
			return refuse(Invalid, message.Errorf("%s does not ask whether a claim is true", e.Name), message.Of("choose a \"true or false\" exercise for a poll"))
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

// ClosePoll ends the poll: votes are over, and State shows the result.
func (c *Classroom) ClosePoll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown.open = false
	c.notify()
}

// notify wakes the listeners. The caller must hold the lock.
func (c *Classroom) notify() {
	for listener := range c.changed {
		select {
		case listener <- struct{}{}:
		default: // the listener has not read the last change yet
		}
	}
}

// Listen returns a channel that receives a value after each change. Several changes may
// share one value. The caller must call leave at the end.
func (c *Classroom) Listen() (changes chan struct{}, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changed) >= mostListeners {
		return nil, nil, refuse(TooMany, message.Errorf("%d pages are connected already", mostListeners), message.Of("close a page of apitrace"))
	}
	changes = make(chan struct{}, 1)
	c.changed[changes] = true
	return changes, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.changed, changes)
	}, nil
}

// byName lists the learners, sorted by name. The caller must hold the lock.
func (c *Classroom) byName() []*attendee {
	var all []*attendee
	for _, a := range c.learners {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *attendee) int {
		return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	return all
}
