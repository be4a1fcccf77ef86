package view

// A Classifier classifies functions for readers. The argument function is a
// full name, as in trace.Call.
type Classifier interface {
	// Layer returns the part of the server that the function belongs to, such as
	// "admission", or "".
	Layer(function string) string
	// Key reports whether the function is a key step, which a learner must
	// know.
	Key(function string) bool
	// Minor reports whether a key step is less important. It is left out first.
	Minor(function string) bool
	// Constructor reports whether the function only constructs an error, such as
	// admission.NewForbidden. The error then begins in its caller.
	Constructor(function string) bool
	// Group returns a label, such as "admission plugin", or "". Consecutive
	// calls of functions with the same label are collapsed. The label also
	// stands for the calls below: key steps there are only in the full view.
	Group(function string) string
}

// A Guide is a Classifier with texts for readers, in their language.
type Guide interface {
	Classifier
	// Title returns a layer's name for people, or "".
	Title(layer string) string
	// Note returns the explanation of a key step for a learner, or "".
	Note(function string) string
	// Values returns the names of the attributes that are recorded on the
	// function's calls, the most important first.
	Values(function string) []string
}
