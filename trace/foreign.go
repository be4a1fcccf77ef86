package trace

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// The semantic conventions have deprecated all of these names but thread.id.
// Instrumentations still write them.
const (
	oldCodeFunction   = attribute.Key("code.function")
	oldCodeNamespace  = attribute.Key("code.namespace")
	oldCodeFilePath   = attribute.Key("code.filepath")
	oldCodeLineNumber = attribute.Key("code.lineno")
	oldHTTPMethod     = attribute.Key("http.method")
	oldHTTPTarget     = attribute.Key("http.target")
	oldHTTPStatusCode = attribute.Key("http.status_code")
	threadID          = attribute.Key("thread.id")
)

// noParent is the function name of the call above several root spans.
const noParent = "(spans that are not in the file)"

// Import reads OTLP JSON of another program: a TracesData object, or several in sequence.
// Every trace becomes a request and every span a call.
//
// A span's code.* attributes name its function. At least one span must have them; the
// others keep their own names. If a trace has several spans without a parent, Import adds
// a call above them. Request.Incomplete says how many spans lack a function or a parent.
func Import(path string) (*Recording, error) {
	data, err := bounded.ReadStream(path, maxFile)
	if err != nil {
		return nil, message.Errorf("importing: %w", err)
	}
	rec, err := parseForeign(data)
	if err != nil {
		return nil, message.Errorf("importing %q: %w", path, err)
	}
	return rec, nil
}

// ReadForeign imports a recording like Import. name names the source in errors.
func ReadForeign(r io.Reader, name string) (*Recording, error) {
	data, err := bounded.ReadAll(r, name, maxFile)
	if err != nil {
		return nil, message.Errorf("importing %q: %w", name, err)
	}
	rec, err := parseForeign(data)
	if err != nil {
		return nil, message.Errorf("importing %q: %w", name, err)
	}
	return rec, nil
}

func parseForeign(data []byte) (*Recording, error) {
	if !utf8.Valid(data) {
		return nil, message.NewError("the file is not UTF-8 text: expected OTLP JSON")
	}
	if rec, err := readOTLP(data); err == nil {
		return rec, nil // apitrace's own spans, perhaps through a collector
	}
	f := foreign{requests: map[string]*foreignRequest{}}
	scanner := otlpScanner{known: map[string]string{}, resource: f.addResource, span: f.addSpan}
	if err := eachObject(data, scanner.scan); err != nil {
		return nil, err
	}
	return f.recording()
}

// foreign collects the spans of a file in a recording.
type foreign struct {
	rec      Recording
	requests map[string]*foreignRequest // by trace id
	order    []string                   // trace ids by first span
	named    int                        // spans with code.* attributes
}

type foreignRequest struct {
	Request
	nameless int
}

// addResource reads the attributes that apitrace itself may have written before
// another program processed the file.
func (f *foreign) addResource(attrs otlpAttributes) error {
	for _, field := range []struct {
		to  *string
		key attribute.Key
	}{{&f.rec.Scenario, attrScenario}, {&f.rec.K8sVersion, attrK8sVersion}, {&f.rec.EtcdVersion, attrEtcdVersion}, {&f.rec.Edition, attrEdition}} {
		if *field.to == "" {
			*field.to = attrs.text(field.key)
		}
	}
	if f.rec.Servers == nil {
		f.rec.Servers = attrs.texts(attrServers)
	}
	if f.rec.Edited == nil {
		f.rec.Edited = attrs.texts(attrEdited)
	}
	return nil
}

func (f *foreign) addSpan(process string, span *otlpSpan) error {
	if span.traceID == "" || span.spanID == "" {
		return message.Errorf("span %q: its traceId is %q and its spanId %q: expected 32 and 16 hexadecimal digits that are not all 0", span.name, span.traceID, span.spanID)
	}
	id := span.traceID
	r, ok := f.requests[id]
	if !ok {
		r = &foreignRequest{Request: Request{TraceID: id}}
		f.requests[id], f.order = r, append(f.order, id)
	}
	call, named, err := foreignCall(cleanOr(process, "unknown service"), span)
	if err != nil {
		return message.Errorf("span %q: %w", span.name, err)
	}
	if named {
		f.named++
	} else {
		r.nameless++
	}
	r.Calls = append(r.Calls, call)
	return nil
}

