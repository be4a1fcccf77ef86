package workshop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads an exercise from the text of the file called name, strictly: a field that
// it does not know is an error. Every error starts with name and a line:
// "03-first.yaml:7: ...".
func Parse(name string, text []byte) (*Exercise, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	e := &Exercise{File: name}
	if err := decoder.Decode(e); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty, expected an exercise: \"apitrace workshop new\" writes one to start from", name)
	} else if err != nil {
		return nil, located(name, err)
	}
	if bad := e.validate(); bad != nil {
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			return nil, located(name, err)
		}
		return nil, fmt.Errorf("%s:%d: %s", name, lineOf(&root, bad.at), bad.text)
	}
	return e, nil
}

// decodeKnown decodes a mapping into a struct and refuses fields that it does not have: inside of
// UnmarshalYAML the decoder's own strictness is lost.
func decodeKnown(node *yaml.Node, into any) error {
	known := map[string]bool{}
	t := reflect.TypeOf(into).Elem()
	for i := range t.NumField() {
		known[t.Field(i).Tag.Get("yaml")] = true
	}
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if key := node.Content[i]; !known[key.Value] {
			return fmt.Errorf("line %d: unknown field %q", key.Line, key.Value)
		}
	}
	return node.Decode(into)
}

var (
	yamlLine     = regexp.MustCompile(`line (\d+): (.*)`)
	unknownField = regexp.MustCompile(`field (\S+) not found in type .*`)
)

// located turns an error of the YAML library, which has the line somewhere in its text,
// into "file:line: what is wrong". Of several it reports the first.
func located(name string, err error) error {
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := unknownField.ReplaceAllString(found[2], `unknown field "$1"`)
	return fmt.Errorf("%s:%s: %s", name, found[1], strings.TrimPrefix(text, "yaml: "))
}

// lineOf returns the line of the value at the path, or of the nearest thing around it:
// a field that is missing is reported where its owner begins.
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
