package view

import (
	"github.com/kubeapitrace/apitrace/trace"
)

// A Comparison describes one pair of requests to a reader, as plain data in one
// language. It holds the sentences and the merged tree of both requests, with marks.
// Calls are indices of the merged tree, in order of entry.
type Comparison struct {
	Lang    string `json:"lang" description:"The language of all sentences, en or zh."`
	NameA   string `json:"nameA" description:"What side A is called: a release, or a scenario."`
	NameB   string `json:"nameB" description:"What side B is called."`
	Request string `json:"request" description:"Method and path of the request."`
	// Was is set if the sides have different requests, as two scenarios can have.
	Was string `json:"was,omitempty" description:"Method and path on side A; absent if side B has the same."`
	// RequestA and RequestB are the numbers of the request. Pairs are all pairs of
	// requests.
	RequestA int            `json:"requestA" description:"Number of the request on side A, from 1; 0 if side A does not have it."`
	RequestB int            `json:"requestB" description:"Number of the request on side B, from 1; 0 if side B does not have it."`
	Pairs    []ComparedPair `json:"pairs" description:"All pairs of requests, in order."`
	StatusA  int            `json:"statusA" description:"HTTP status of side A, 0 if side A does not have the request."`
	StatusB  int            `json:"statusB" description:"HTTP status of side B, 0 if side B does not have the request."`
	CallsA   int            `json:"callsA" description:"How many calls side A has."`
	CallsB   int            `json:"callsB" description:"How many calls side B has."`
	Same     bool           `json:"same" description:"Whether both took the same path to the same answer."`
	OnlyIn   string         `json:"onlyIn,omitempty" description:"Which side alone has the request, in words; there is no tree then. Absent if both sides have the request."`
	Facts    string         `json:"facts" description:"How many calls and changes there are, in words."`
	// Warnings name differences that may not come from upstream.
	Warnings []string `json:"warnings" description:"Why differences may not come from upstream, such as edited files."`
	Legend   []string `json:"legend" description:"The marks of the steps, each with its meaning."`
	// Layers and Unchanged are the summary.
	Layers    []ComparedLayer `json:"layers" description:"What changed, by layer."`
	Unchanged []string        `json:"unchanged" description:"Titles of the layers in which no difference is recorded."`
	NoReason  string          `json:"noReason,omitempty" description:"What a sentence without evidence means; absent unless some sentences have evidence and others have none."`
	// LeftOut counts the sentences that the filter leaves out.
	LeftOut int      `json:"-"`
	Changes int      `json:"changes" description:"How many changes there are."`
	Shown   int      `json:"shown" description:"How many of the changes the steps show."`
	Folded  int      `json:"folded" description:"How many calls of the merged tree are folded, which means that no step shows them."`
	Hidden  []string `json:"hidden,omitempty" description:"The changes that no step shows, if there are few: mark, function and place."`
	// Places is set if ComparisonOptions.Places is set.
	Places   []ChangePlace     `json:"-"`
	TooMany  int               `json:"tooMany,omitempty" description:"Number of changes that the filter selects, if the tree would have too many changes or steps to show. There are no sections then: ask for one layer, or for all changes. Absent otherwise."`
	Sections []ComparedSection `json:"sections" description:"The sections of the merged tree."`
}

// A ComparedPair is a request of both sides, or of one.
type ComparedPair struct {
	Request string `json:"request" description:"Method and path."`
	Same    bool   `json:"same" description:"Whether both took the same path to the same answer."`
}

// A ComparedLayer is a LayerSummary.
type ComparedLayer struct {
	Name      string             `json:"name" description:"Name of the layer, empty for changes in no layer."`
	Title     string             `json:"title" description:"Title of the layer."`
	Colour    string             `json:"colour" description:"Colour of the layer, empty if it has none."`
	Sentences []ComparedSentence `json:"sentences" description:"What changed."`
	Smaller   int                `json:"smaller" description:"How many changes are in no sentence."`
}

// A ComparedSentence is a sentence and its place.
type ComparedSentence struct {
	Kind StatementKind `json:"kind" description:"What kind of statement it is."`
	Text string        `json:"text" description:"The sentence, without a full stop."`
	// Evidence are lines that belong below the sentence.
	Evidence []string `json:"evidence" description:"How the sentence is known, or which condition it depends on: one line each."`
	// Call is the first call that the sentence is about. Step is the nearest shown step
	// at or above that call.
	Call int `json:"call" description:"The first call that the sentence is about."`
	Step int `json:"step" description:"The step that shows \"call\", or else the nearest step above it; -1 if there are no sections."`
}

// A ComparedSection is a section of the merged tree.
type ComparedSection struct {
	SectionHead
	Root ComparedStep `json:"root" description:"The step with which the request enters the layer."`
	// Instead is a copy of a step below the section's caller. That step has Elsewhere set.
	Instead *ComparedStep `json:"instead,omitempty" description:"The step of side A that the section's first step replaced; absent if it replaced none, or if the replaced step calls further steps."`
}

