// Package scenarios has the scenarios, which are requests worth tracing and the state
// that they need, and the player that replays them against a kube-apiserver.
//
// A scenario is a YAML file. Those of apitrace are in the folder library; users can
// write their own. schema.json describes the format for editors, but parse decides.
package scenarios

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// A Scenario is a named, replayable sequence of requests with the state it needs.
type Scenario struct {
	// Name is the name that users type: lower-case words joined by hyphens.
	Name string `yaml:"name"`
	// Topic groups the scenario in lists; one of topics. Empty for a user's scenario.
	Topic string `yaml:"topic"`
	// Title describes in a few words what happens.
	Title message.Text `yaml:"title"`
	// Description describes in a few sentences the requests and the state.
	Description message.Text `yaml:"description"`
	// Teaches says what a reader can learn from the trace.
	Teaches message.Text `yaml:"teaches"`
	// Varies says what in the trace may differ from run to run, and why. Without it
	// every run gives the same names and nesting.
	Varies message.Text `yaml:"varies"`
	// Releases are the releases that can run the scenario.
	Releases release.Range `yaml:",inline"`
	// Setup is the state that must be there before the first request.
	Setup Setup `yaml:"setup"`
	// Boot makes the scenario trace the start of a server. If nil, it traces requests.
	Boot *Boot `yaml:"boot"`
	// Stop makes the scenario trace the end of a server: the Requests are sent when it has been asked to end.
	Stop *Stop `yaml:"stop"`
	// Requests are sent in this order.
	Requests []Request `yaml:"requests"`
	// Pairs are other scenarios of the library that are worth comparing with this one.
	Pairs []Pair `yaml:"pairs"`
	// OwnNamespace asks for a namespace that is called as the scenario is: its file has "${namespace}".
	OwnNamespace bool `yaml:"-"`
	// Source is the text of the file.
	Source string `yaml:"-"`
}

// topics lists the values of Scenario.Topic in the order in which they are shown.
var topics = []string{"boot", "reads", "writes", "access", "admission", "watch", "extensions"}

var topicTitles = map[string]message.Message{
	"boot":       message.Of("boot"),
	"reads":      message.Of("reads"),
	"writes":     message.Of("writes"),
	"access":     message.Of("access"),
	"admission":  message.Of("admission"),
	"watch":      message.Of("watch"),
	"extensions": message.Of("extensions"),
}

// TopicTitle returns the title of a topic in lists.
func TopicTitle(topic string) message.Message { return topicTitles[topic] }

// A Pair names a scenario whose trace differs from this one's in a way that teaches something.
type Pair struct {
	// With is the other scenario's name.
	With string `yaml:"with"`
	// Teaches says what to look at.
	Teaches message.Text `yaml:"teaches"`
}

// A Boot is the start of a program, traced from its first moment until clients can work.
// Whoever plays the scenario starts a server for it and collects the trace.
type Boot struct {
	// Program is the name of the traced program: "kube-apiserver", or "sample-apiserver",
	// which is the aggregated server of the setup.
	Program string `yaml:"program"`
	// Expect is what the trace must show for the run to count as right.
	Expect Expect `yaml:"expect"`
}

// A Stop is the end of kube-apiserver, traced from the signal until nothing is left but the connection of a watch that the
// player holds open: the server waits for it.
type Stop struct {
	// Expect is what the trace must show for the run to count as right.
	Expect Expect `yaml:"expect"`
}

// Boots reports whether the scenario traces the start of the program.
func (s *Scenario) Boots(program string) bool { return s.Boot != nil && s.Boot.Program == program }

// A Setup is the state that a scenario needs.
type Setup struct {
	// Objects are created in this order by the administrator, and deleted at the end
	// of the scenario. They include the rights of users, as RBAC objects whose subject
	// is the user "learner", or another user who is impersonated.
	Objects []Document `yaml:"objects"`
	// Webhooks are served by the player; an object registers each with the server.
	Webhooks []Webhook `yaml:"webhooks"`
	// Aggregated asks for upstream's sample API server behind the aggregator: it serves
	// wardle.example.com/v1alpha1 and v1beta1. Whoever plays the scenario starts it.
	Aggregated bool `yaml:"aggregated"`
	// AggregatedServer is another API server behind the aggregator, which the caller of the player starts; the zero value is
	// none. Its folder is relative to the working directory, in the file to that of the file.
	AggregatedServer serverconfig.Own `yaml:"aggregatedServer"`
	// Server are additional settings of kube-apiserver that the scenario needs. The caller of the
	// player starts such a server; the zero value accepts any server.
	Server serverconfig.Extra `yaml:"server"`
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
	at     string // its place: "mine.yaml:7"
}

