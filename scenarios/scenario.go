// Package scenarios holds the scenarios, requests worth tracing with the state
// that they need, and the player that replays them against a kube-apiserver.
//
// A scenario is a YAML file. Those that come with apitrace lie in the folder
// library; anyone can write one of their own. schema.json describes the format
// for editors; Parse is what decides.
package scenarios

import "go.yaml.in/yaml/v3"

// A Scenario is a named, replayable sequence of requests with the state it needs.
type Scenario struct {
	// Name is what people type: lower-case words joined by hyphens.
	Name string `yaml:"name"`
	// Topic groups the scenario in lists; one of Topics. Empty for one's own.
	Topic string `yaml:"topic"`
	// Title says in a few words what happens.
	Title Text `yaml:"title"`
	// Description says in a few sentences what is sent, to which state.
	Description Text `yaml:"description"`
	// Teaches says what a reader can learn from the trace.
	Teaches Text `yaml:"teaches"`
	// Setup is the state that must be there before the first request.
	Setup Setup `yaml:"setup"`
	// Requests are sent in this order.
	Requests []Request `yaml:"requests"`
}

// Topics lists the values of Scenario.Topic in the order in which they are shown.
var Topics = []string{"boot", "reads", "writes", "access", "admission", "watch", "extensions"}

// A Text is something for people to read, in the languages that apitrace speaks.
type Text struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

// A Setup is the state that a scenario needs.
type Setup struct {
	// Objects are created in this order by the administrator, and deleted when
	// the scenario is over. What the ordinary user may do is said here as well,
	// with RBAC objects whose subject is the user "learner".
	Objects []Document `yaml:"objects"`
}

// A Request is one step of a scenario.
type Request struct {
	HTTP `yaml:",inline"`
	// Traced asks for the trace of this request.
	Traced bool `yaml:"traced"`
	// Warmup is sent, untraced, right before a traced request, so that the
	// trace does not depend on what happens to be cached. Left out, it is the
	// request itself; an empty list sends nothing. A request that changes
	// something needs a Warmup of its own: the same change to a twin, or the
	// change and its undoing.
	Warmup []HTTP `yaml:"warmup"`
	// Expect is what the trace must show for the run to count as right.
	Expect Expect `yaml:"expect"`
}

// An HTTP is a request as it goes over the wire, and the answer it must get.
type HTTP struct {
	Method string `yaml:"method"`
	// Path is the URL path with its query.
	Path string `yaml:"path"`
	// Status is the status code that the answer must have.
	Status int `yaml:"status"`
	// As is who asks: Learner (also when empty) or Admin.
	As string `yaml:"as"`
	// Headers are sent besides, or instead of, "Accept: application/json" and,
	// with a body, "Content-Type: application/json".
	Headers map[string]string `yaml:"headers"`
	// Body is written as YAML and sent as JSON.
	Body *Document `yaml:"body"`
	// BodyFile names a file with the body, YAML or JSON, relative to the
	// scenario's file. Parse reads it into Body.
	BodyFile string `yaml:"bodyFile"`
}

// Who asks.
const (
	// Learner is an ordinary user: it may do what RBAC objects allow it.
	Learner = "learner"
	// Admin is in the group system:masters: it may do everything.
	Admin = "admin"
)

// An Expect is what a trace must show.
type Expect struct {
	// Calls names functions that must be entered in this order, with any others
	// in between.
	Calls []Function `yaml:"calls"`
	// Values are attributes that must be seen.
	Values []Value `yaml:"values"`
}

// A Function is what a function is called: its full name, or the last parts of it
// from a slash on ("handlers.getResourceHandler.func1"). Where versions of
// Kubernetes call it differently, it is a list of all names.
type Function []string

// UnmarshalYAML reads one name or a list of them.
func (f *Function) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(f))
	}
	*f = []string{""}
	return node.Decode(&(*f)[0])
}

// String gives the names as they stand in messages.
func (f Function) String() string { return quoted(f) }

// A Value is an attribute that some call of a function must have.
type Value struct {
	Function Function `yaml:"function"`
	// Name is the attribute's.
	Name string `yaml:"name"`
	// Value is the attribute's; "..." in it stands for any text.
	Value string `yaml:"value"`
}

// warmups returns what is sent before the traced request r.
func (r *Request) warmups() []HTTP {
	if r.Warmup == nil {
		return []HTTP{r.HTTP}
	}
	return r.Warmup
}

// changes tells whether a successful h changes what the server stores.
func (h *HTTP) changes() bool {
	reads := h.Method == "GET" || h.Method == "HEAD" || h.Method == "OPTIONS"
	return !reads && h.Status >= 200 && h.Status < 300
}
