package scenarios

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
	"github.com/kubeapitrace/apitrace/trace"
)

var validName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// validate returns the first mistake, or nil.
func (s *Scenario) validate() *strictyaml.Mistake {
	for _, validate := range []func() *strictyaml.Mistake{
		s.validateHead, s.validateReleases, s.validateServer, s.validateAggregated, s.validateWebhooks, s.validateObjects,
		s.validatePairs, s.validateBoot, s.validateStop, s.validateFollow, s.validateRequests, s.validateKept,
	} {
		if bad := validate(); bad != nil {
			return bad
		}
	}
	return nil
}

func (s *Scenario) validateHead() *strictyaml.Mistake {
	switch {
	case !validName.MatchString(s.Name):
		return strictyaml.MistakeAt(message.Of("name is %q, expected lower-case words joined by hyphens, such as \"get-node\"", s.Name), "name")
	case s.Title.En == "":
		return strictyaml.MistakeAt(message.Of("title has no English text (en): say in a few words what happens"), "title")
	case s.Varies.En == "" && len(s.Varies.Callers) > 0:
		return strictyaml.MistakeAt(message.Of("varies has no English text (en): say what differs from run to run, and why"), "varies")
	case slices.ContainsFunc(s.Varies.Callers, Function.isEmpty):
		return strictyaml.MistakeAt(message.Of("a caller has no name: expected functions that make other calls in some runs"), "varies", "callers")
	case s.Topic != "" && !slices.Contains(topics, s.Topic):
		return strictyaml.MistakeAt(message.Of("topic is %q, expected one of %s", s.Topic, message.List(topics)), "topic")
	}
	return nil
}

