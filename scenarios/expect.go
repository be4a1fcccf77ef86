package scenarios

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// Check tells whether a trace shows what it must: nil if it does, else what is
// missing and the nearest that was seen.
func (e *Expect) Check(seen trace.Request) error {
	if err := e.checkCalls(seen.Calls); err != nil {
		return err
	}
	for _, v := range e.Values {
		if err := v.check(seen.Calls); err != nil {
			return err
		}
	}
	return nil
}

func (e *Expect) checkCalls(calls []trace.Call) error {
	next, previous := 0, ""
	for _, want := range e.Calls {
		found := -1
		for i := next; i < len(calls); i++ {
			if isFunction(calls[i].Function, want) {
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

func missingCall(want, previous string, calls []trace.Call) error {
	for _, c := range calls {
		if isFunction(c.Function, want) {
			return fmt.Errorf("the trace has %q, but not where it was expected: after %q", want, previous)
		}
	}
	return fmt.Errorf("the trace lacks the expected call %q; the nearest that it has: %s", want, nearestFunctions(want, calls))
}

func (v *Value) check(calls []trace.Call) error {
	var seen []string
	called := false
	for _, c := range calls {
		if !isFunction(c.Function, v.Function) {
			continue
		}
		called = true
		value, has := c.Attributes[v.Name]
		if has && isValue(value, v.Value) {
			return nil
		}
		if has {
			seen = append(seen, value)
		}
	}
	switch {
	case !called:
		return missingCall(v.Function, "", calls)
	case len(seen) == 0:
		return fmt.Errorf("%q has no value %q, expected %q", v.Function, v.Name, v.Value)
	default:
		return fmt.Errorf("%q: value %q is not as expected %q; seen: %s", v.Function, v.Name, v.Value, quoted(nearest(v.Value, seen, 3)))
	}
}

// isFunction tells whether full, a function's full name, is meant by want: the
// whole name or its last parts from a slash on.
func isFunction(full, want string) bool {
	return full == want || strings.HasSuffix(full, "/"+want)
}

// isValue tells whether value is as wanted, "..." in want standing for any text.
func isValue(value, want string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, `.*`)
	return regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(value)
}

// nearestFunctions lists the functions of the calls most like the wanted one,
// by package and name: the long import paths would drown the difference.
func nearestFunctions(want string, calls []trace.Call) string {
	if len(calls) == 0 {
		return "none, the trace is empty"
	}
	var names []string
	for _, c := range calls {
		names = append(names, path.Base(c.Function))
	}
	return quoted(nearest(path.Base(want), names, 3))
}
