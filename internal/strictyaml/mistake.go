package strictyaml

import (
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Mistake is an error with its place in a file.
// A nil Mistake means no error.
type Mistake struct {
	// At is the place: a path of field names and list indexes.
	At   []any
	Text message.Message
}

// MistakeAt returns a mistake at a place in the file.
func MistakeAt(text message.Message, at ...any) *Mistake { return &Mistake{At: at, Text: text} }

// Below prepends the path of an enclosing value to m.At, and returns m.
func (m *Mistake) Below(at ...any) *Mistake {
	if m != nil {
		m.At = append(at, m.At...)
	}
	return m
}

// First returns the first mistake that is not nil, or nil.
func First(all ...*Mistake) *Mistake {
	for _, m := range all {
		if m != nil {
			return m
		}
	}
	return nil
}

// In returns an error with the file and the line: "mine.yaml:7: ...".
// text is the contents of the file.
// For a nil Mistake, In returns nil.
func (m *Mistake) In(name string, text []byte) error {
	if m == nil {
		return nil
	}
	return message.Errorf("%s:%d: %s", name, Lines(text)(m.At...), m.Text)
}

// Lines returns a function that returns a value's line by its path.
// For a missing value, this is the first line of the innermost existing value.
// For an invalid file, it is 1.
func Lines(text []byte) func(at ...any) int {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return func(...any) int { return 1 }
	}
	return func(at ...any) int { return max(1, lineOf(&root, at)) }
}

// lineOf returns the first line of the value at the path below node.
// For a missing value, it is the line of the innermost existing value.
func lineOf(node *yaml.Node, at []any) int {
	if node.Kind == yaml.DocumentNode {
		return lineOf(node.Content[0], at)
	}
	if len(at) > 0 {
		if child := childOf(node, at[0]); child != nil {
			return lineOf(child, at[1:])
		}
	}
	return node.Line
}

func childOf(node *yaml.Node, key any) *yaml.Node {
	switch key := key.(type) {
	case int:
		if node.Kind == yaml.SequenceNode && key < len(node.Content) {
			return node.Content[key]
		}
	case string:
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				return node.Content[i+1]
			}
		}
	}
	return nil
}