// validateServer returns a mistake for flags that apitrace itself sets, and for file
// names with a path. kube-apiserver reports unknown flags.
func (s *Scenario) validateServer() *strictyaml.Mistake {
	for i, flag := range s.Setup.Server.Flags {
		if err := (serverconfig.Extra{Flags: []string{flag}}).Check(); err != nil {
			return strictyaml.MistakeAt(message.Of("%v", err), "setup", "server", "flags", i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Setup.Server.Files)) {
		if name != path.Base(name) || strings.HasPrefix(name, ".") {
			return strictyaml.MistakeAt(message.Of("file name %q: expected a plain name, without a folder; flags name it as \"${dir}/name\"", name), "setup", "server", "files", name)
		}
	}
	return nil
}

// validateAggregated returns a mistake if aggregatedServer is invalid, or if the scenario
// has an aggregatedServer and traces a server's start or end. The scenarios boot and
// shutdown, with --server, trace the start and end of such a server.
func (s *Scenario) validateAggregated() *strictyaml.Mistake {
	own := s.Setup.AggregatedServer
	err := own.Check()
	switch {
	case err != nil:
		return strictyaml.MistakeAt(message.Of("%v", err), "setup", "aggregatedServer")
	case own.IsZero() && len(own.Flags) > 0:
		return strictyaml.MistakeAt(message.Of("aggregatedServer has flags and no server: name its module or its folder"), "setup", "aggregatedServer")
	case own.IsZero():
	case s.Setup.Aggregated:
		return strictyaml.MistakeAt(message.Of("the server behind the aggregator is either the sample server (aggregated) or another one (aggregatedServer)"), "setup", "aggregatedServer")
	case s.Boot != nil || s.Stop != nil:
		return strictyaml.MistakeAt(message.Of("the start and the end of a server behind the aggregator are traced by \"apitrace run boot --server %s\" and \"apitrace run shutdown --server %[1]s\"", own.Server), "setup", "aggregatedServer")
	}
	return nil
}

func (s *Scenario) validateObjects() *strictyaml.Mistake {
	for i := range s.Setup.Objects {
		if d := &s.Setup.Objects[i]; d.head.APIVersion == "" || d.head.Kind == "" || d.head.Metadata.Name == "" {
			return strictyaml.MistakeAt(message.Of("an object needs apiVersion, kind and metadata.name"), "setup", "objects", i)
		}
	}
	return nil
}

// validatePairs returns a mistake for an incomplete pair, and for a pair with a scenario
// that the library lacks.
func (s *Scenario) validatePairs() *strictyaml.Mistake {
	for i, pair := range s.Pairs {
		if pair.With == "" || pair.Teaches.En == "" {
			return strictyaml.MistakeAt(message.Of("a pair needs the name of the other scenario (with) and what it teaches"), "pairs", i)
		}
		if names := libraryNames(); !slices.Contains(names, pair.With) {
			return strictyaml.MistakeAt(message.Of("the library has no scenario %q%s", pair.With, strictyaml.Suggest(pair.With, names)), "pairs", i, "with")
		}
	}
	return nil
}

func (s *Scenario) validateBoot() *strictyaml.Mistake {
	if s.Boot == nil {
		return nil
	}
	if bad := s.Boot.validate(); bad != nil {
		return bad
	}
	if s.Boots(trace.ProcessSample) && !s.Setup.Aggregated {
		return strictyaml.MistakeAt(message.Of("the sample server starts only where the setup asks for it: say \"aggregated: true\" under setup"), "boot", "program")
	}
	return nil
}

// validateStop returns a mistake if the scenario also has a Boot, or state that nobody
// can remove after the server's end.
func (s *Scenario) validateStop() *strictyaml.Mistake {
	switch {
	case s.Stop == nil:
		return nil
	case s.Boot != nil:
		return strictyaml.MistakeAt(message.Of("a scenario traces the start of a server or its end, not both"), "stop")
	case s.OwnNamespace || s.Setup.Aggregated || len(s.Setup.Objects)+len(s.Setup.Webhooks) > 0:
		return strictyaml.MistakeAt(message.Of("a scenario that ends the server has no objects, webhooks, namespace or aggregated server: they could not be removed afterwards"), "stop")
	}
	if i := slices.IndexFunc(s.Requests, func(r Request) bool { return r.changes() }); i >= 0 {
		return strictyaml.MistakeAt(message.Of("a scenario that ends the server only reads: stored objects could not be removed afterwards"), "requests", i)
	}
	if bad := s.Stop.Expect.validate(); bad != nil {
		return bad.Below("stop")
	}
	return nil
}

func (s *Scenario) validateFollow() *strictyaml.Mistake {
	switch {
	case s.Follow == nil:
		return nil
	case s.Follow.Limit < 0:
		return strictyaml.MistakeAt(message.Of("limit is %v: expected a time such as 30s", s.Follow.Limit), "follow", "limit")
	case s.Boot != nil || s.Stop != nil || s.Setup.Aggregated || !s.Setup.AggregatedServer.IsZero():
		return strictyaml.MistakeAt(message.Of("follow traces what requests to kube-apiserver cause: it goes with no boot, no stop and no aggregated server"), "follow")
	}
	if bad := s.Follow.Expect.validate(); bad != nil {
		return bad.Below("follow")
	}
	return nil
}

func (s *Scenario) validateRequests() *strictyaml.Mistake {
	if s.Boot == nil && s.Stop == nil && !slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Traced }) {
		return strictyaml.MistakeAt(message.Of("no request is traced: give at least one \"traced: true\""), "requests")
	}
	for i := range s.Requests {
		if bad := s.Requests[i].validate(); bad != nil {
			return bad.Below("requests", i)
		}
	}
	return nil
}

// validateWebhooks returns a mistake if a webhook is invalid, if two webhooks have the
// same name, or if a request names an unknown webhook.
func (s *Scenario) validateWebhooks() *strictyaml.Mistake {
	known := map[string]bool{"": true}
	for i := range s.Setup.Webhooks {
		w := &s.Setup.Webhooks[i]
		bad := w.validate()
		if bad == nil && known[w.Name] {
			bad = strictyaml.MistakeAt(message.Of("there are two webhooks %q", w.Name), "name")
		}
		if bad != nil {
			return bad.Below("setup", "webhooks", i)
		}
		known[w.Name] = true
	}
	for i := range s.Requests {
		for _, h := range s.Requests[i].all() {
			if !known[h.Asks] {
				return strictyaml.MistakeAt(unknownWebhook(h.Asks, known), "requests", i, "asks")
			}
		}
	}
	return nil
}

