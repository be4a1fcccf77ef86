package export

import (
	"bytes"
	"encoding/json"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// writeYAML writes the recording as YAML: the fields of trace.WriteJSON, in the
// same order.
func writeYAML(w io.Writer, rec *trace.Recording) error {
	var text bytes.Buffer
	if err := trace.WriteJSON(&text, rec); err != nil {
		return message.Errorf("writing YAML: %w", err)
	}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	node, err := nextNode(decoder)
	if err != nil {
		return message.Errorf("writing YAML: %w", err)
	}
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return message.Errorf("writing YAML: %w", err)
	}
	return encoder.Close()
}

// nextNode makes a YAML node of the next JSON value. Its order is kept, which no
// way over maps would do.
func nextNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{}
	switch token := token.(type) {
	case json.Delim:
		node.Kind = yaml.MappingNode
		if token == '[' {
			node.Kind = yaml.SequenceNode
		}
		for decoder.More() { // keys and values alternate in an object
			child, err := nextNode(decoder)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle // {} and []
		}
		_, err = decoder.Token()
		return node, err
	case json.Number:
		node.Kind, node.Tag, node.Value = yaml.ScalarNode, "!!int", token.String()
		return node, nil
	default:
		return node, node.Encode(token)
	}
}
