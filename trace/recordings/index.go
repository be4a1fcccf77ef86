package recordings

import "github.com/kubeapitrace/apitrace/internal/message"

// A Program is the index of the traced packages of one program of a release.
type Program struct {
	// Functions are all functions, methods and function literals, sorted by name.
	Functions []Source
	// Gates has, for each feature gate, whether it is on by default.
	Gates map[string]bool
}

// A Source is a function in the source.
type Source struct {
	// Name is the full name, as in trace.Call.
	Name string
	// File is the name of its file, without the path of its package.
	File string
	// Spanless is the reason why it has no span; Spanned if it has one.
	Spanless Spanless
	// Calls are the calls in its text, in order. A function literal within it is a function of its
	// own.
	Calls []SourceCall
}

// Spanless is the reason why a function has no span.
type Spanless int

// The reasons.
const (
	// Spanned: it has a span.
	Spanned Spanless = iota
	// SpanlessLeaf: it calls nothing, and the recordings were made when apitrace recorded no calls of such
	// functions.
	SpanlessLeaf
	// SpanlessNamed: apitrace leaves it out, because the guide names it. It also leaves out the literals that fill a
	// sync.Pool; the index does not have these.
	SpanlessNamed
	// SpanlessBody: it has no body in Go.
	SpanlessBody
	// SpanlessDirective: a directive forbids to insert anything.
	SpanlessDirective
)

// Why is the reason as the end of a sentence, the zero Message for Spanned.
func (s Spanless) Why() message.Message {
	switch s {
	case SpanlessLeaf:
		return message.Of("it calls nothing, and apitrace did not record such functions then")
	case SpanlessNamed:
		return message.Of("apitrace leaves it out, since it is called too often or differently in each run")
	case SpanlessBody:
		return message.Of("it has no body in Go")
	case SpanlessDirective:
		return message.Of("a directive of the compiler forbids it")
	}
	return message.Message{}
}

// A SourceCall is a call in the text of a function.
type SourceCall struct {
	// Line is its line, counted from that of the function, which is 0.
	Line int
	Kind CallKind
	// Name is the full name of the called function, or another name according to Kind.
	Name string
	// Gate is the feature gate that decides whether the call is made, or "".
	Gate string
	// Deferred is set for the call of a defer statement. It is made from the line where the
	// function returns.
	Deferred bool
	// Branch is what has to be so for the call to be made, the zero value if nothing is known.
	Branch Branch
}

// A Branch is the innermost branch of a function's text around a call.
type Branch struct {
	Kind BranchKind
	// Text is its code in one line, without what it encloses: "if err == nil", "for _, p := range plugins". A text that is too
	// long ends with "…".
	Text string
	// Line is its line, counted from that of the function, which is 0.
	Line int
	// Threshold says that it compares with a limit.
	Threshold Threshold
}

// A BranchKind says how a call stands to a branch.
type BranchKind int

// The kinds of a Branch.
const (
	// NoBranch: the call stands in none, as far as the text tells.
	NoBranch BranchKind = iota
	// BranchIn: the call is made inside of it: of an if, a case, a loop, or behind && or ||.
	BranchIn
	// BranchElse: the call is made in its else.
	BranchElse
	// BranchPast: the call stands behind it, and it leaves the function or the loop.
	BranchPast
	// BranchLoop: the call is made in the turns of a loop over a range.
	BranchLoop
)

// A Threshold is a limit with which a branch compares.
type Threshold int

// The kinds of a Threshold.
const (
	NoThreshold Threshold = iota
	// ThresholdTime: a duration.
	ThresholdTime
	// ThresholdSize: the length of something, compared with more than whether there is anything.
	ThresholdSize
	// ThresholdVerbosity: the verbosity of the log.
	ThresholdVerbosity
)

// A CallKind says how a call names what it calls.
type CallKind int

// The kinds of a SourceCall.
const (
	// CallStatic: Name is the function.
	CallStatic CallKind = iota
	// CallInterface: Name is the method of an interface, "net/http.Handler.ServeHTTP".
	CallInterface
	// CallValue: Name is the variable or field whose value is called, "" if it has no name.
	CallValue
	// CallMakes is not a call: the text makes a value of the type Name.
	CallMakes
)