// unknownWebhook returns the message about an unknown webhook, with a suggestion from the
// known names.
func unknownWebhook(name string, known map[string]bool) message.Message {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(known string) bool { return known == "" })
	text := message.Of("there is no webhook %q", name)
	if len(names) == 0 {
		return message.Of("%s: list it under setup.webhooks", text)
	}
	return message.Of("%s%s", text, strictyaml.Suggest(name, names))
}

// bootable are the values of Boot.Program.
var bootable = []string{trace.ProcessAPIServer, trace.ProcessSample}

func (b *Boot) validate() *strictyaml.Mistake {
	if !slices.Contains(bootable, b.Program) {
		return strictyaml.MistakeAt(message.Of("program is %q, expected %s", b.Program, message.Alternatives(bootable)), "boot", "program")
	}
	if bad := b.Expect.validate(); bad != nil {
		return bad.Below("boot")
	}
	return nil
}

func (r *Request) validate() *strictyaml.Mistake {
	if bad := r.HTTP.validate(); bad != nil {
		return bad
	}
	if !r.Traced && (r.Warmup != nil || !r.Expect.isEmpty()) {
		return strictyaml.MistakeAt(message.Of("only a request with \"traced: true\" can have warmup or expect"))
	}
	if r.LeaveOpen && (r.Traced || r.Await != 0 || r.Asks == "" || r.isWatch()) {
		return strictyaml.MistakeAt(message.Of("leaveOpen is for a request that is neither traced nor awaited nor a watch, and that asks a webhook: the next request follows when the webhook has been called"), "leaveOpen")
	}
	if r.Traced && r.Await != 0 {
		return strictyaml.MistakeAt(message.Of("a traced request is sent once: await belongs to a request before it, or to its warm-up"), "await")
	}
	if r.Traced && r.Warmup == nil && r.changes() {
		return strictyaml.MistakeAt(message.Of("a traced %s that succeeds cannot be its own warm-up: list under warmup the same change to another object, or the change and its reversal, or \"warmup: []\" for none", r.Method))
	}
	if r.Traced && r.Warmup == nil && r.isWatch() {
		return strictyaml.MistakeAt(message.Of("a watch cannot be its own warm-up: the requests during it change objects, and their events come once. List another watch under warmup, or \"warmup: []\" for none"))
	}
	for i := range r.Warmup {
		bad := r.Warmup[i].validate()
		if bad == nil && slices.ContainsFunc(r.Warmup[i].During, func(d Request) bool { return d.Traced }) {
			bad = strictyaml.MistakeAt(message.Of("a request of a warm-up cannot be traced"), "during")
		}
		if bad != nil {
			return bad.Below("warmup", i)
		}
	}
	if !r.Traced && slices.ContainsFunc(r.During, func(d Request) bool { return d.Traced }) {
		return strictyaml.MistakeAt(message.Of("a request during a watch can be traced only if the watch is: give the watch \"traced: true\""), "during")
	}
	return r.Expect.validate()
}

// validateDuring validates a request during a watch.
func (r *Request) validateDuring() *strictyaml.Mistake {
	if bad := r.HTTP.validate(); bad != nil {
		return bad
	}
	switch {
	case r.LeaveOpen:
		return strictyaml.MistakeAt(message.Of("a request during a watch cannot be left open"), "leaveOpen")
	case r.Warmup != nil:
		return strictyaml.MistakeAt(message.Of("a request during a watch has no warm-up of its own: the warm-up of the watch must send the same request"), "warmup")
	case r.Traced && r.isWatch():
		return strictyaml.MistakeAt(message.Of("a watch within a watch cannot be traced"), "traced")
	case r.Traced && r.Await != 0:
		return strictyaml.MistakeAt(message.Of("a traced request is sent once, so that it cannot await anything"), "await")
	case !r.Traced && !r.Expect.isEmpty():
		return strictyaml.MistakeAt(message.Of("only a request with \"traced: true\" can have expect"))
	}
	return r.Expect.validate()
}

