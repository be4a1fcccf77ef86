// Package scenarios has the scenarios and the player that replays them against a
// kube-apiserver. A scenario is a sequence of requests worth tracing, with the state that
// they need. The player's caller starts the servers and collects the traces.
//
// A scenario is a YAML file. The folder library has apitrace's own, and users can
// write their own. schema.json describes the format for editors, but parse decides
// whether a file is valid.
package scenarios

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// A Scenario is a replayable sequence of requests with the state that it needs.
type Scenario struct {
	// Name is for typing: lower-case words joined by hyphens.
	Name string `yaml:"name"`
	// Topic groups scenarios in lists: one of topics, or "" for a user's scenario.
	Topic string `yaml:"topic"`
	// Title says in a few words what happens.
	Title message.Text `yaml:"title"`
	// Description describes the requests and the state in a few sentences.
	Description message.Text `yaml:"description"`
	// Teaches describes the lesson of the trace.
	Teaches message.Text `yaml:"teaches"`
	// Varies describes the parts of the trace that may differ from run to run, and why.
	// Without Varies, every run has the same calls with the same nesting.
	Varies Varying `yaml:"varies"`
	// Releases are the releases that can run the scenario.
	Releases release.Range `yaml:",inline"`
	// Setup is the state before the first request.
	Setup Setup `yaml:"setup"`
	// Boot makes the scenario trace a server's start, if not nil.
	Boot *Boot `yaml:"boot"`
	// Stop makes the scenario trace a server's end. The Requests are sent after the
	// server was asked to end.
	Stop *Stop `yaml:"stop"`
	// Requests are sent in this order.
	Requests []Request `yaml:"requests"`
	// Follow makes the scenario also trace what its traced requests cause in
	// kube-controller-manager, kube-scheduler and a kubelet, if not nil. The player's
	// caller runs these beside kube-apiserver, and follows.
	Follow *Follow `yaml:"follow"`
	// Pairs are other scenarios of the library worth comparing with this one.
	Pairs []Pair `yaml:"pairs"`
	// OwnNamespace is set if the file, or the file of a body, contains "${namespace}".
	// The scenario then has a namespace with its own name.
	OwnNamespace bool `yaml:"-"`
	// Source is the text of the file.
	Source string `yaml:"-"`
	// Lenient is set by AnyAnswer and AnyTracedAnswer: traces need not meet the
	// expectations.
	Lenient bool `yaml:"-"`
}

// A Varying describes how a trace differs from run to run.
type Varying struct {
	message.Text `yaml:",inline"`
	// Callers are functions that make other calls in some runs.
	Callers []Function `yaml:"callers"`
}

// topics lists the values of Scenario.Topic in display order.
var topics = []string{"boot", "reads", "writes", "access", "admission", "watch", "extensions", "cluster"}

var topicTitles = map[string]message.Message{
	"boot":       message.Of("boot"),
	"reads":      message.Of("reads"),
	"writes":     message.Of("writes"),
	"access":     message.Of("access"),
	"admission":  message.Of("admission"),
	"watch":      message.Of("watch"),
	"extensions": message.Of("extensions"),
	"cluster":    message.Of("control plane"),
}

// TopicTitle returns the title of a topic in lists.
func TopicTitle(topic string) message.Message { return topicTitles[topic] }

// A Pair names another scenario, which differs in an instructive way.
type Pair struct {
	// With is the other scenario's name.
	With string `yaml:"with"`
	// Teaches describes the difference to look at.
	Teaches message.Text `yaml:"teaches"`
}

// A Boot is the start of a program, traced from its first moment until clients can work.
// The player's caller starts a server for it and collects the trace.
type Boot struct {
	// Program is the traced program: "kube-apiserver", or "sample-apiserver" for the
	// aggregated server of the setup.
	Program string `yaml:"program"`
	// Expect must hold for the run to succeed.
	Expect Expect `yaml:"expect"`
}

// A Stop is the end of kube-apiserver. The trace begins with the signal to end. It ends
// when the server only waits for one watch, which the player keeps open.
type Stop struct {
	// Expect must hold for the run to succeed.
	Expect Expect `yaml:"expect"`
}

// A Follow says how to trace what requests cause in a control plane.
type Follow struct {
	// Limit is how long the requests may cause work. 0 means a minute.
	Limit time.Duration `yaml:"limit"`
	// Expect must hold for the run to succeed. Its calls are looked for in all that was
	// caused, in the order of time.
	Expect Expect `yaml:"expect"`
}

// Boots reports whether the scenario traces the program's start.
func (s *Scenario) Boots(program string) bool { return s.Boot != nil && s.Boot.Program == program }

