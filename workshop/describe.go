package workshop

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// describe describes a part of a test that a learner's trace failed.
func describe(t *Test) message.Message {
	switch {
	case t.Some != nil:
		return message.Of("some call %s", describeCalls(t.Some))
	case t.None != nil:
		return message.Of("no call %s", describeCalls(t.None))
	case t.Count != nil:
		return t.Count.describe()
	case t.Request != nil:
		return message.Of("a request with %s", t.Request.words())
	case t.Not != nil:
		return message.Of("not: %s", describe(t.Not))
	case len(t.InOrder) > 0:
		return describeOrder(t.InOrder)
	case len(t.Any) > 0:
		return describeAny(t.Any)
	}
	return message.Of("all of its conditions")
}

func describeAny(tests []Test) message.Message {
	all := make([]message.Message, len(tests))
	for i := range tests {
		all[i] = describe(&tests[i])
	}
	return message.Join("%s, or %s", all...)
}

func describeOrder(selections []Selection) message.Message {
	all := make([]message.Message, len(selections))
	for i := range selections {
		all[i] = message.Of("a call %s", describeCalls(&selections[i]))
	}
	return message.Join("%s, then %s", all...)
}

func (c *Count) describe() message.Message {
	calls := describeCalls(&c.Of)
	switch {
	case c.Is != nil:
		return message.Plural(*c.Is, "%d call %s", "%d calls %s", *c.Is, calls)
	case c.AtLeast != nil:
		return message.Plural(*c.AtLeast, "at least %d call %s", "at least %d calls %s", *c.AtLeast, calls)
	}
	return message.Plural(*c.AtMost, "at most %d call %s", "at most %d calls %s", *c.AtMost, calls)
}

func (r *RequestTest) words() message.Message {
	var words []message.Message
	add := func(value string, of message.Message) {
		if value != "" {
			words = append(words, of.With(value))
		}
	}
	add(r.Method, message.Of("method %s"))
	add(r.Path, message.Of("path %s"))
	add(r.Stored, message.Of("stored %s"))
	if r.Status != 0 {
		words = append(words, message.Of("status %d", r.Status))
	}
	return message.List(words)
}

// found returns a sentence with the part of the trace that fails the test: the request,
// the number of calls, or a call that must not exist. For other tests, the sentence is
// empty.
func (t *traces) found(part *Test) (message.Message, error) {
	switch {
	case part.Request != nil:
		tree, err := t.tree(part.Request.In, part.Request.Number)
		if err != nil {
			return message.Message{}, err
		}
		return message.Of(" Found: %s.", part.Request.found(tree.Request)), nil
	case part.None != nil:
		c, err := t.choose(part.None)
		if err != nil || c.first() < 0 {
			return message.Message{}, err
		}
		return message.Of(" Found: %s.", c.tree.Call(c.first()).ShortName()), nil
	case part.Count != nil:
		n, err := t.count(&part.Count.Of)
		return message.Of(" Found: %d.", n), err
	}
	return message.Message{}, nil
}

// found describes a request by its status and by the fields that r tests.
func (r *RequestTest) found(request *trace.Request) message.Message {
	has := RequestTest{Status: request.Status}
	if r.Method != "" {
		has.Method = request.Method
	}
	if r.Path != "" {
		has.Path = request.Path
	}
	if r.Stored == "" {
		return has.words()
	}
	for _, s := range request.Stored {
		has.Stored = s.Op + " " + s.Key
	}
	if has.Stored == "" {
		return message.List([]message.Message{has.words(), message.Of("stored nothing")})
	}
	return has.words()
}

// describeCalls describes the calls that a selection chooses:
// "of cacher.(*Cacher).Get in kube-apiserver".
func describeCalls(s *Selection) message.Message {
	var all []message.Message
	if len(s.Function) > 0 {
		all = append(all, message.Of("of %s", strings.Join(s.Function, " / ")))
	}
	if len(s.Layer) > 0 {
		all = append(all, message.Of("of layer %s", strings.Join(s.Layer, " / ")))
	}
	if s.Process != "" {
		all = append(all, message.Of("in %s", s.Process))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		all = append(all, message.Of("with %s=%s", name, s.Values[name]))
	}
	if s.Error != nil && *s.Error == "" {
		all = append(all, message.Of("without an error"))
	} else if s.Error != nil {
		all = append(all, message.Of("with the error %q", *s.Error))
	}
	for _, p := range s.parts() {
		if p.of != nil {
			all = append(all, relationMessages[p.field].With(describeCalls(p.of)))
		}
	}
	return message.Join("%[1]s %[2]s", all...)
}

// relationMessages describe how a call relates to another one. The keys are fields of
// Selection.
var relationMessages = map[string]message.Message{
	"of": message.Of("among the calls %s"), "not": message.Of("that is not a call %s"),
	"above": message.Of("above a call %s"), "below": message.Of("below a call %s"),
	"calls": message.Of("that makes a call %s"), "calledBy": message.Of("made by a call %s"),
	"before": message.Of("before a call %s"), "after": message.Of("after a call %s"),
}
