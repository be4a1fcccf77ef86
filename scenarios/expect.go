package scenarios

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// Check returns nil if a trace meets the expectations. Otherwise its error names the
// first unmet expectation and, if a call or a value is missing, the most similar ones.
func (e *Expect) Check(seen trace.Request) error {
	if err := e.checkCalls(seen.Calls); err != nil {
		return err
	}
	for _, f := range e.Absent {
		if i := slices.IndexFunc(seen.Calls, func(c trace.Call) bool { return f.Is(c.Function) }); i >= 0 {
			return message.Errorf("the trace has an unexpected call of %v: %s:%d", f, seen.Calls[i].File, seen.Calls[i].Line)
		}
	}
	for _, v := range e.Values {
		if err := v.check(seen.Calls); err != nil {
			return err
		}
	}
	for _, want := range e.Stored {
		if !slices.ContainsFunc(seen.Stored, want.is) {
			return message.Errorf("the request did not make the change %v in etcd; its changes: %s", want, listStored(seen.Stored))
		}
	}
	return nil
}

// is reports whether s describes key.
func (s Stored) is(key trace.StoredKey) bool {
	return s.Op == key.Op && funcname.MatchText(s.Key, key.Key) && (s.Encoding == "" || s.Encoding == key.Encoding)
}

// String returns a description for messages: `PUT /registry/secrets/default/s
// (encrypted)`.
func (s Stored) String() string {
	if s.Encoding == "" {
		return s.Op + " " + s.Key
	}
	return fmt.Sprintf("%s %s (%s)", s.Op, s.Key, s.Encoding)
}

func listStored(keys []trace.StoredKey) message.Message {
	if len(keys) == 0 {
		return message.Of("nothing")
	}
	var all []Stored
	for _, key := range keys {
		all = append(all, Stored{key.Op, key.Key, key.Encoding})
	}
	return message.List(all)
}

func (e *Expect) checkCalls(calls []trace.Call) error {
	next, previous := 0, Function(nil)
	for _, want := range e.Calls {
		found := -1
		for i := next; i < len(calls); i++ {
			if want.Is(calls[i].Function) {
				found = i
				break
			}
		}
		if found < 0 {
			return missingCall(want, previous, calls)
		}
		next, previous = found+1, want
	}
	return nil
}

func missingCall(want, previous Function, calls []trace.Call) error {
	for _, c := range calls {
		if want.Is(c.Function) {
			return message.Errorf("the trace has %v, but not where it was expected: after %v", want, previous)
		}
	}
	return message.Errorf("the trace lacks the expected call %v; the nearest call that it has: %s", want, nearestFunctions(want[0], calls))
}

func (v *Value) check(calls []trace.Call) error {
	var seen, others []string
	called := false
	for _, c := range calls {
		if !v.Function.Is(c.Function) {
			continue
		}
		called = true
		value, has := c.Attributes[v.Name]
		if has && funcname.MatchText(v.Value, value) {
			return nil
		}
		if has {
			seen = append(seen, value)
		}
		others = slices.AppendSeq(others, maps.Keys(c.Attributes))
	}
	switch {
	case !called:
		return missingCall(v.Function, nil, calls)
	case len(seen) == 0:
		return message.Errorf("%v has no value %q: expected %q; the nearest value that it has: %s", v.Function, v.Name, v.Value, firstOf(text.ByDistance(v.Name, others)))
	default:
		return message.Errorf("%v: expected the value %q to be %q; seen: %s", v.Function, v.Name, v.Value, firstOf(text.ByDistance(v.Value, seen)))
	}
}

// Is reports whether one of f's names is the full name full, or the end of full after a
// slash.
func (f Function) Is(full string) bool {
	return slices.ContainsFunc(f, func(name string) bool {
		return full == name || strings.HasSuffix(full, "/"+name)
	})
}

// nearestFunctions lists the called functions most similar to the wanted one. It ignores
// import paths, because long ones would hide the difference.
func nearestFunctions(want string, calls []trace.Call) message.Message {
	if len(calls) == 0 {
		return message.Of("none, the trace is empty")
	}
	var names []string
	for _, c := range calls {
		names = append(names, path.Base(c.Function))
	}
	return firstOf(text.ByDistance(path.Base(want), names))
}

// firstOf lists the first three names.
func firstOf(names []string) message.Message {
	if len(names) == 0 {
		return message.Of("none")
	}
	return message.Alternatives(names[:min(3, len(names))])
}