// addHTTP sets method, path and status from the first call that has a method.
func (r *foreignRequest) addHTTP() {
	for _, call := range r.Calls {
		value := func(keys ...attribute.Key) string {
			for _, key := range keys {
				if s := clean(call.Attributes[string(key)]); s != "" {
					return s
				}
			}
			return ""
		}
		if r.Method = value(semconv.HTTPRequestMethodKey, oldHTTPMethod); r.Method == "" {
			continue
		}
		r.Path = value(semconv.URLPathKey, oldHTTPTarget, semconv.HTTPRouteKey, semconv.URLFullKey)
		if query := value(semconv.URLQueryKey); query != "" && !strings.Contains(r.Path, "?") {
			r.Path += "?" + query
		}
		r.Status, _ = strconv.Atoi(value(semconv.HTTPResponseStatusCodeKey, oldHTTPStatusCode)) // 0 means unknown
		break
	}
	for _, used := range requestAttributes { // the first call must not have them; see Call.validate
		delete(r.Calls[0].Attributes, used)
	}
	if len(r.Calls[0].Attributes) == 0 {
		r.Calls[0].Attributes = nil
	}
}

func (f *foreign) recording() (*Recording, error) {
	if len(f.order) == 0 {
		return nil, message.NewError("there is no span in it: expected OTLP JSON, an object with \"resourceSpans\"")
	}
	if f.named == 0 {
		return nil, message.NewError("no span has code.* attributes: expected at least one with \"code.function.name\", because apitrace shows which code ran")
	}
	for _, id := range f.order {
		r := f.requests[id]
		if err := r.complete(); err != nil {
			return nil, message.Errorf("trace %s: %w", id, err)
		}
		f.rec.Requests = append(f.rec.Requests, r.Request)
	}
	slices.SortStableFunc(f.rec.Requests, func(a, b Request) int { return a.Start.Compare(b.Start) })
	f.rec.Scenario = cleanOr(f.rec.Scenario, "imported")
	return &f.rec, f.rec.Validate()
}

// complete joins the spans into one tree.
func (r *foreignRequest) complete() error {
	if r.nameless > 0 {
		r.Incomplete = append(r.Incomplete, lacksFunctions.With(r.nameless, len(r.Calls)).String())
	}
	if err := r.plantRoot(); err != nil {
		return err
	}
	countFromRoot(&r.Request)
	if err := r.Sort(); err != nil {
		return err
	}
	r.addHTTP()
	if r.Method == "" {
		r.Method = "SPAN"
	}
	if r.Path == "" {
		r.Path = r.Calls[0].Function
	}
	return nil
}

// plantRoot ensures that the request has a single first call.
func (r *foreignRequest) plantRoot() error {
	there := make(map[string]bool, len(r.Calls))
	for _, call := range r.Calls {
		there[call.ID] = true
	}
	var tops []*Call
	lost := 0
	for i := range r.Calls {
		call := &r.Calls[i]
		if there[call.Parent] {
			continue
		}
		if call.Parent != "" {
			lost++
		}
		tops = append(tops, call)
	}
	switch len(tops) {
	case 0:
		return r.cycleError(nil)
	case 1:
		// The parent is a span of the caller or of a proxy.
		tops[0].Parent = ""
		return nil
	}
	r.Incomplete = append(r.Incomplete, lacksParents.With(len(tops), lost).String())
	r.Calls = append(r.Calls, above(tops, there))
	return nil
}

// above returns a call that replaces the missing parents of tops. It makes tops
// its children.
func above(tops []*Call, there map[string]bool) Call {
	root := Call{Function: noParent, Process: tops[0].Process, StartNs: tops[0].StartNs}
	for n := uint64(1); root.ID == ""; n++ {
		if id := fmt.Sprintf("%016x", n); !there[id] {
			root.ID = id
		}
	}
	end := root.StartNs
	for _, top := range tops {
		top.Parent = root.ID
		root.StartNs = min(root.StartNs, top.StartNs)
		end = max(end, top.StartNs+top.DurationNs)
	}
	root.DurationNs = end - root.StartNs
	return root
}

