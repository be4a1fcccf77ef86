// Package workshop has the exercises of the course, judges answers to them, and keeps
// a learner's progress.
//
// An exercise is a YAML file. It does not contain the right answer as a text to
// compare with, but a query (see Selection and Test) on a recorded trace, so that an
// exercise can be wrong about Kubernetes only if the trace is. docs/workshop-authoring.md
// describes the format for authors and schema.json for editors, but parse decides.
package workshop

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// Text is something for people to read, in English and in Chinese.
type Text = message.Text

// An Exercise is a question whose answer a trace decides.
type Exercise struct {
	// Name is the name that users type: the file's name without its number. It is unique
	// in the course.
	Name string `yaml:"-"`
	// Chapter is the name of the folder: "03-get".
	Chapter string `yaml:"-"`
	// File is where it was read from, for messages.
	File string `yaml:"-"`

	// Was are names that the exercise had before: progress is kept under the name of its time.
	Was Names `yaml:"was"`
	// Title names the topic in a few words; Teaches is what the learner knows afterwards.
	Title   Text `yaml:"title"`
	Teaches Text `yaml:"teaches"`
	// Minutes is the expected time.
	Minutes int `yaml:"minutes"`
	// Scenario is the recording that is asked: by what the learner's version of
	// Kubernetes has recorded of it. Of a live exercise it is what the server is sent.
	Scenario string `yaml:"scenario"`
	// Also names further recordings, for Selection.In.
	Also map[string]Source `yaml:"also"`
	// Releases are the releases for which the exercise is valid.
	Releases release.Range `yaml:",inline"`
	// Question is the question, in Markdown like all longer texts here.
	Question Text `yaml:"question"`

	// Exactly one of the following is set. It decides the exercise's Kind.
	Find   *Selection  `yaml:"find"`
	Order  []Step      `yaml:"order"`
	Claim  *Claim      `yaml:"claim"`
	Choose []Choice    `yaml:"choose"`
	Value  *ValueQuery `yaml:"value"`
	Make   *Make       `yaml:"make"`
	Change *Change     `yaml:"change"`

	// Wrong are replies to wrong answers. The first one that fits is given.
	Wrong []Wrong `yaml:"wrong"`
	// Hints are three, each more of a help than the one before.
	Hints []Text `yaml:"hints"`
	// Solution is a right answer, for learners who give up, and for Verify.
	Solution Solution `yaml:"solution"`
	// Debrief explains the solved exercise: what happened, why it is so, and where to
	// read on.
	Debrief Text `yaml:"debrief"`
}

// A Source names a recording.
type Source struct {
	Scenario string `yaml:"scenario"`
	// K8s is the version of Kubernetes: "v1.30". "" is the learner's.
	K8s string `yaml:"k8s"`
}

// A Kind is a kind of exercise.
type Kind string

// The kinds.
const (
	// KindFind asks for the name of a function.
	KindFind Kind = "find"
	// KindOrder asks for the order of steps.
	KindOrder Kind = "order"
	// KindClaim asks whether a claim is true.
	KindClaim Kind = "claim"
	// KindChoose asks which of some statements are true.
	KindChoose Kind = "choose"
	// KindValue asks for a value in a trace.
	KindValue Kind = "value"
	// KindMake asks for a request whose trace passes a test. It is live.
	KindMake Kind = "make"
	// KindChange asks for a change of the server whose trace passes a test. It is live.
	KindChange Kind = "change"
)

// Kind returns the kind of the exercise.
func (e *Exercise) Kind() Kind {
	kinds := e.kinds()
	if len(kinds) == 0 {
		return ""
	}
	return kinds[0]
}

// kinds lists the kinds whose fields are set: one, if the exercise is valid.
func (e *Exercise) kinds() []Kind {
	var kinds []Kind
	for _, k := range []struct {
		kind Kind
		has  bool
	}{
		{KindFind, e.Find != nil}, {KindOrder, e.Order != nil}, {KindClaim, e.Claim != nil}, {KindChoose, e.Choose != nil},
		{KindValue, e.Value != nil}, {KindMake, e.Make != nil}, {KindChange, e.Change != nil},
	} {
		if k.has {
			kinds = append(kinds, k.kind)
		}
	}
	return kinds
}

// Live reports whether a running server is needed.
func (e *Exercise) Live() bool { return e.Make != nil || e.Change != nil }

