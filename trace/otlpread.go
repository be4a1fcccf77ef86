package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// readOTLP reads the output of WriteOTLP, also after an OpenTelemetry collector has processed
// it. A collector may spread the spans of a trace over several lines.
func readOTLP(data []byte) (*Recording, error) {
	var b recordingBuilder
	scanner := otlpScanner{known: map[string]string{}, resource: b.addResource, span: b.addSpan}
	err := eachObject(data, scanner.scan)
	if errors.Is(err, errTruncated) && len(b.traces) > 0 {
		rec, buildErr := b.recording()
		if buildErr != nil {
			return nil, errors.Join(err, buildErr)
		}
		return rec, &CutError{Requests: len(rec.Requests), err: err}
	}
	if err != nil {
		return nil, err
	}
	return b.recording()
}

// A CutError reports that a recording ends in the middle of a request: the
// recording process was killed, or the disk was full.
type CutError struct {
	// Requests is the number of complete requests before the cut.
	Requests int
	err      error
}

// Error says how many requests could be read.
func (e *CutError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *CutError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *CutError) message() message.Message {
	return message.Of("%v; complete requests before that: %d", e.err, e.Requests)
}

func (e *CutError) Unwrap() error { return e.err }

// eachObject calls read for consecutive JSON objects. Its errors name the line of
// an invalid object.
func eachObject(data []byte, read func([]byte) error) error {
	for rest := bytes.TrimLeft(data, " \t\r\n"); len(rest) > 0; {
		line := 1 + bytes.Count(data[:len(data)-len(rest)], []byte("\n"))
		object, after, err := cutObject(rest)
		if err != nil {
			return message.Errorf("line %d: %w", line, explainSyntax(err))
		}
		if err := read(object); err != nil {
			if syntax := json.Unmarshal(object, new(json.RawMessage)); syntax != nil {
				return message.Errorf("line %d: %w", line, explainSyntax(syntax))
			}
			return message.Errorf("line %d%w", line, err)
		}
		rest = bytes.TrimLeft(after, " \t\r\n")
	}
	return nil
}

// cutObject splits data into the JSON object at its beginning and the rest. It
// does not validate the object.
func cutObject(data []byte) (object, rest []byte, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	next := bytes.TrimLeft(rest, " \t\r\n")
	if bytes.HasPrefix(line, []byte("{")) && bytes.HasSuffix(line, []byte("}")) && (len(next) == 0 || next[0] == '{') {
		return line, rest, nil // one object per line is the usual case and needs no search
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	err = decoder.Decode((*json.RawMessage)(&object))
	return object, data[decoder.InputOffset():], err
}

// A recordingBuilder collects spans into their recording. Until the recording is
// complete, StartNs of its calls counts from the Unix epoch.
type recordingBuilder struct {
	// rec has the requests in the order of the spans of their first calls, without calls.
	rec    Recording
	traces map[string]*traceBuilder // by trace id; nil before the first resource
}

// A traceBuilder collects the spans of a trace: those of one request, or of all requests
// and events that were caused.
type traceBuilder struct {
	calls  []Call
	orders []int64 // the recorded order of each call within its request
	// requests are indices in rec.Requests by the ID of the first call.
	requests map[string]int
}

// addResource reads the properties of the recording from the first resource. It
// checks that all other resources agree.
func (b *recordingBuilder) addResource(attrs otlpAttributes) error {
	if attrs.get(attrScenario) == nil {
		return message.Errorf("the resource has no attribute %q: these spans were not saved by apitrace", attrScenario)
	}
	rec := Recording{
		Scenario:    attrs.text(attrScenario),
		K8sVersion:  attrs.text(attrK8sVersion),
		EtcdVersion: attrs.text(attrEtcdVersion),
		Servers:     attrs.texts(attrServers),
		Edited:      attrs.texts(attrEdited),
		Edition:     attrs.text(attrEdition),
	}
	if recorded := attrs.text(attrRecorded); recorded != "" {
		var err error
		if rec.Recorded, err = time.Parse(time.RFC3339Nano, recorded); err != nil {
			return message.Errorf("attribute %q: %w", attrRecorded, err)
		}
	}
	if b.traces == nil {
		b.rec, b.traces = rec, map[string]*traceBuilder{}
	}
	if !rec.sameRun(&b.rec) {
		return message.Errorf("spans of another recording (scenario %q on %s, before: %q on %s): expected one recording per file",
			rec.Scenario, rec.K8sVersion, b.rec.Scenario, b.rec.K8sVersion)
	}
	return nil
}

// sameRun reports whether two recordings are equal apart from their requests.
func (r *Recording) sameRun(other *Recording) bool {
	return r.Scenario == other.Scenario && r.K8sVersion == other.K8sVersion && r.EtcdVersion == other.EtcdVersion &&
		slices.Equal(r.Servers, other.Servers) && slices.Equal(r.Edited, other.Edited) && r.Edition == other.Edition && r.Recorded.Equal(other.Recorded)
}

func (b *recordingBuilder) addSpan(process string, span *otlpSpan) error {
	t := b.traces[span.traceID]
	if t == nil {
		t = &traceBuilder{requests: map[string]int{}}
		b.traces[span.traceID] = t
	}
	// The parent of a caused request is a call of another request.
	root := span.parentID == "" || span.attributes.get(attrCause) != nil
	call := callOf(process, span, root)
	if root {
		r := Request{TraceID: span.traceID}
		if err := fillRequest(&r, span.attributes); err != nil {
			return message.Errorf("span %q: %w", span.name, err)
		}
		call.Parent = ""
		if _, twice := t.requests[call.ID]; !twice { // else the calls are no tree
			t.requests[call.ID] = len(b.rec.Requests)
			b.rec.Requests = append(b.rec.Requests, r)
		}
	}
	t.calls = append(t.calls, call)
	t.orders = append(t.orders, span.attributes.integer(attrOrder))
	return nil
}

func (b *recordingBuilder) recording() (*Recording, error) {
	for _, id := range slices.Sorted(maps.Keys(b.traces)) {
		b.traces[id].fill(&b.rec, id)
	}
	for i := range b.rec.Requests {
		r := &b.rec.Requests[i]
		countFromRoot(r)
		if err := r.Sort(); err != nil {
			return nil, message.Errorf("trace %s (%s %s): %w", r.TraceID, r.Method, r.Path, err)
		}
	}
	// A session writes its requests in the order of their ends. A collector may
	// use any order.
	slices.SortStableFunc(b.rec.Requests, func(x, y Request) int { return x.Start.Compare(y.Start) })
	return &b.rec, b.rec.Validate()
}

// fill gives the calls of a trace to its requests. If it has none, because spans are
// missing, fill adds one.
func (t *traceBuilder) fill(rec *Recording, id string) {
	switch len(t.requests) {
	case 0:
		rec.Requests = append(rec.Requests, Request{TraceID: id, Calls: t.calls})
	case 1:
		for _, i := range t.requests {
			rec.Requests[i].Calls = inOrder(t.calls, t.orders)
		}
	default:
		parents := make(map[string]string, len(t.calls))
		for i := range t.calls {
			parents[t.calls[i].ID] = t.calls[i].Parent
		}
		parts := map[int]*traceBuilder{}
		for i := range t.calls {
			n := t.requestOf(t.calls[i].ID, parents)
			if parts[n] == nil {
				parts[n] = &traceBuilder{}
			}
			parts[n].calls, parts[n].orders = append(parts[n].calls, t.calls[i]), append(parts[n].orders, t.orders[i])
		}
		for n, part := range parts {
			rec.Requests[n].Calls = inOrder(part.calls, part.orders)
		}
	}
}

// requestOf returns the index of the request of a call. A call without a known parent is in
// the trace's first request, which is then no tree.
func (t *traceBuilder) requestOf(id string, parents map[string]string) int {
	first := id
	for steps := 0; parents[first] != "" && steps < len(parents); steps++ {
		first = parents[first]
	}
	if n, ok := t.requests[first]; ok {
		return n
	}
	return slices.Min(slices.Collect(maps.Values(t.requests)))
}

// inOrder returns the calls sorted by their recorded order.
func inOrder(calls []Call, orders []int64) []Call {
	if slices.IsSorted(orders) {
		return calls
	}
	index := make([]int, len(calls))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(x, y int) int { return cmp.Compare(orders[x], orders[y]) })
	sorted := make([]Call, len(calls))
	for i, from := range index {
		sorted[i] = calls[from]
	}
	return sorted
}

