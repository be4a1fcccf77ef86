package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Document is a piece of YAML that is sent as JSON: a Kubernetes object, or another
// request body.
type Document struct {
	json []byte
	raw  bool   // json is sent unchanged and need not be JSON
	at   string // the place of an object of the setup: "mine.yaml:7"
	head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
			Namespace    string `json:"namespace"`
		} `json:"metadata"`
	}
}

// parseDocument reads the only document in a YAML text. It ignores empty documents, as
// kubectl does. For several documents it returns a severalError.
func parseDocument(text []byte) (*Document, error) {
	d, found := &Document{}, 0
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var node yaml.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if node.Content[0].ShortTag() == "!!null" {
			continue
		}
		if found++; found > 1 {
			continue
		}
		if err := node.Decode(d); err != nil {
			return nil, err
		}
	}
	if found > 1 {
		return nil, severalError(found)
	}
	return d, nil
}

// A severalError is the number of documents in a text that must have one document.
type severalError int

// Error implements error.
func (n severalError) Error() string { return fmt.Sprintf("%d YAML documents, expected one", int(n)) }

// rawDocument returns a body to send unchanged, even if it is not valid JSON.
func rawDocument(body []byte) *Document { return &Document{json: body, raw: true} }

// textDocument returns a body to send unchanged. If text is one YAML or JSON document,
// the body's head is read from it.
func textDocument(text string) *Document {
	d, err := parseDocument([]byte(text))
	if err != nil {
		d = &Document{}
	}
	d.json, d.raw = []byte(text), true
	return d
}

// JSON returns the document as it is sent.
func (d *Document) JSON() []byte { return d.json }

// UnmarshalYAML reads the document from any YAML value.
func (d *Document) UnmarshalYAML(node *yaml.Node) error {
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return message.Errorf("line %d: cannot be sent as JSON: %w", node.Line, err)
	}
	d.json = text
	// A body need not be an object: a JSON patch is a list. The head then stays empty.
	_ = json.Unmarshal(text, &d.head)
	return nil
}

// String names the object: `Deployment "nginx"`.
func (d *Document) String() string {
	return fmt.Sprintf("%s %q", d.head.Kind, d.head.Metadata.Name)
}