// A Setup is the state that a scenario needs.
type Setup struct {
	// Objects are created in this order by the administrator, and deleted at the end.
	// They include users' rights: RBAC objects for "learner" or an impersonated user.
	Objects []Document `yaml:"objects"`
	// Webhooks are served by the player. An object of the setup registers each one.
	Webhooks []Webhook `yaml:"webhooks"`
	// Aggregated requires upstream's sample API server behind the aggregator, with
	// wardle.example.com/v1alpha1 and v1beta1. The player's caller starts it.
	Aggregated bool `yaml:"aggregated"`
	// AggregatedServer is another API server behind the aggregator, or zero. The player's
	// caller starts it. Its folder is relative to the working directory; in the file, it
	// is relative to the file's folder.
	AggregatedServer serverconfig.Own `yaml:"aggregatedServer"`
	// Server has additional settings of kube-apiserver, which the player's caller starts.
	// The zero value accepts any server.
	Server serverconfig.Extra `yaml:"server"`
}

// A Request is one step of a scenario.
type Request struct {
	HTTP `yaml:",inline"`
	// Traced is set if this request is to be traced.
	Traced bool `yaml:"traced"`
	// Warmup is sent, untraced, right before a traced request, so that the trace does not
	// depend on caches. If it is left out, the request itself is sent. An empty list
	// sends nothing. A request that changes something needs a Warmup: the same change to
	// another object, or the change and its reversal.
	Warmup []HTTP `yaml:"warmup"`
	// LeaveOpen sends the request without waiting for an answer. The next request follows
	// once the webhook of Asks has been called. The Status is not checked. After the last
	// request, the player cancels the open ones.
	LeaveOpen bool `yaml:"leaveOpen"`
	// Expect must hold for the run to succeed.
	Expect Expect `yaml:"expect"`
	at     string // its place: "mine.yaml:7"
}

// An HTTP is a request with the expected answer.
type HTTP struct {
	Method string `yaml:"method"`
	// Path is the URL path with its query.
	Path string `yaml:"path"`
	// Status has the answer's allowed status codes. Files always have it. In other
	// requests, an empty Status allows any.
	Status Statuses `yaml:"status"`
	// As is the user: Learner (the default), Admin, Anonymous or Stranger.
	As string `yaml:"as"`
	// Headers replace or extend "Accept: application/json" and, with a body,
	// "Content-Type: application/json".
	Headers map[string]string `yaml:"headers"`
	// Body is written as YAML and sent as JSON.
	Body *Document `yaml:"body"`
	// BodyFile names a file with the body, YAML or JSON, relative to the scenario's file.
	// parse reads it into Body.
	BodyFile string `yaml:"bodyFile"`
	// BodyText is a body to send unchanged, even an invalid one. parse puts it into Body.
	BodyText string `yaml:"bodyText"`
	// Keep keeps values of the answer for later requests. It maps a name to the value's
	// place in the answer ("metadata.continue", "items.0.metadata.name"). In a later Path,
	// header or Body, the value replaces "${name}".
	Keep map[string]string `yaml:"keep"`
	// Await repeats the request until the answer has the Status. The server may need some
	// time, for example if it learns of an object through a watch.
	Await Wait `yaml:"await"`
	// Has are values that the awaited answer must have. It maps a place in the answer, as in
	// Keep, to the value. A value that is not a string is written as JSON, and a missing one
	// as "".
	Has map[string]string `yaml:"has"`
	// Asks names a webhook of the setup that the server must call before it answers. With
	// Await, the request is repeated until then.
	Asks string `yaml:"asks"`
	// During makes the request a watch. The requests of During are sent while the answer
	// continues, each after the event of the previous one. After the last event, the
	// player closes the connection. In a traced watch, these requests may be traced, too.
	// They have no warm-up: the watch's warm-up must send the same requests.
	During []Request `yaml:"during"`
	// Unseen is set for a request of During that causes no event in the watch.
	Unseen bool `yaml:"unseen"`
	// Events also makes the request a watch. After the events of During, the watch must
	// see events of these types, in order: "ADDED", "MODIFIED", "DELETED", "BOOKMARK".
	Events []string `yaml:"events"`
	// HangUp also makes the request a watch. After the events of During and Events, the
	// watch must see no event for this time. Then the player closes the connection.
	HangUp time.Duration `yaml:"hangUp"`
	// Timeout limits the time until the answer is complete. HangUp is added to it. 0
	// means answerTimeout.
	Timeout time.Duration `yaml:"timeout"`
	// Stays is set for a DELETE that only marks the object as deleted.
	Stays bool `yaml:"stays"`
	// lenient is set by AnyAnswer and AnyTracedAnswer: any status is allowed.
	lenient bool
}

// These are the users that send requests.
const (
	// Learner is an ordinary user with only the rights of RBAC objects.
	Learner = "learner"
	// Admin is in system:masters and may do everything.
	Admin = "admin"
	// Anonymous sends no credentials.
	Anonymous = "anonymous"
	// Stranger sends an unknown token.
	Stranger = "stranger"
)

// An Expect has the expectations of a trace.
type Expect struct {
	// Calls names functions that must be entered in this order, among others.
	Calls []Function `yaml:"calls"`
	// Absent names functions that must not be called.
	Absent []Function `yaml:"absent"`
	// Values are attributes that the trace must contain.
	Values []Value `yaml:"values"`
	// Stored are changes that the request must make in etcd, among others.
	Stored []Stored `yaml:"stored"`
}

