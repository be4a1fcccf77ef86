package workshop

import (
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// A Selection selects calls of one request of a recording: those that satisfy all given
// conditions. In YAML, a name or a list of names stands for a selection by
// function.
type Selection struct {
	// In is the recording, by its name in Exercise.Also; "" is that of Exercise.Scenario.
	In string `yaml:"in"`
	// Request is the number of the traced request in the recording; 0 is the first, as 1 is.
	Request int `yaml:"request"`

	// Of are the calls to choose from, if not all. What is taken of them is taken first.
	Of *Selection `yaml:"of"`
	// Function is the name of the function, short or full, any of several; "..."
	// stands for any text, $answer for what the learner named.
	Function Names `yaml:"function"`
	// Layer is a layer of the guide, any of several.
	Layer Names `yaml:"layer"`
	// Process is "kube-apiserver" or "etcd".
	Process string `yaml:"process"`
	// Values are attributes that the call has; "..." stands for any text.
	Values map[string]string `yaml:"values"`
	// Error is the error that the call returned; "..." stands for any text, and "" is none.
	Error *string `yaml:"error"`

	// Above, and Below, hold of a call that has one of the other calls below it, or above.
	Above *Selection `yaml:"above"`
	Below *Selection `yaml:"below"`
	// Calls and CalledBy are Above and Below with no call in between.
	Calls    *Selection `yaml:"calls"`
	CalledBy *Selection `yaml:"calledBy"`
	// Before holds of a call that was entered before the first of the other calls,
	// After of one that was entered after the first of them. In the tree these are
	// the lines above it and below it: the callers of a call are before it, what it calls is after it.
	Before *Selection `yaml:"before"`
	After  *Selection `yaml:"after"`
	// Not holds of calls that the other selection does not have.
	Not *Selection `yaml:"not"`
	// AlsoIn and NotIn hold of a call whose function was called in another recording, or was not:
	// the name of that recording in Exercise.Also.
	AlsoIn string `yaml:"alsoIn"`
	NotIn  string `yaml:"notIn"`

	// Take keeps of the calls only the "first", the "last", or the "outermost": those
	// with none of them above. "" keeps all.
	Take string `yaml:"take"`
}

// answer stands for the function that the learner named.
const answer = "$answer"

// UnmarshalYAML reads a selection, or one or more names of functions.
func (s *Selection) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return node.Decode(&s.Function)
	}
	type plain Selection
	return strictyaml.DecodeMapping(node, (*plain)(s))
}

// parts lists the selections that this one is made with, by the names of their fields.
func (s *Selection) parts() []part {
	return []part{
		{"of", s.Of}, {"above", s.Above}, {"below", s.Below}, {"calls", s.Calls}, {"calledBy", s.CalledBy},
		{"before", s.Before}, {"after", s.After}, {"not", s.Not},
	}
}

type part struct {
	field string
	of    *Selection // may be nil
}

// A Test is a question to recordings that is answered by yes or no: yes if everything that
// is given holds.
type Test struct {
	All []Test `yaml:"all"`
	Any []Test `yaml:"any"`
	Not *Test  `yaml:"not"`
	// Some holds if there is such a call, None if there is not.
	Some *Selection `yaml:"some"`
	None *Selection `yaml:"none"`
	// Count holds if there are so many such calls.
	Count *Count `yaml:"count"`
	// InOrder holds if there are such calls, and the first of each was entered after that of the one before.
	InOrder []Selection `yaml:"inOrder"`
	// Request is about a request and its answer.
	Request *RequestTest `yaml:"request"`
}

// A Count says how many calls there must be.
type Count struct {
	Of      Selection `yaml:"of"`
	Is      *int      `yaml:"is"`
	AtLeast *int      `yaml:"atLeast"`
	AtMost  *int      `yaml:"atMost"`
}

// A RequestTest is about a request as its client saw it, and what it left in etcd.
type RequestTest struct {
	In     string `yaml:"in"`
	Number int    `yaml:"number"`
	Method string `yaml:"method"`
	// Path has "..." for any text.
	Path   string `yaml:"path"`
	Status int    `yaml:"status"`
	// Stored is "PUT" or "DELETE", a blank and a key, with "..." for any text: "PUT /registry/pods/...".
	Stored string `yaml:"stored"`
}

// Names is one name or a list of them.
type Names []string

// UnmarshalYAML reads one name or a list.
func (n *Names) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(n))
	}
	*n = Names{""}
	return node.Decode(&(*n)[0])
}