// Texts lists all that a learner may get to read at the exercise.
func (e *Exercise) Texts() []Text {
	texts := append([]Text{e.Title, e.Teaches, e.Question, e.Debrief, e.Solution.Text}, e.Hints...)
	for _, s := range e.Order {
		texts = append(texts, s.Text)
	}
	for _, c := range e.Choose {
		texts = append(texts, c.Text, c.Reply)
	}
	for _, w := range e.Wrong {
		texts = append(texts, w.Reply)
	}
	return texts
}

// A Step is one of those to put in order: it is where its first call is.
type Step struct {
	// ID is the name of the step in Solution and Wrong.
	ID   string    `yaml:"id"`
	Call Selection `yaml:"call"`
	Text Text      `yaml:"text"`
}

// A Claim is true if the traces pass the test.
type Claim struct {
	Holds Test `yaml:"holds"`
	// Evidence is optional: the answer then names, behind "true" or "false", one of the
	// functions of these calls, so that nobody passes by guessing.
	Evidence *Selection `yaml:"evidence"`
}

// A Choice is a statement that is right to choose if the traces pass the test.
type Choice struct {
	Text  Text `yaml:"text"`
	Holds Test `yaml:"holds"`
	// Reply is for those who chose it, or left it out, wrongly.
	Reply Text `yaml:"reply"`
}

// A ValueQuery is a value in a trace: an attribute of the first of the calls that has
// it or, without a name, the number of calls.
type ValueQuery struct {
	Of Selection `yaml:"of"`
	// Name is that of the attribute; "error" is the error that the call returned.
	Name string `yaml:"name"`
}

// Make is a request of the learner's own.
type Make struct {
	// Setup is the state that the request is sent to.
	Setup scenarios.Setup `yaml:"setup"`
	// Before are requests that are sent first, untraced: what the setup needs before it is
	// in effect, such as a webhook that the server has to have asked once.
	Before []scenarios.HTTP `yaml:"before"`
	// Expect is what its trace must show; $answer stands for nothing here.
	Expect Test `yaml:"expect"`
}

// Change is a change of the server's source, shown by a scenario.
type Change struct {
	// File is the file to change, by its path below the vendor folder.
	File string `yaml:"file"`
	// Body, if set, is sent in place of the body of the scenario's traced requests.
	Body *scenarios.Document `yaml:"body"`
	// Then are requests that the changed server gets after those of the scenario, traced as well: a change may do what is
	// asked for, and harm other requests. Tests ask for them by their number.
	Then []scenarios.HTTP `yaml:"then"`
	// Expect is what the trace of the scenario must show, from a changed server.
	Expect Test `yaml:"expect"`
}

// Wrong is a reply to wrong answers. All conditions that are given must hold; without
// any it is the reply to every wrong answer.
type Wrong struct {
	// Try are answers that get this reply: what Verify plays. In a live exercise they
	// are names of scenarios, whose recordings are judged.
	Try Names `yaml:"try"`
	// Edits are a wrong change of the server that gets this reply: Verify builds it where a server is at hand.
	Edits []Replacement `yaml:"edits"`
	// Releases are those in which the reply is given.
	Releases release.Range `yaml:",inline"`
	// When is a test of the traces; $answer in it stands for the function that the answer names.
	When *Test `yaml:"when"`
	// Puts are ids of steps that the answer has in this order.
	Puts []string `yaml:"puts"`
	// Names are functions of which the answer names one, whether the recording has it or not.
	Names Names `yaml:"names"`
	// Says is the answer's text; "..." in it stands for any.
	Says  string `yaml:"says"`
	Reply Text   `yaml:"reply"`
}

// A Solution is a right answer.
type Solution struct {
	// Answer is the answer as a learner types it. Where versions of Kubernetes
	// differ it is a list: in each version, one of them passes.
	Answer Names `yaml:"answer"`
	// Request is that of a Make.
	Request *scenarios.HTTP `yaml:"request"`
	// Edits are the edits that solve a Change.
	Edits []Replacement `yaml:"edits"`
	// Passes are, of a live exercise, scenarios whose recordings pass, and Fails some whose
	// recordings do not: they let Verify judge without a server.
	Passes []string `yaml:"passes"`
	Fails  []string `yaml:"fails"`
	// Text says why, if that needs to be said.
	Text Text `yaml:"text"`
}

// A Replacement changes a file: New replaces Old, which must occur once.
type Replacement struct {
	Old string `yaml:"old"`
	New string `yaml:"new"`
}
