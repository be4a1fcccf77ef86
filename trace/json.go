package trace

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// jsonSchema is the JSON Schema (draft 2020-12) of WriteJSON's output.
//
//go:embed recording.schema.json
var jsonSchema []byte

// WriteJSON writes the recording as one JSON object in the form of jsonSchema,
// with the fields of Recording under the names of their tags. Other programs rely
// on this form. Calls without attributes have an empty map, so that readers need
// not handle null. It writes call by call, because a long recording's text takes
// 200 MB.
func WriteJSON(w io.Writer, rec *Recording) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("writing JSON: %w", err)
	}
	out := bufio.NewWriter(w)
	if err := newJSONWriter(out).recording(rec); err != nil {
		return message.Errorf("writing JSON: %w", err)
	}
	return out.Flush()
}

// These are the fields to write element by element, in their empty form. No string
// in the JSON contains them, because JSON puts a backslash before quotation marks.
const (
	emptyRequests = `"requests": []`
	emptyCalls    = `"calls": []`
)

// A jsonWriter writes a recording in the same form as an encoder with an
// indentation of two blanks.
type jsonWriter struct {
	out *bufio.Writer
	// text is the output of encoder.
	text    bytes.Buffer
	encoder *json.Encoder
	// noAttributes replaces the attributes of a call without attributes.
	noAttributes map[string]string
}

func newJSONWriter(out *bufio.Writer) *jsonWriter {
	j := &jsonWriter{out: out, noAttributes: map[string]string{}}
	j.encoder = json.NewEncoder(&j.text)
	j.encoder.SetEscapeHTML(false)
	return j
}

func (j *jsonWriter) recording(rec *Recording) error {
	head := *rec
	head.Requests = []Request{}
	before, after, err := j.around(head, "", emptyRequests)
	if err != nil {
		return err
	}
	j.out.WriteString(before + `"requests": [`)
	for i := range rec.Requests {
		j.separate(i)
		if err := j.request(&rec.Requests[i]); err != nil {
			return err
		}
	}
	j.out.WriteString("\n  ]" + after)
	return nil
}

func (j *jsonWriter) request(r *Request) error {
	const indent = "    "
	head := *r
	head.Calls = []Call{}
	before, after, err := j.around(head, indent, emptyCalls)
	if err != nil {
		return err
	}
	j.out.WriteString("\n" + indent + before + `"calls": [`)
	j.encoder.SetIndent(indent+indent, "  ")
	for i := range r.Calls {
		j.separate(i)
		j.out.WriteString("\n" + indent + indent)
		call := r.Calls[i]
		if call.Attributes == nil {
			call.Attributes = j.noAttributes
		}
		if err := j.encode(call); err != nil {
			return err
		}
		j.out.Write(bytes.TrimSuffix(j.text.Bytes(), []byte("\n")))
	}
	j.out.WriteString("\n" + indent + "  ]" + strings.TrimSuffix(after, "\n"))
	return nil
}

// around returns the JSON of value before and after empty, the JSON of an empty list.
func (j *jsonWriter) around(value any, indent, empty string) (before, after string, err error) {
	j.encoder.SetIndent(indent, "  ")
	err = j.encode(value)
	before, after, _ = strings.Cut(j.text.String(), empty)
	return before, after, err
}

// encode sets text to the JSON of a value, with a final newline.
func (j *jsonWriter) encode(value any) error {
	j.text.Reset()
	return j.encoder.Encode(value)
}

// separate writes the separator before a list's element i.
func (j *jsonWriter) separate(i int) {
	if i > 0 {
		j.out.WriteByte(',')
	}
}

// readJSON reads the output of WriteJSON.
func readJSON(data []byte) (*Recording, error) {
	var rec Recording
	if json.Unmarshal(data, &rec) != nil { // a Decoder copies data, but gives better errors
		return nil, whyNotJSON(data)
	}
	for i := range rec.Requests {
		for c := range rec.Requests[i].Calls {
			if len(rec.Requests[i].Calls[c].Attributes) == 0 {
				rec.Requests[i].Calls[c].Attributes = nil
			}
		}
	}
	return &rec, rec.Validate()
}

// whyNotJSON returns the error for data that is not the JSON of a recording.
func whyNotJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(new(Recording)); err != nil {
		return explainSyntax(err)
	}
	_, _ = decoder.Token()
	return message.Errorf("something follows the recording at byte %d: expected a single JSON object", decoder.InputOffset())
}
