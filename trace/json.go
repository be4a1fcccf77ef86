package trace

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// jsonSchema is the JSON Schema (draft 2020-12) of WriteJSON's output.
//
//go:embed recording.schema.json
var jsonSchema []byte

// WriteJSON writes the recording as one JSON object in the form of jsonSchema,
// the fields of Recording under the names of their tags. Other programs rely on it.
func WriteJSON(w io.Writer, rec *Recording) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("writing JSON: %w", err)
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(withAttributes(rec)); err != nil {
		return message.Errorf("writing JSON: %w", err)
	}
	return out.Flush()
}

// withAttributes returns a copy in which calls without attributes have an empty
// map, so that the output has {} for them and readers need not know null.
func withAttributes(rec *Recording) *Recording {
	filled := *rec
	filled.Requests = append([]Request(nil), rec.Requests...)
	for i := range filled.Requests {
		r := &filled.Requests[i]
		r.Calls = append([]Call(nil), r.Calls...)
		for c := range r.Calls {
			if r.Calls[c].Attributes == nil {
				r.Calls[c].Attributes = map[string]string{}
			}
		}
	}
	return &filled
}

// readJSON reads what WriteJSON wrote.
func readJSON(data []byte) (*Recording, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var rec Recording
	if err := decoder.Decode(&rec); err != nil {
		return nil, explainSyntax(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, message.Errorf("something follows the recording at byte %d: expected a single JSON object", decoder.InputOffset())
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
