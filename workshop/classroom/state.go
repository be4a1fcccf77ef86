package classroom

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// A State is the data of the leader's page. Texts of exercises are in both languages.
type State struct {
	Addresses []string   `json:"addresses"`
	Code      string     `json:"code"`
	Exercises []Exercise `json:"exercises"`
	Learners  []Learner  `json:"learners"`
	Question  *Question  `json:"question,omitempty"`
}

// An Exercise is an exercise that the leader can choose.
type Exercise struct {
	Name   string        `json:"name"`
	Number string        `json:"number"`
	Title  workshop.Text `json:"title"`
	Claim  bool          `json:"claim"`
}

// A Learner is the progress of one learner.
type Learner struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Passed  int    `json:"passed"`
	Tries   int    `json:"tries"`
	Current string `json:"current"`
	// Done has a word for each begun exercise: passed, revealed, tried or started.
	Done  map[string]string `json:"done"`
	Voted bool              `json:"voted"`
}

// A Question is the question on the leader's page, with its poll.
type Question struct {
	Exercise string        `json:"exercise"`
	Text     workshop.Text `json:"text"`
	Poll     bool          `json:"poll"`
	Open     bool          `json:"open"`
	Votes    int           `json:"votes"`
	// True and False are the numbers of votes. They are 0 while the poll is open, so
	// that they do not influence the other voters.
	True  int `json:"true"`
	False int `json:"false"`
}

// State returns the data of the leader's page. addresses are the addresses where
// learners can join.
func (c *Classroom) State(addresses []string) (*State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &State{Addresses: addresses, Code: c.code, Learners: []Learner{}, Exercises: c.exercises()}
	for _, a := range c.byName() {
		one := Learner{ID: a.id, Name: a.name, Current: a.current, Done: map[string]string{}, Voted: a.vote != nil}
		for name, d := range a.done {
			one.Tries += d.Tries
			one.Done[name] = doneWord(d)
			if d.Passed {
				one.Passed++
			}
		}
		s.Learners = append(s.Learners, one)
	}
	if c.shown.exercise == nil {
		return s, nil
	}
	q := &Question{Exercise: c.shown.exercise.Name, Poll: c.shown.poll, Open: c.shown.open}
	var err error
	if q.Text, err = learner.QuestionHTML(c.shown.exercise); err != nil {
		return nil, err
	}
	for _, a := range c.learners {
		if a.vote == nil {
			continue
		}
		q.Votes++
		switch {
		case c.shown.open:
		case *a.vote:
			q.True++
		default:
			q.False++
		}
	}
	s.Question = q
	return s, nil
}

func (c *Classroom) exercises() []Exercise {
	var all []Exercise
	for i := range c.course.Chapters {
		chapter := &c.course.Chapters[i]
		for n, e := range chapter.Exercises {
			all = append(all, Exercise{e.Name, fmt.Sprintf("%s.%d", chapter.Number(), n+1), e.Title, e.Claim != nil})
		}
	}
	return all
}

func doneWord(d *workshop.Done) string {
	switch {
	case d.Passed:
		return "passed"
	case d.Revealed:
		return "revealed"
	case d.Tries > 0:
		return "tried"
	default:
		return "started"
	}
}
