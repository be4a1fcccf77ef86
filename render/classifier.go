package render

// A Classifier tells what a function is to a reader. Functions go by their full
// name, as in trace.Call.
type Classifier interface {
	// Layer returns the part of the server that the function belongs to, such as
	// "admission", or "" if it belongs to none.
	Layer(function string) string
	// Key reports whether a call of the function is a key step: one that a learner
	// must know, and that every view shows.
	Key(function string) bool
	// Group returns the label under which calls of this function and its likes in
	// a row are collapsed, such as "admission plugin", or "" if it is like no other.
	// It stands for what is below them, too: key steps there show in the full view.
	Group(function string) string
}