// countFromRoot makes StartNs count from the first call instead of the epoch.
func countFromRoot(r *Request) {
	root := slices.IndexFunc(r.Calls, func(c Call) bool { return c.Parent == "" })
	if root < 0 {
		return // Sort reports the error
	}
	first := r.Calls[root].StartNs
	if first != 0 {
		r.Start = time.Unix(0, first).UTC()
	}
	for i := range r.Calls {
		r.Calls[i].StartNs -= first
	}
}

func fillRequest(r *Request, attrs otlpAttributes) error {
	r.Method = attrs.text(semconv.HTTPRequestMethodKey)
	r.Path = attrs.text(semconv.URLPathKey)
	if query := attrs.get(semconv.URLQueryKey); query != nil {
		r.Path += "?" + query.text
	}
	r.Status = int(attrs.integer(semconv.HTTPResponseStatusCodeKey))
	r.Incomplete = attrs.texts(attrIncomplete)
	r.Cause = Cause{TraceID: attrs.text(attrCauseTrace), Call: attrs.text(attrCause)}
	return errors.Join(fromJSON(attrs, attrStored, &r.Stored), fromJSON(attrs, attrPending, &r.Pending))
}

// fromJSON is the inverse of asJSON.
func fromJSON[T any](attrs otlpAttributes, name attribute.Key, list *[]T) error {
	for _, text := range attrs.texts(name) {
		var element T
		if err := json.Unmarshal([]byte(text), &element); err != nil {
			return message.Errorf("attribute %q: %w", name, err)
		}
		*list = append(*list, element)
	}
	return nil
}

func callOf(process string, span *otlpSpan, root bool) Call {
	call := Call{
		ID: span.spanID, Parent: span.parentID, Process: process,
		StartNs: span.start, DurationNs: span.end - span.start,
		Error: span.message,
	}
	for _, event := range span.events {
		if event.name == eventException {
			call.Panic = event.attributes.text(semconv.ExceptionStacktraceKey)
		}
	}
	for _, a := range span.attributes {
		switch attribute.Key(a.key) {
		case semconv.CodeFunctionNameKey:
			call.Function = a.ifText()
		case semconv.CodeFilePathKey:
			call.File = a.ifText()
		case semconv.CodeLineNumberKey:
			call.Line = int(a.number)
		case attrCallerLine:
			call.CallerLine = int(a.number)
		case attrGoroutine:
			call.Goroutine = uint64(a.number)
		case attrNewGoroutine:
			call.NewGoroutine = a.truth
		case attrLeaf:
			call.Leaf = a.truth
		case attrUnfinished:
			call.Unfinished = a.truth
		default:
			if isReserved(a.key, root) {
				continue
			}
			if call.Attributes == nil {
				call.Attributes = make(map[string]string, 1)
			}
			call.Attributes[a.key] = a.text
		}
	}
	return call
}
