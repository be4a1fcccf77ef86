package trace

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An otlpScanner reads OTLP JSON span by span, so that a large recording is never
// in memory twice. It reads OTLP's JSON as specified, and skips unknown fields.
// The Collector's own reader builds a whole request first. For 100,000 calls, that
// reader takes three times the time and memory.
type otlpScanner struct {
	// known holds one copy of each frequent string.
	known map[string]string
	// resource is called for each resource, and span for each span. A span is
	// valid until the next call.
	resource func(otlpAttributes) error
	span     func(process string, span *otlpSpan) error

	next otlpSpan
}

// An otlpSpan has the fields of a span that a recording needs.
type otlpSpan struct {
	traceID, spanID, parentID string // parentID is "" for a first span
	name                      string
	start, end                int64
	failed                    bool   // from its status
	message                   string // from its status
	attributes                otlpAttributes
	events                    []otlpEvent
}

type otlpEvent struct {
	name       string
	attributes otlpAttributes
}

// An otlpAttribute is an attribute. text is its value as text, whatever its type.
type otlpAttribute struct {
	key, text        string
	isText, isNumber bool
	truth            bool
	number           int64
	texts            []string
}

// ifText returns the value if it is a text, else "".
func (a *otlpAttribute) ifText() string {
	if a.isText {
		return a.text
	}
	return ""
}

type otlpAttributes []otlpAttribute

func (as otlpAttributes) get(key attribute.Key) *otlpAttribute {
	for i := range as {
		if as[i].key == string(key) {
			return &as[i]
		}
	}
	return nil
}

// text, texts and integer return an attribute's value. They return the zero value
// if there is no such attribute, or if its value has another type.

func (as otlpAttributes) text(key attribute.Key) string {
	if a := as.get(key); a != nil {
		return a.ifText()
	}
	return ""
}

func (as otlpAttributes) texts(key attribute.Key) []string {
	if a := as.get(key); a != nil {
		return a.texts
	}
	return nil
}

func (as otlpAttributes) integer(key attribute.Key) int64 {
	if a := as.get(key); a != nil {
		return a.number
	}
	return 0
}

// A badRecording is an error in the content of spans, not in their encoding.
type badRecording struct{ error }

// scan reads one TracesData object. The caller prefixes its error ("line 7").
func (s *otlpScanner) scan(object []byte) error {
	d := jx.DecodeBytes(object)
	err := fields(d, func(d *jx.Decoder, key []byte) error {
		if string(key) != "resourceSpans" {
			return d.Skip()
		}
		return list(d, s.resourceSpans)
	})
	if err == nil && !errors.Is(d.Skip(), io.EOF) {
		err = message.NewError("unexpected data after the JSON object")
	}
	var bad badRecording
	switch {
	case errors.As(err, &bad):
		return message.Errorf(": %w", bad.error)
	case err != nil:
		// Package jx writes "callback: " for each level of the objects.
		for within := err; within != nil && strings.HasPrefix(within.Error(), "callback: "); within = errors.Unwrap(within) {
			err = errors.Unwrap(within)
		}
		return message.Errorf(" is not OTLP trace data: %w", err)
	}
	return nil
}

// resourceSpans reads one resource and its spans, in either order.
func (s *otlpScanner) resourceSpans(d *jx.Decoder) error {
	var resource otlpAttributes
	var waiting []jx.Raw
	known := false
	scopes := func(d *jx.Decoder) error { return s.scopeSpans(d, resource.text(semconv.ServiceNameKey)) }
	err := fields(d, func(d *jx.Decoder, key []byte) error {
		switch {
		case string(key) == "resource":
			known = true
			if err := fields(d, func(d *jx.Decoder, key []byte) error {
				return s.attributesIf(d, key, &resource)
			}); err != nil {
				return err
			}
			return asBadRecording(s.resource(resource))
		case string(key) == "scopeSpans" && known:
			return list(d, scopes)
		case string(key) == "scopeSpans":
			raw, err := d.RawAppend(nil)
			waiting = append(waiting, raw)
			return err
		}
		return d.Skip()
	})
	if err != nil {
		return err
	}
	if !known {
		if err := asBadRecording(s.resource(nil)); err != nil {
			return err
		}
	}
	for _, raw := range waiting {
		if err := list(jx.DecodeBytes(raw), scopes); err != nil {
			return err
		}
	}
	return nil
}

// asBadRecording marks an error that the function resource or span returned.
func asBadRecording(err error) error {
	if err != nil {
		return badRecording{err}
	}
	return nil
}

func (s *otlpScanner) scopeSpans(d *jx.Decoder, process string) error {
	return fields(d, func(d *jx.Decoder, key []byte) error {
		if string(key) != "spans" {
			return d.Skip()
		}
		return list(d, func(d *jx.Decoder) error { return s.readSpan(d, process) })
	})
}