// foreignCall converts a span to a call. named reports whether it names its function.
func foreignCall(process string, span *otlpSpan) (call Call, named bool, err error) {
	attrs := span.attributes
	call = callOf(process, span, false)
	call.Function = clean(foreignFunction(attrs))
	named = call.Function != ""
	if !named {
		call.Function = cleanOr(span.name, "(a span without a name)")
	}
	call.File = vendorPath(clean(firstText(attrs, semconv.CodeFilePathKey, oldCodeFilePath)))
	call.Line = int(firstInteger(attrs, semconv.CodeLineNumberKey, oldCodeLineNumber))
	call.Goroutine = uint64(firstInteger(attrs, attrGoroutine, threadID))
	start, end := span.start, span.end
	switch {
	case start < 0 || end < 0: // as an unsigned number, it is beyond the range of int64
		return call, named, message.Errorf("it lasts from %d to %d ns: expected times between 1970 and 2262", uint64(start), uint64(end))
	case end == 0 && start != 0:
		call.Unfinished, call.DurationNs = true, 0
	case end < start:
		return call, named, message.Errorf("it ends %s before it begins", time.Duration(start-end))
	}
	call.addForeignError(span)
	for _, used := range []attribute.Key{oldCodeFunction, oldCodeNamespace, oldCodeFilePath, oldCodeLineNumber, ""} {
		delete(call.Attributes, string(used))
	}
	if len(call.Attributes) == 0 {
		call.Attributes = nil
	}
	return call, named, nil
}

// addForeignError sets Error from exceptions, and keeps Panic only for apitrace's own
// panics. Other programs record errors as exceptions.
func (c *Call) addForeignError(span *otlpSpan) {
	for _, event := range span.events {
		if event.name != eventException || event.attributes.text(semconv.ExceptionTypeKey) == typePanic {
			continue
		}
		c.Panic = ""
		if c.Error == "" {
			c.Error = event.attributes.text(semconv.ExceptionMessageKey)
		}
	}
	if c.Error == "" && c.Panic == "" && span.failed {
		c.Error = "an error without a message"
	}
}

// foreignFunction returns the full name of the function. Older conventions split
// it into namespace and function.
func foreignFunction(attrs otlpAttributes) string {
	if name := attrs.text(semconv.CodeFunctionNameKey); name != "" {
		return name
	}
	function, namespace := attrs.text(oldCodeFunction), attrs.text(oldCodeNamespace)
	if function == "" || namespace == "" || strings.HasPrefix(function, namespace+".") {
		return function
	}
	return namespace + "." + function
}

// vendorPath removes the folder of a vendor tree, or of the module cache, from the path of a
// file. The import path is left. For the module cache, vendorPath also removes the module's
// version.
func vendorPath(file string) string {
	if _, path, ok := strings.Cut(file, "/vendor/"); ok {
		return path
	}
	_, path, ok := strings.Cut(file, "/pkg/mod/")
	if !ok {
		return file
	}
	module, rest, ok := strings.Cut(path, "@")
	if !ok {
		return file
	}
	_, inner, _ := strings.Cut(rest, "/")
	return module + "/" + inner
}

func firstText(attrs otlpAttributes, keys ...attribute.Key) string {
	for _, key := range keys {
		if s := attrs.text(key); s != "" {
			return s
		}
	}
	return ""
}

func firstInteger(attrs otlpAttributes, keys ...attribute.Key) int64 {
	for _, key := range keys {
		if a := attrs.get(key); a != nil && a.isNumber {
			return a.number
		}
	}
	return 0
}

// clean escapes the control characters of a foreign text as Go source does.
func clean(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func cleanOr(s, otherwise string) string {
	if s = clean(s); s == "" {
		return otherwise
	}
	return s
}
