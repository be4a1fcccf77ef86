package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteDiffJSON writes a comparison as one JSON object, a DiffDocument. It encodes
// changes and edits one by one. The JSON for two starts of a program takes 200 MB, and
// an encoder for the whole document would hold this text twice.
func WriteDiffJSON(w io.Writer, c *diff.Comparison, guide view.Guide, options DiffOptions) error {
	doc, err := newDiffDocument(c, guide, options)
	if err != nil {
		return err
	}
	j := &diffJSON{out: bufio.NewWriter(w)}
	j.encoder = json.NewEncoder(&j.text)
	j.encoder.SetEscapeHTML(false)
	requests := doc.Requests
	if len(requests) > 0 {
		doc.Requests = []DiffRequest{}
	}
	j.encode(doc, "")
	if len(requests) == 0 {
		j.out.Write(j.text.Bytes())
	} else {
		j.out.Write(bytes.TrimSuffix(j.text.Bytes(), []byte("[]\n}\n")))
		j.out.WriteByte('[')
		for i := range requests {
			j.separate(i)
			j.request(&requests[i], c.Requests[i].Diff)
		}
		j.out.WriteString("\n  ]\n}\n")
	}
	if j.err != nil {
		return j.err
	}
	return j.out.Flush()
}

// A diffJSON writes a DiffDocument like an encoder with an indentation of two
// blanks. err is the encoder's first error.
type diffJSON struct {
	out *bufio.Writer
	// text is the output of encoder.
	text    bytes.Buffer
	encoder *json.Encoder
	err     error
}

// request writes a request. d is nil if only one side has the request. Changes and
// Script come last.
func (j *diffJSON) request(r *DiffRequest, d *diff.Diff) {
	const indent = "    "
	changes := r.Changes
	r.Changes = nil
	j.encode(r, indent)
	j.out.WriteString("\n" + indent)
	j.out.Write(bytes.TrimSuffix(j.text.Bytes(), []byte("\n"+indent+"}\n")))
	r.Changes = changes
	writeJSONList(j, "changes", changes)
	if d != nil {
		writeJSONList(j, "script", d.Script())
	}
	j.out.WriteString("\n" + indent + "}")
}

// writeJSONList writes a field of a request with a list, unless the list is empty.
func writeJSONList[T any](j *diffJSON, name string, all []T) {
	const indent = "        "
	if len(all) == 0 {
		return
	}
	j.out.WriteString(",\n      \"" + name + "\": [")
	for i := range all {
		j.separate(i)
		j.encode(&all[i], indent)
		j.out.WriteString("\n" + indent)
		j.out.Write(bytes.TrimSuffix(j.text.Bytes(), []byte("\n")))
	}
	j.out.WriteString("\n      ]")
}

// encode replaces the content of j.text by the encoded value and a newline.
func (j *diffJSON) encode(value any, indent string) {
	j.text.Reset()
	j.encoder.SetIndent(indent, "  ")
	if err := j.encoder.Encode(value); err != nil && j.err == nil {
		j.err = err
	}
}

// separate writes the separator before a list's element i.
func (j *diffJSON) separate(i int) {
	if i > 0 {
		j.out.WriteByte(',')
	}
}
