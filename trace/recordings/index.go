package recordings

import "github.com/kubeapitrace/apitrace/internal/message"

// A Program is the index of the traced packages of one program of a release.
type Program struct {
	// Functions are all functions, methods and function literals, sorted by name.
	Functions []Source
	// Gates has, by name, whether a feature gate is on by default.
	Gates map[string]bool
}

// A Source is a function in the source.
type Source struct {
	// Name is the full name, as in trace.Call.
	Name string
	// File is the name of its file, without the path of its package.
	File string
	// Spanless is the reason why the function has no span, or Spanned.
	Spanless Spanless
	// Calls are the calls in its text, in order. A function literal within it is
	// a separate function.
	Calls []SourceCall
}

// Spanless is the reason why a function has no span.
type Spanless int

// The reasons.
const (
	// Spanned: the function has a span.
	Spanned Spanless = iota
	// SpanlessLeaf: the function calls nothing, and the recordings were made when
	// apitrace did not record calls of such functions.
	SpanlessLeaf
	// SpanlessNamed: apitrace leaves the function out because the guide names it.
	// It also leaves out the literals that fill a sync.Pool; the index does not
	// have these.
	SpanlessNamed
	// SpanlessBody: the function has no body in Go.
	SpanlessBody
	// SpanlessDirective: a compiler directive forbids insertions.
	SpanlessDirective
)

// Why returns the reason as the end of a sentence. It is the zero Message for
// Spanned.
func (s Spanless) Why() message.Message {
	switch s {
	case SpanlessLeaf:
		return message.Of("it calls nothing, and apitrace did not record such functions then")
	case SpanlessNamed:
		return message.Of("apitrace leaves it out, since it is called too often or differently in each run")
	case SpanlessBody:
		return message.Of("it has no body in Go")
	case SpanlessDirective:
		return message.Of("a compiler directive forbids it")
	}
	return message.Message{}
}

// A SourceCall is a call in the text of a function.
type SourceCall struct {
	// Line is the line of the call. The line of the function is 0.
	Line int
	Kind CallKind
	// Name is the full name of the called function, or another name; see CallKind.
	Name string
	// Gate is the feature gate that decides whether the function makes the call,
	// or "".
	Gate string
	// Deferred is set for the call in a defer statement. Control leaves for such
	// a call from the line where the function returns.
	Deferred bool
	// Branch is the branch that decides whether the function makes the call. It
	// is the zero value if no branch is known.
	Branch Branch
}

// A Branch is the innermost branch of a function's text around a call.
type Branch struct {
	Kind BranchKind
	// Text is the branch's code on one line, without its body, such as "if err ==
	// nil" or "for _, p := range plugins". A shortened text ends with "…".
	Text string
	// Line is the line of the branch. The line of the function is 0.
	Line int
	// Threshold is the kind of limit that the branch compares with, if any.
	Threshold Threshold
}

// A BranchKind says where a call stands relative to a branch.
type BranchKind int

// The kinds of a Branch.
const (
	// NoBranch: the text shows no branch around the call.
	NoBranch BranchKind = iota
	// BranchIn: the call is inside an if, a case or a loop, or to the right of
	// && or ||.
	BranchIn
	// BranchElse: the call is in the else part of the branch.
	BranchElse
	// BranchPast: the call comes after the branch, and the branch leaves the
	// function or the loop.
	BranchPast
	// BranchLoop: the call is in the body of a range loop.
	BranchLoop
)

// A Threshold is the kind of limit that a branch compares with.
type Threshold int

// The kinds of a Threshold.
const (
	NoThreshold Threshold = iota
	// ThresholdTime: the limit is a duration.
	ThresholdTime
	// ThresholdSize: the limit is the length of something. A check for emptiness
	// does not count.
	ThresholdSize
	// ThresholdVerbosity: the limit is a verbosity of the log.
	ThresholdVerbosity
)

// A CallKind says how a call names its callee.
type CallKind int

// The kinds of a SourceCall.
const (
	// CallStatic: Name is the function.
	CallStatic CallKind = iota
	// CallInterface: Name is an interface's method: "net/http.Handler.ServeHTTP".
	CallInterface
	// CallValue: Name is the variable or field that holds the called function. It
	// is "" if there is no such name.
	CallValue
	// CallMakes: not a call; the text makes a value of the type Name.
	CallMakes
	// CallAsks: not a call; the text asks whether the feature gate Name is on.
	CallAsks
)

// IsCall reports whether the text calls something.
func (k CallKind) IsCall() bool { return k != CallMakes && k != CallAsks }