func (s *otlpScanner) readSpan(d *jx.Decoder, process string) error {
	span := &s.next
	*span = otlpSpan{attributes: span.attributes[:0]}
	err := fields(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "traceId":
			span.traceID, err = s.id(d, 16)
		case "spanId":
			span.spanID, err = s.id(d, 8)
		case "parentSpanId":
			span.parentID, err = s.id(d, 8)
		case "name":
			span.name, err = s.text(d)
		case "startTimeUnixNano":
			span.start, err = integer(d)
		case "endTimeUnixNano":
			span.end, err = integer(d)
		case "status":
			return fields(d, func(d *jx.Decoder, key []byte) error { return s.status(d, key, span) })
		case "events":
			return list(d, func(d *jx.Decoder) error { return s.event(d, span) })
		default:
			return s.attributesIf(d, key, &span.attributes)
		}
		return err
	})
	if err != nil {
		return err
	}
	return asBadRecording(s.span(process, span))
}

func (s *otlpScanner) status(d *jx.Decoder, key []byte, span *otlpSpan) (err error) {
	switch string(key) {
	case "message":
		span.message, err = s.text(d)
		return err
	case "code":
		raw, err := d.Raw()
		code := strings.Trim(string(raw), `"`)
		span.failed = code == "2" || code == "STATUS_CODE_ERROR"
		return err
	}
	return d.Skip()
}

func (s *otlpScanner) event(d *jx.Decoder, span *otlpSpan) error {
	var event otlpEvent
	err := fields(d, func(d *jx.Decoder, key []byte) (err error) {
		if string(key) == "name" {
			event.name, err = s.text(d)
			return err
		}
		return s.attributesIf(d, key, &event.attributes)
	})
	span.events = append(span.events, event)
	return err
}

// attributesIf reads a list of attributes if key is "attributes". It skips any
// other field.
func (s *otlpScanner) attributesIf(d *jx.Decoder, key []byte, to *otlpAttributes) error {
	if string(key) != "attributes" {
		return d.Skip()
	}
	return list(d, func(d *jx.Decoder) error {
		var a otlpAttribute
		err := fields(d, func(d *jx.Decoder, key []byte) (err error) {
			switch string(key) {
			case "key":
				a.key, err = s.text(d)
				return err
			case "value":
				return s.value(d, &a)
			}
			return d.Skip()
		})
		*to = append(*to, a)
		return err
	})
}

// value reads an AnyValue.
func (s *otlpScanner) value(d *jx.Decoder, a *otlpAttribute) error {
	return fields(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "stringValue":
			a.isText = true
			a.text, err = s.text(d)
		case "boolValue":
			a.truth, err = d.Bool()
			a.text = strconv.FormatBool(a.truth)
		case "intValue":
			a.isNumber = true
			a.number, err = integer(d)
			a.text = strconv.FormatInt(a.number, 10)
		case "arrayValue":
			return s.array(d, a)
		default: // apitrace writes no other types
			var raw jx.Raw
			raw, err = d.Raw()
			a.text = strings.Trim(string(raw), `"`)
		}
		return err
	})
}

func (s *otlpScanner) array(d *jx.Decoder, a *otlpAttribute) error {
	err := fields(d, func(d *jx.Decoder, key []byte) error {
		if string(key) != "values" {
			return d.Skip()
		}
		return list(d, func(d *jx.Decoder) error {
			var item otlpAttribute
			err := s.value(d, &item)
			a.texts = append(a.texts, item.text)
			return err
		})
	})
	all, _ := json.Marshal(a.texts) // strings can always be marshalled
	a.text = string(all)
	return err
}

// text reads a string. Equal short strings share one copy.
func (s *otlpScanner) text(d *jx.Decoder) (string, error) {
	const short = 256
	if d.Next() == jx.Null {
		return "", d.Null()
	}
	b, err := d.StrBytes()
	if err != nil || len(b) > short {
		return string(b), err
	}
	known, ok := s.known[string(b)]
	if !ok {
		known = string(b)
		s.known[known] = known
	}
	return known, nil
}

// id reads an id of size bytes. It returns "" if the id is empty or all zeros.
func (s *otlpScanner) id(d *jx.Decoder, size int) (string, error) {
	text, err := s.text(d)
	if err != nil || text == "" {
		return "", err
	}
	if _, err := hex.DecodeString(text); err != nil || len(text) != 2*size {
		return "", message.Errorf("%q is not an id of %d hexadecimal digits", text, 2*size)
	}
	if strings.Trim(text, "0") == "" {
		return "", nil
	}
	return strings.ToLower(text), nil
}

// integer reads a 64-bit number. OTLP writes it as text; other programs write a number.
func integer(d *jx.Decoder) (int64, error) {
	if d.Next() == jx.Null {
		return 0, d.Null()
	}
	n, err := d.Num()
	if err != nil {
		return 0, err
	}
	text := strings.Trim(string(n), `"`)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	u, err := strconv.ParseUint(text, 10, 64) // a goroutine or a time, which are never negative
	return int64(u), err
}

// fields reads an object, and list reads an array. Both treat null as empty.

func fields(d *jx.Decoder, read func(d *jx.Decoder, key []byte) error) error {
	if d.Next() == jx.Null {
		return d.Null()
	}
	return d.ObjBytes(read)
}

func list(d *jx.Decoder, read func(*jx.Decoder) error) error {
	if d.Next() == jx.Null {
		return d.Null()
	}
	return d.Arr(read)
}
