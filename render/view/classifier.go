package view

// A Classifier tells what a function is to a reader. Functions go by their full
// name, as in trace.Call.
type Classifier interface {
	// Layer returns the part of the server that the function belongs to, such as
	// "admission", or "" if it belongs to none.
	Layer(function string) string
	// Key reports whether a call of the function is a key step: one that a learner
	// must know.
	Key(function string) bool
	// Minor reports whether a key step gives way to the others when lines are short.
	Minor(function string) bool
	// Constructor reports whether the function only makes an error that its caller
	// decided on.
	Constructor(function string) bool
	// Group returns the label under which calls of this function and its likes in
	// a row are collapsed, such as "admission plugin", or "" if it is like no other.
	// It stands for what is below them, too: key steps there show in the full view.
	Group(function string) string
}

// A Guide is a Classifier that can also put into words what it knows, in the
// reader's language.
type Guide interface {
	Classifier
	// Title returns the name of a layer for people, or "" if it has none.
	Title(layer string) string
	// Note returns what a learner should know about a key step, or "".
	Note(function string) string
	// Values returns the names of the attributes that are noted on the function's
	// calls, the most telling first.
	Values(function string) []string
}
