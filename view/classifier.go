package view

// A Classifier classifies functions for readers. Functions are given by their
// full names, as in trace.Call.
type Classifier interface {
	// Layer returns the part of the server that the function belongs to, such as
	// "admission", or "" if it belongs to none.
	Layer(function string) string
	// Key reports whether a call of the function is a key step: a step that a
	// learner must know.
	Key(function string) bool
	// Minor reports whether a key step is less important. If lines are scarce,
	// it is left out before others.
	Minor(function string) bool
	// Constructor reports whether the function only makes an error that its
	// caller decided on.
	Constructor(function string) bool
	// Group returns a label, such as "admission plugin", or "". Consecutive
	// calls of functions with the same label are collapsed. The label also
	// stands for the calls below them: key steps there are only shown in the
	// full view.
	Group(function string) string
}

// A Guide is a Classifier that also has texts for readers, in their language.
type Guide interface {
	Classifier
	// Title returns the name of a layer for people, or "" if it has none.
	Title(layer string) string
	// Note returns the explanation of a key step for a learner, or "".
	Note(function string) string
	// Values returns the names of the attributes that are recorded on the
	// function's calls, the most important first.
	Values(function string) []string
}
