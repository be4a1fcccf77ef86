package workshop

import (
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// A Selection selects calls of one request of a recording by all conditions that are set.
// In YAML, a name or a list of names selects by function.
type Selection struct {
	// In is the recording's name in Exercise.Also, or "" for Exercise.Scenario's.
	In string `yaml:"in"`
	// Request is the number of the traced request in the recording. 0 and 1 are the
	// first request.
	Request int `yaml:"request"`
	// Event selects in the first event with this path (see trace.EventPath) instead of a
	// numbered request: "kube-scheduler ADDED Pod ...". "..." stands for any text. The
	// numbers of events differ from recording to recording.
	Event string `yaml:"event"`

	// Of are the calls to choose from; nil is all calls. Of.Take is applied before the
	// other conditions.
	Of *Selection `yaml:"of"`
	// Function are short or full names of functions; one must match. "..." stands for
	// any text, $answer for the learner's function.
	Function Names `yaml:"function"`
	// Layer are layers of the guide; one must match.
	Layer Names `yaml:"layer"`
	// Process is "kube-apiserver" or "etcd".
	Process string `yaml:"process"`
	// Values are attributes of the call. "..." stands for any text.
	Values map[string]string `yaml:"values"`
	// Error is the returned error. "..." stands for any text, "" for no error.
	Error *string `yaml:"error"`

	// Above selects calls that have a call of this selection below them. Below selects
	// calls that have a call of this selection above them.
	Above *Selection `yaml:"above"`
	Below *Selection `yaml:"below"`
	// Calls and CalledBy are Above and Below without a call in between.
	Calls    *Selection `yaml:"calls"`
	CalledBy *Selection `yaml:"calledBy"`
	// Before selects calls that were entered before the first call of this selection.
	// After selects calls that were entered after it. In the tree, these are the lines
	// above and below the first call: its callers are before it, its callees after it.
	Before *Selection `yaml:"before"`
	After  *Selection `yaml:"after"`
	// Not selects calls that this selection does not select.
	Not *Selection `yaml:"not"`
	// AlsoIn selects calls of functions that are called in another recording, too. NotIn
	// selects calls of functions that are not. Both are names in Exercise.Also.
	AlsoIn string `yaml:"alsoIn"`
	NotIn  string `yaml:"notIn"`

	// Take keeps only some calls: "first", "last", or "outermost" for calls without
	// a selected call above. "" keeps all.
	Take string `yaml:"take"`
}

// answer stands for the function that the learner named.
const answer = "$answer"

// UnmarshalYAML reads a selection, or names of functions.
func (s *Selection) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return node.Decode(&s.Function)
	}
	type plain Selection
	return strictyaml.DecodeMapping(node, (*plain)(s))
}

// parts lists the selections inside, with their fields' names.
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

// A Test is a question about recordings. The answer is yes if all conditions that are
// set hold.
type Test struct {
	All []Test `yaml:"all"`
	Any []Test `yaml:"any"`
	Not *Test  `yaml:"not"`
	// Some holds if it selects a call, None if it selects no call.
	Some *Selection `yaml:"some"`
	None *Selection `yaml:"none"`
	// Count holds if the number of selected calls meets the condition.
	Count *Count `yaml:"count"`
	// InOrder holds if each selection has a call, and the first calls were entered in
	// this order.
	InOrder []Selection `yaml:"inOrder"`
	// Request holds if a request and its response meet the condition.
	Request *RequestTest `yaml:"request"`
}

// A Count is a condition on the number of calls.
type Count struct {
	Of      Selection `yaml:"of"`
	Is      *int      `yaml:"is"`
	AtLeast *int      `yaml:"atLeast"`
	AtMost  *int      `yaml:"atMost"`
}

// A RequestTest is a condition on a request, as its client saw it, and its changes in
// etcd.
type RequestTest struct {
	In     string `yaml:"in"`
	Number int    `yaml:"number"`
	Method string `yaml:"method"`
	// "..." in Path stands for any text.
	Path   string `yaml:"path"`
	Status int    `yaml:"status"`
	// Stored is "PUT" or "DELETE", a blank and a key: "PUT /registry/pods/...". "..."
	// stands for any text.
	Stored string `yaml:"stored"`
}

// Names is one name or several names.
type Names []string

// UnmarshalYAML reads one name or a list.
func (n *Names) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(n))
	}
	*n = Names{""}
	return node.Decode(&(*n)[0])
}
