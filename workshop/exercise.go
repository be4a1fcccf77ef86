// Package workshop has the exercises of the course, judges answers to them, and keeps a
// learner's progress.
//
// An exercise is a YAML file. It does not contain the text of the right answer. It
// contains a query (see Selection and Test) on a recorded trace. So an exercise can be
// wrong about Kubernetes only if the trace is wrong. parse defines the format.
// docs/workshop-authoring.md describes it for authors, and schema.json for editors.
//
// Package learner prints questions and reads answers. Packages group and classroom connect
// learners with a leader.
package workshop

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// Text is a text in English and in Chinese.
type Text = message.Text

// An Exercise is a question that a trace answers.
type Exercise struct {
	// Name is the name to type: the file's name without its number and ending. It is
	// unique in the course.
	Name string `yaml:"-"`
	// Chapter is the name of the folder: "03-get".
	Chapter string `yaml:"-"`
	// File is the path of the file, for messages.
	File string `yaml:"-"`

	// Was are earlier names, which older events in a state file have.
	Was Names `yaml:"was"`
	// Title names the topic in a few words. Teaches says what the learner knows after
	// the exercise.
	Title   Text `yaml:"title"`
	Teaches Text `yaml:"teaches"`
	// Minutes is the time that the author expects the exercise to take.
	Minutes int `yaml:"minutes"`
	// Scenario is the scenario of the question. Its recording, with the learner's
	// version of Kubernetes, judges the answer. In a live exercise, its requests are
	// sent to the server.
	Scenario string `yaml:"scenario"`
	// Also names further recordings, for Selection.In.
	Also map[string]Source `yaml:"also"`
	// Releases are the releases that the exercise is valid for.
	Releases release.Range `yaml:",inline"`
	// Question is Markdown, like all longer texts of an exercise.
	Question Text `yaml:"question"`

	// One of the following fields is set. It decides the exercise's Kind.
	Find   *Selection  `yaml:"find"`
	Order  []Step      `yaml:"order"`
	Claim  *Claim      `yaml:"claim"`
	Choose []Choice    `yaml:"choose"`
	Value  *ValueQuery `yaml:"value"`
	Make   *Make       `yaml:"make"`
	Change *Change     `yaml:"change"`

	// Wrong are replies to wrong answers. The learner gets the first that fits.
	Wrong []Wrong `yaml:"wrong"`
	// Hints are three hints, each more helpful than the one before.
	Hints []Text `yaml:"hints"`
	// Solution is a right answer, for learners who give up, and for Verify.
	Solution Solution `yaml:"solution"`
	// Debrief explains the solved exercise: what happened, why, and where to read on.
	Debrief Text `yaml:"debrief"`
}

// A Source names a recording.
type Source struct {
	Scenario string `yaml:"scenario"`
	// K8s is the version of Kubernetes: "v1.30", or "" for the learner's.
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
	// KindMake asks for a request with a trace that passes a test, live.
	KindMake Kind = "make"
	// KindChange asks for a change of the server with such a trace, live.
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

// kinds lists the kinds with a field set. A valid exercise has one.
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

// Live reports whether the exercise needs a running server.
func (e *Exercise) Live() bool { return e.Make != nil || e.Change != nil }

// Texts lists all texts that a learner may see.
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

// A Step is one of the steps to put in order. Its place in the order is the place of its
// first call.
type Step struct {
	// ID is the step's name in Solution and Wrong.
	ID   string    `yaml:"id"`
	Call Selection `yaml:"call"`
	Text Text      `yaml:"text"`
}

// A Claim is true if the traces pass the test.
type Claim struct {
	Holds Test `yaml:"holds"`
	// Evidence is optional. If set, the answer must name a function of these calls
	// after "true" or "false", so that nobody passes by guessing.
	Evidence *Selection `yaml:"evidence"`
}

// A Choice is a statement to choose if the traces pass the test.
type Choice struct {
	Text  Text `yaml:"text"`
	Holds Test `yaml:"holds"`
	// Reply is for learners who chose the statement although it does not hold. If they
	// chose several such statements, they get the reply of the first. A fitting reply of
	// Exercise.Wrong takes precedence. Omitting a statement gets no reply of its own.
	Reply Text `yaml:"reply"`
}

// A ValueQuery is a value in a trace. With a Name, it is an attribute of the first
// selected call that has it. Without a Name, it is the number of selected calls.
type ValueQuery struct {
	Of Selection `yaml:"of"`
	// Name is the attribute's name, or "error" for the returned error.
	Name string `yaml:"name"`
}

// Make asks for a request of the learner's own.
type Make struct {
	// Setup is the server's state when the request comes.
	Setup scenarios.Setup `yaml:"setup"`
	// Before are requests to send first, untraced. Some setups take effect only after
	// a request: the server must have called a webhook once, for example.
	Before []scenarios.HTTP `yaml:"before"`
	// Expect is the test for the request's trace, without $answer.
	Expect Test `yaml:"expect"`
}

// Change asks for a change of the server's source. The change is right if a scenario's
// trace on the changed server passes a test.
type Change struct {
	// File is the file to change, relative to the vendor folder.
	File string `yaml:"file"`
	// Body, if set, replaces the bodies of the scenario's traced requests.
	Body *scenarios.Document `yaml:"body"`
	// Then are traced requests to the changed server, after the scenario's. They show
	// whether a change that solves the exercise harms other requests. Tests refer to
	// them by number.
	Then []scenarios.HTTP `yaml:"then"`
	// Expect is the test for the scenario's trace on the changed server.
	Expect Test `yaml:"expect"`
}

// Wrong is a reply to wrong answers. All its conditions must hold. Without any, it
// fits every wrong answer, except a function that the recordings lack.
type Wrong struct {
	// Try are answers that get this reply, for Verify. In a live exercise they are
	// scenarios, and Verify judges their recordings.
	Try Names `yaml:"try"`
	// Edits are a wrong change that gets this reply. Package learner proves this on a
	// server that it builds with the change.
	Edits []Replacement `yaml:"edits"`
	// Releases are the releases that the reply applies to.
	Releases release.Range `yaml:",inline"`
	// When is a test of the traces. $answer in it stands for the function that the
	// answer names.
	When *Test `yaml:"when"`
	// Puts are ids of steps that the answer has in this order.
	Puts []string `yaml:"puts"`
	// Names are functions. The answer must name one of them; the recording need not
	// have it.
	Names Names `yaml:"names"`
	// Says is the answer's text. "..." stands for any text.
	Says  string `yaml:"says"`
	Reply Text   `yaml:"reply"`
}

// A Solution is a right answer.
type Solution struct {
	// Answer is the answer to type. If versions of Kubernetes differ, it is a list: in
	// each version, one answer passes.
	Answer Names `yaml:"answer"`
	// Request is a request that solves a Make.
	Request *scenarios.HTTP `yaml:"request"`
	// Edits are the edits that solve a Change.
	Edits []Replacement `yaml:"edits"`
	// Passes and Fails are scenarios, for live exercises. The recordings of Passes pass,
	// and the recordings of Fails do not. Verify checks that without a server.
	Passes []string `yaml:"passes"`
	Fails  []string `yaml:"fails"`
	// Text says why the answer is right, if not obvious.
	Text Text `yaml:"text"`
}

// A Replacement changes a file: New replaces Old, which must occur once.
type Replacement struct {
	Old string `yaml:"old"`
	New string `yaml:"new"`
}