// A ComparedStep is a step of the merged tree.
type ComparedStep struct {
	StepHead
	A      *Spot      `json:"a,omitempty" description:"The call on side A; absent if side A does not make it."`
	B      *Spot      `json:"b,omitempty" description:"The call on side B; absent if side B does not make it."`
	Caller string     `json:"caller" description:"Full name of the function above the call in the merged tree, empty for the first call."`
	Nth    int        `json:"nth" description:"Number of the call among the calls of its function below \"caller\", from 1. Function, caller and nth name a place in a link."`
	Change ChangeKind `json:"change" description:"added if side B alone makes the call, removed if side A alone does, changed if something else differs, empty if nothing does." enum:"|added|removed|changed"`
	Mark   string     `json:"mark" description:"The signs of the changes, as the terminal shows them; empty if there are none."`
	// Details do not say that a call is added or removed.
	Details  []string        `json:"details" description:"What changed at the call: its old name, caller, count or values."`
	Values   []ComparedValue `json:"values" description:"The values that differ."`
	Deciding []Value         `json:"deciding,omitempty" description:"The values that decided the request, of a call that one side alone makes."`
	// Links is set if ComparisonOptions.Links is set.
	Links   []string `json:"links,omitempty" description:"Where upstream shows the code of the changes, if links were asked for."`
	TimeA   string   `json:"timeA,omitempty" description:"How long the step took on side A, if times were asked for."`
	TimeB   string   `json:"timeB,omitempty" description:"How long the step took on side B, if times were asked for."`
	Was     *Origin  `json:"was,omitempty" description:"The caller of a moved call on side A; absent if the call has not moved."`
	Instead *Origin  `json:"instead,omitempty" description:"The call of side A that this call of side B replaced; absent if no sentence says so."`
	By      *Origin  `json:"by,omitempty" description:"The call of side B that replaced this call of side A; absent if no sentence says so."`
	// Elsewhere is set for a step that ComparedSection.Instead shows.
	Elsewhere bool   `json:"elsewhere,omitempty" description:"Whether a section shows the step at its head, because the section's first step replaced it."`
	Compare   string `json:"compare,omitempty" description:"Where upstream shows the changes of the file; absent if that is not known."`
	// Sides has the step on A and B if ComparisonOptions.SideBySide is set. A side
	// without the call is nil.
	Sides    [2]*SideStep   `json:"-"`
	Children []ComparedStep `json:"children" description:"The steps that this step called, directly or through folded calls."`
}

// A SideStep is a step on one side, for a layout with both sides next to each other.
type SideStep struct {
	StepHead
	// Values are the values that differ. A side without an error has no error value.
	Values []Value
}

// A ComparedValue is a value that differs.
type ComparedValue struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A ChangePlace says where a change is in the source of both sides.
type ChangePlace struct {
	Mark string
	// Telling is set if the default view shows the change, Shown if a step of this
	// tree does.
	Telling, Shown bool
	// A and B are nil for a side without the call.
	A, B *SourcePlace
}

// A SourcePlace is a line of source.
type SourcePlace struct {
	// Name is the function's name. Place is its file and line.
	Name, Place string
	// URL is "" if it is not known. Uncommitted is set for a line that is not
	// committed. Unpublished is set if no branch fetched from GitHub has the line's
	// commit.
	URL                      string
	Uncommitted, Unpublished bool
}

// A Spot is a call on one side.
type Spot struct {
	Call     int    `json:"call" description:"Number of the call in its own request."`
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Short name of the function."`
	Place    string `json:"place" description:"File and line of the function."`
	Caller   string `json:"caller" description:"Full name of the function that made the call."`
	Nth      int    `json:"nth" description:"Number of the call among the caller's calls of the function, from 1."`
	Time     string `json:"time" description:"How long the call took, empty if only its entry was recorded."`
	URL      string `json:"url,omitempty" description:"Where upstream shows the function; absent if that is not known."`
}

// An Origin is another call that belongs to a change: the old caller of a moved call,
// or the other call of a replacement.
type Origin struct {
	Name string `json:"name" description:"Short name of the other call's function."`
	Step int    `json:"step" description:"The step that shows the other call, or else the nearest step above it; -1 if there is none."`
}

// ComparisonOptions set the content of a comparison. With Full, a comparison shows
// every change and its caller, but not every call.
type ComparisonOptions struct {
	Options
	// NameA and NameB name the sides: a version, or a scenario.
	NameA, NameB string
	// SummaryOnly leaves out the sections.
	SummaryOnly bool
	// Times sets the times of steps. SideBySide sets ComparedStep.Sides, Links sets
	// ComparedStep.Links, and Places sets Comparison.Places.
	Times, SideBySide, Links, Places bool
	// EverySentence keeps sentences about calls that the filter does not select.
	EverySentence bool
	// MostSteps is the maximum number of steps of a tree; 0 means no limit.
	MostSteps int
	// CommittedA and CommittedB tell where to read the source of a side built from a
	// checkout. They are nil for releases.
	CommittedA, CommittedB *trace.CommittedTree
}