// A Stored is a change of etcd.
type Stored struct {
	// Op is "PUT" or "DELETE".
	Op string `yaml:"op"`
	// Key is the key in etcd; "..." stands for any text.
	Key string `yaml:"key"`
	// Encoding is "protobuf", "json", "encrypted", or empty for any.
	Encoding string `yaml:"encoding"`
}

// Statuses are status codes. A file has one or a list.
type Statuses []int

// UnmarshalYAML reads one code or a list of codes.
func (s *Statuses) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]int)(s))
	}
	*s = []int{0}
	return node.Decode(&(*s)[0])
}

// String returns the codes for messages: "400 or 403".
func (s Statuses) String() string { return s.text().String() }

// Localize returns the codes in the printer's language.
func (s Statuses) Localize(p message.Printer) string { return s.text().Localize(p) }

func (s Statuses) text() message.Message {
	var codes []string
	for _, code := range s {
		codes = append(codes, strconv.Itoa(code))
	}
	if len(codes) < 2 {
		return message.List(codes)
	}
	last := len(codes) - 1
	return message.Of("%s or %s", message.List(codes[:last]), codes[last])
}

// allow reports whether an answer may have the code.
func (s Statuses) allow(code int) bool { return len(s) == 0 || slices.Contains(s, code) }

// A Wait is how long to wait for an answer. A file has "true" for pollTimeout, or a time.
// 0 means no wait.
type Wait time.Duration

// UnmarshalYAML reads true, false, or a time.
func (w *Wait) UnmarshalYAML(node *yaml.Node) error {
	var usual bool
	if node.Decode(&usual) != nil {
		return node.Decode((*time.Duration)(w))
	}
	if usual {
		*w = Wait(pollTimeout)
	}
	return nil
}

// A Function is a function's full name, or its end after a slash
// ("handlers.getResourceHandler.func1"). If the name differs between versions of
// Kubernetes, the Function lists all names.
type Function []string

// UnmarshalYAML reads one name or a list of names.
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
	// Name is the name of the attribute.
	Name string `yaml:"name"`
	// Value is the attribute's value; "..." stands for any text.
	Value string `yaml:"value"`
}

// Traced lists the traced requests, in the order in which Player.Play calls after.
// Requests sent during a watch come after the watch.
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

// Sends lists the traced requests by method and path, each once.
func (s *Scenario) Sends() []string {
	sends := []string{}
	for _, r := range s.Traced() {
		if line := r.Method + " " + r.Path; !slices.Contains(sends, line) {
			sends = append(sends, line)
		}
	}
	return sends
}

// AnyAnswer returns a copy of the scenario that accepts any answer to its requests and
// warm-ups, for a server that may behave differently. The player still waits for the
// answers of Await, and until the caches have changes, but only for usualTimeout.
func (s *Scenario) AnyAnswer() *Scenario {
	return s.lenient(func(*Request) bool { return true })
}

// AnyTracedAnswer is AnyAnswer for the traced requests and their warm-ups only. It is for
// comparing two servers that begin with the same state but may answer differently.
func (s *Scenario) AnyTracedAnswer() *Scenario {
	return s.lenient(func(r *Request) bool { return r.Traced })
}

// lenient returns a copy that accepts any trace, and any answer to the requests for which
// chosen returns true.
func (s *Scenario) lenient(chosen func(*Request) bool) *Scenario {
	free := *s
	free.Lenient = true
	free.Requests = slices.Clone(s.Requests)
	for i := range free.Requests {
		r := &free.Requests[i]
		if !chosen(r) {
			continue
		}
		r.HTTP = r.HTTP.anyAnswer()
		r.Warmup = slices.Clone(r.Warmup)
		for j := range r.Warmup {
			r.Warmup[j] = r.Warmup[j].anyAnswer()
		}
	}
	return &free
}

// anyAnswer returns a copy of h that accepts any answer, also to the requests of During.
func (h HTTP) anyAnswer() HTTP {
	h.lenient = true
	h.During = slices.Clone(h.During)
	for i := range h.During {
		h.During[i].HTTP = h.During[i].HTTP.anyAnswer()
	}
	return h
}

// expected returns the allowed statuses; none means any.
func (h *HTTP) expected() Statuses {
	if h.lenient {
		return nil
	}
	return h.Status
}

// warmups returns the requests to send before r.
func (r *Request) warmups() []HTTP {
	if r.Warmup == nil {
		return []HTTP{r.HTTP}
	}
	return r.Warmup
}

// isWatch reports whether the answer continues until the player hangs up.
func (h *HTTP) isWatch() bool { return len(h.During)+len(h.Events) > 0 || h.HangUp > 0 }

// limit returns the time until the answer must be complete.
func (h *HTTP) limit() time.Duration { return cmp.Or(h.Timeout, answerTimeout) + h.HangUp }

// withDuring lists h and the requests during it.
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
	return !reads && slices.ContainsFunc(h.Status, succeeded)
}

func succeeded(code int) bool { return code >= 200 && code < 300 }