// An HTTP is a request as it goes over the wire, and the answer it must get.
type HTTP struct {
	Method string `yaml:"method"`
	// Path is the URL path with its query.
	Path string `yaml:"path"`
	// Status is the status code that the answer must have. Files always have it; 0, in a request
	// from elsewhere, accepts any.
	Status int `yaml:"status"`
	// As is the user: Learner (the default), Admin, Anonymous or Stranger.
	As string `yaml:"as"`
	// Headers are sent besides, or instead of, "Accept: application/json" and,
	// with a body, "Content-Type: application/json".
	Headers map[string]string `yaml:"headers"`
	// Body is written as YAML and sent as JSON.
	Body *Document `yaml:"body"`
	// BodyFile names a file with the body, YAML or JSON, relative to the
	// scenario's file. parse reads it into Body.
	BodyFile string `yaml:"bodyFile"`
	// Keep keeps values of the answer for later requests: by name, the place of the
	// value in the answer ("metadata.continue"). A later Path or Body refers to it by
	// "${name}".
	Keep map[string]string `yaml:"keep"`
	// Await repeats the request until it is answered with Status: the server
	// learns of some objects through a watch, and acts upon them only then.
	Await bool `yaml:"await"`
	// Asks names a webhook of the setup that the server must have asked before it answered.
	// With Await, the request is repeated until it has.
	Asks string `yaml:"asks"`
	// During makes the request a watch: these are sent while its answer goes on, each when the event of
	// the one before has come. After the last event the connection is closed. Those of a traced watch
	// may be traced themselves; the watch's warm-up is theirs, too.
	During []Request `yaml:"during"`
	// Unseen is set for a request of During that causes no event of the watch.
	Unseen bool `yaml:"unseen"`
	// Events makes the request a watch as well: after those of During, it must see events of these types,
	// in order: "ADDED", "MODIFIED", "DELETED", "BOOKMARK".
	Events []string `yaml:"events"`
	// Stays is set for a DELETE that only marks the object as deleted.
	Stays bool `yaml:"stays"`
	// usual is the Status that AnyAnswer has taken from an awaited request.
	usual int
}

// The users that send requests.
const (
	// Learner is an ordinary user: it may only do what RBAC objects allow.
	Learner = "learner"
	// Admin is in the group system:masters: it may do everything.
	Admin = "admin"
	// Anonymous shows no credentials.
	Anonymous = "anonymous"
	// Stranger shows a token that the server does not know.
	Stranger = "stranger"
)

// An Expect has the expectations of a trace.
type Expect struct {
	// Calls names functions that must be entered in this order, with any others
	// in between.
	Calls []Function `yaml:"calls"`
	// Absent names functions that must not be called.
	Absent []Function `yaml:"absent"`
	// Values are attributes that must be seen.
	Values []Value `yaml:"values"`
	// Stored are keys that the request must have changed in etcd, among others.
	Stored []Stored `yaml:"stored"`
}

// A Stored is a change of etcd.
type Stored struct {
	// Op is "PUT" or "DELETE".
	Op string `yaml:"op"`
	// Key is the key in etcd; "..." in it stands for any text.
	Key string `yaml:"key"`
	// Encoding is "protobuf", "json" or "encrypted", or empty for any.
	Encoding string `yaml:"encoding"`
}

// A Function is the name of a function: its full name, or the end of it from a slash on
// ("handlers.getResourceHandler.func1"). If its name differs between versions of
// Kubernetes, it is a list of all names.
type Function []string

// UnmarshalYAML reads one name or a list of them.
func (f *Function) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(f))
	}
	*f = []string{""}
	return node.Decode(&(*f)[0])
}

// String returns the names for messages.
func (f Function) String() string { return message.Alternatives(f).String() }

// Localize returns the names in the printer's language.
func (f Function) Localize(p message.Printer) string { return message.Alternatives(f).Localize(p) }

// A Value is an attribute that some call of a function must have.
type Value struct {
	Function Function `yaml:"function"`
	// Name is the attribute's.
	Name string `yaml:"name"`
	// Value is the value of the attribute; "..." in it stands for any text.
	Value string `yaml:"value"`
}

// Traced lists the traced requests, in the order in which Player.Play passes them to after: requests that are
// sent during a watch come after the watch.
func (s *Scenario) Traced() []*Request {
	var traced []*Request
	for i := range s.Requests {
		r := &s.Requests[i]
		if !r.Traced {
			continue
		}
		traced = append(traced, r)
		for j := range r.During {
			if r.During[j].Traced {
				traced = append(traced, &r.During[j])
			}
		}
	}
	return traced
}

// AnyAnswer returns a copy of the scenario that takes any answer to its requests, warm-ups
// included: for a server that may behave otherwise than upstream's. An awaited request is repeated for some seconds
// until it has the answer of upstream's server.
func (s *Scenario) AnyAnswer() *Scenario {
	free := *s
	free.Requests = slices.Clone(s.Requests)
	for i := range free.Requests {
		r := &free.Requests[i]
		if r.Await {
			r.usual = r.Status
		}
		r.Status = 0
		r.Warmup = slices.Clone(r.Warmup)
		for j := range r.Warmup {
			r.Warmup[j].Status = 0
		}
	}
	return &free
}

// warmups returns the requests to send before the traced request r.
func (r *Request) warmups() []HTTP {
	if r.Warmup == nil {
		return []HTTP{r.HTTP}
	}
	return r.Warmup
}

// isWatch reports whether the answer continues until the player hangs up.
func (h *HTTP) isWatch() bool { return len(h.During)+len(h.Events) > 0 }

// withDuring lists h and the requests that are sent while it lasts.
func (h *HTTP) withDuring() []*HTTP {
	all := []*HTTP{h}
	for i := range h.During {
		all = append(all, h.During[i].HTTP.withDuring()...)
	}
	return all
}

// asker returns the user that sends the request.
func (h *HTTP) asker() string {
	if h.As == "" {
		return Learner
	}
	return h.As
}

// all lists the requests that are sent for r, in order.
func (r *Request) all() []*HTTP {
	var all []*HTTP
	for i := range r.Warmup {
		all = append(all, r.Warmup[i].withDuring()...)
	}
	return append(all, r.HTTP.withDuring()...)
}

// changes reports whether h, if successful, changes stored objects.
func (h *HTTP) changes() bool {
	reads := h.Method == "GET" || h.Method == "HEAD" || h.Method == "OPTIONS" || strings.Contains(h.Path, "dryRun=All")
	return !reads && h.Status >= 200 && h.Status < 300
}