func (e *Expect) validate() *strictyaml.Mistake {
	for i, v := range e.Values {
		if v.Function.isEmpty() || v.Name == "" || v.Value == "" {
			return strictyaml.MistakeAt(message.Of("an expected value needs a function, the name of an attribute, and its value (\"...\" is any text)"), "expect", "values", i)
		}
	}
	for i, s := range e.Stored {
		if bad := s.validate(); !bad.IsZero() {
			return strictyaml.MistakeAt(bad, "expect", "stored", i)
		}
	}
	if i := slices.IndexFunc(e.Calls, Function.isEmpty); i >= 0 {
		return strictyaml.MistakeAt(message.Of("an expected call has no name"), "expect", "calls", i)
	}
	if i := slices.IndexFunc(e.Absent, Function.isEmpty); i >= 0 {
		return strictyaml.MistakeAt(message.Of("a function under absent has no name"), "expect", "absent", i)
	}
	return nil
}

func (e *Expect) isEmpty() bool { return len(e.Calls)+len(e.Absent)+len(e.Values)+len(e.Stored) == 0 }

// encodings are the values of Stored.Encoding, except "".
var encodings = []string{"protobuf", "json", "encrypted"}

func (s Stored) validate() message.Message {
	switch {
	case s.Op != "PUT" && s.Op != "DELETE":
		return message.Of("op is %q, expected \"PUT\" or \"DELETE\"", s.Op)
	case !strings.HasPrefix(s.Key, "/"):
		return message.Of("key is %q, expected a key of etcd such as \"/registry/pods/default/web\"", s.Key)
	case s.Encoding != "" && !slices.Contains(encodings, s.Encoding):
		return message.Of("encoding is %q, expected %s", s.Encoding, message.Alternatives(encodings))
	}
	return message.Message{}
}

// isEmpty reports whether the function has no name, or an empty one.
func (f Function) isEmpty() bool { return len(f) == 0 || slices.Contains(f, "") }

// askers are the values of HTTP.As.
var askers = []string{Learner, Admin, Anonymous, Stranger}

// methods are the methods that kube-apiserver serves.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// eventTypes are the types of a watch's events.
var eventTypes = []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}

func (h *HTTP) validate() *strictyaml.Mistake {
	switch {
	case !slices.Contains(methods, h.Method):
		return strictyaml.MistakeAt(message.Of("method is %q, expected one of %s", h.Method, message.List(methods)), "method")
	case !strings.HasPrefix(h.Path, "/"):
		return strictyaml.MistakeAt(message.Of("path is %q, expected a URL path such as \"/api/v1/nodes/n1\"", h.Path), "path")
	case len(h.Status) == 0:
		return strictyaml.MistakeAt(message.Of("there is no status, expected the HTTP status code that the answer must have, 200 to 599, or a list of them"), "status")
	case slices.ContainsFunc(h.Status, func(code int) bool { return code < 200 || code > 599 }):
		return strictyaml.MistakeAt(message.Of("status is %s, expected the HTTP status code that the answer must have, 200 to 599, or a list of them", h.Status), "status")
	case h.As != "" && !slices.Contains(askers, h.As):
		return strictyaml.MistakeAt(message.Of("as is %q, expected %s", h.As, message.Alternatives(askers)), "as")
	case h.Stays && h.Method != "DELETE":
		return strictyaml.MistakeAt(message.Of("stays is for a deletion, but method is %q", h.Method), "stays")
	case h.Timeout < 0 || h.HangUp < 0 || h.Await < 0:
		return strictyaml.MistakeAt(message.Of("timeout, hangUp and await cannot be negative: expected times such as 3s"))
	case h.Has != nil && h.Await == 0:
		return strictyaml.MistakeAt(message.Of("has says which answer to wait for: give the request \"await: true\", too"), "has")
	case h.BodyFile != "" && h.Body != nil:
		return strictyaml.MistakeAt(message.Of("both body and bodyFile are given, expected one of them"), "bodyFile")
	case h.BodyText != "" && (h.Body != nil || h.BodyFile != ""):
		return strictyaml.MistakeAt(message.Of("both bodyText and another body are given, expected one of them"), "bodyText")
	}
	if i := slices.IndexFunc(h.Events, func(e string) bool { return !slices.Contains(eventTypes, e) }); i >= 0 {
		return strictyaml.MistakeAt(message.Of("event is %q, expected %s", h.Events[i], message.Alternatives(eventTypes)), "events", i)
	}
	for i := range h.During {
		if bad := h.During[i].validateDuring(); bad != nil {
			return bad.Below("during", i)
		}
	}
	return nil
}
