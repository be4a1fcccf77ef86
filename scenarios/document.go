package scenarios

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Document is a piece of YAML that is sent as JSON: a Kubernetes object, or
// another request body.
type Document struct {
	json []byte
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

// parseDocument reads a document from a YAML text.
func parseDocument(text []byte) (*Document, error) {
	d := &Document{}
	if err := yaml.Unmarshal(text, d); err != nil {
		return nil, err
	}
	return d, nil
}

// rawDocument returns a body that is sent unchanged, even if it is not valid JSON.
func rawDocument(body []byte) *Document { return &Document{json: body} }

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
	// A body need not be an object; for example, a JSON patch is a list. The head then
	// stays empty.
	_ = json.Unmarshal(text, &d.head)
	return nil
}

// String names the object: `Deployment "nginx"`.
func (d *Document) String() string {
	return fmt.Sprintf("%s %q", d.head.Kind, d.head.Metadata.Name)
}
