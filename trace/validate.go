package trace

import (
	"slices"
	"strings"
	"time"
	"unicode"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// Validate returns an error for the first field that breaks its contract. Every
// recording is validated when it is loaded or saved.
func (rec *Recording) Validate() error {
	if len(rec.Requests) == 0 {
		return message.NewError("the recording holds no request: expected at least one")
	}
	traces := make(map[string]int, len(rec.Requests))
	for i := range rec.Requests {
		r := &rec.Requests[i]
		if err := r.Validate(); err != nil {
			return message.Errorf("request %d (%s %s): %w", i+1, r.Method, r.Path, err)
		}
		if first, ok := traces[r.TraceID]; ok && (r.Cause == (Cause{}) || rec.Requests[first].Cause == (Cause{})) {
			return message.Errorf("requests %d and %d have the same trace id %q: each request needs its own", first+1, i+1, r.TraceID)
		}
		traces[r.TraceID] = i
	}
	return nil
}

// Validate returns an error for the first field that breaks its contract: a
// missing name, a malformed id, or calls that are not one tree in order of
// entry (Sort sorts them). If a call is at fault, the error names it.
func (r *Request) Validate() error {
	if _, err := oteltrace.TraceIDFromHex(r.TraceID); err != nil {
		return message.Errorf("trace id %q: expected 32 lower-case hexadecimal digits that are not all 0", r.TraceID)
	}
	if ns := r.Start.UnixNano(); !r.Start.IsZero() && (ns <= 0 || !time.Unix(0, ns).Equal(r.Start)) {
		return message.Errorf("start %s: expected a time between 1970 and 2262, or none", r.Start)
	}
	if err := printable("method", r.Method); err != nil {
		return err
	}
	if err := printable("path", r.Path); err != nil {
		return err
	}
	if c := r.Cause; c != (Cause{}) && (len(c.TraceID) != 32 || spanID(c.TraceID[:16])|spanID(c.TraceID[16:]) == 0 || spanID(c.Call) == 0) {
		return message.Errorf("cause %v: expected the trace id and the id of a call", c)
	}
	// Both checks run at the same time, because the largest recordings have
	// 300,000 calls.
	order := make(chan error, 1)
	go func() { order <- r.validateOrder() }()
	err, orderErr := r.validateCalls(), <-order
	if err != nil {
		return err
	}
	return orderErr
}

func (r *Request) validateCalls() error {
	for i := range r.Calls {
		if err := r.Calls[i].validate(i == 0); err != nil {
			return message.Errorf("%s: %w", r.describe(i), err)
		}
	}
	return nil
}

func (r *Request) validateOrder() error {
	if !r.inOrder() {
		order, err := r.entryOrder()
		if err != nil {
			return err
		}
		for i, want := range order {
			if i != want {
				return message.Errorf("%s is where %s belongs: calls are ordered by time of entry, parents before their children",
					r.describe(i), r.describe(want))
			}
		}
	}
	if start := r.Calls[0].StartNs; start != 0 {
		return message.Errorf("%s is the first call and starts at %d ns: expected 0, because all times count from it", r.describe(0), start)
	}
	return nil
}

func (c *Call) validate(root bool) error {
	if spanID(c.ID) == 0 {
		return message.Errorf("id %q: expected 16 lower-case hexadecimal digits that are not all 0", c.ID)
	}
	if err := printable("function", c.Function); err != nil {
		return err
	}
	if err := printable("process", c.Process); err != nil {
		return err
	}
	if holdsControl(c.File) {
		return message.Errorf("file %q holds a control character", c.File)
	}
	if c.DurationNs < 0 {
		return message.Errorf("it took %d ns: expected 0 or more", c.DurationNs)
	}
	for name := range c.Attributes {
		if name == "" {
			return message.NewError("it has a value without a name")
		}
		if isReserved(name, root) {
			return message.Errorf("value %q: apitrace writes this attribute itself; give the value another name in the guide", name)
		}
	}
	return nil
}

// printable returns an error for a text that cannot be printed on one line.
func printable(what, s string) error {
	if s == "" {
		return message.Errorf("the %s is empty", what)
	}
	if holdsControl(s) {
		return message.Errorf("%s %q holds a control character", what, s)
	}
	return nil
}

// spanID returns the number of a call id, or 0 for a text that is not 16
// lower-case hexadecimal digits, or has only zeros.
func spanID(id string) uint64 {
	if len(id) != 16 {
		return 0
	}
	var number uint64
	for i := range len(id) {
		digit := id[i] - '0'
		if digit > 9 {
			digit = id[i] - 'a'
			if digit > 5 {
				return 0
			}
			digit += 10
		}
		number = number<<4 | uint64(digit)
	}
	return number
}

// holdsControl reports whether a text contains a control character. Nearly all of a
// recording's hundreds of thousands of texts are printable ASCII, so it looks at eight
// bytes at a time for anything else.
func holdsControl(s string) bool {
	if len(s) < 8 {
		return strings.ContainsFunc(s, unicode.IsControl)
	}
	for i := 0; ; i = min(i+8, len(s)-8) {
		if unusual(eight(s[i : i+8])) {
			return strings.ContainsFunc(s, unicode.IsControl)
		}
		if i == len(s)-8 {
			return false
		}
	}
}

// eight returns the eight bytes of a text as one number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// unusual reports whether one of eight bytes is not printable ASCII. If all are
// printable, no byte borrows from or carries into another.
func unusual(bytes uint64) bool {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	return ((bytes-each*' ')|(bytes+each*(0x80-0x7f))|bytes)&highest != 0
}

func isReserved(attribute string, root bool) bool {
	return slices.Contains(callAttributes, attribute) || root && slices.Contains(requestAttributes, attribute)
}
