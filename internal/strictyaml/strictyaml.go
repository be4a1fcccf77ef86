// Package strictyaml reads YAML files that people write.
// It rejects unknown fields, and its errors name the file and the line.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// ErrEmpty is the error for a file without a document.
var ErrEmpty = message.NewError("the file is empty")

// ErrMore is the error for a file with several documents.
var ErrMore = message.NewError("more than one YAML document")

// Decode decodes text, the contents of a file, into the variable at into.
// The text must be a single document without unknown fields.
// Errors begin with the file's name and, if known, the line: "mine.yaml:7: ...".
func Decode(name string, text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); errors.Is(err, io.EOF) {
		return message.Errorf("%s:1: %w", name, ErrEmpty)
	} else if err != nil {
		return located(name, text, err, fieldsOf(reflect.TypeOf(into)))
	}
	var more yaml.Node
	if err := decoder.Decode(&more); err == nil {
		return message.Errorf("%s:%d: %w", name, more.Line, ErrMore)
	} else if !errors.Is(err, io.EOF) {
		return located(name, text, err, nil)
	}
	return nil
}

// DecodeMapping decodes a mapping into the struct at into.
// UnmarshalYAML methods use it to reject unknown fields.
// node.Decode would accept them.
func DecodeMapping(node *yaml.Node, into any) error {
	known := tags(reflect.TypeOf(into).Elem())
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if key := node.Content[i]; !slices.Contains(known, key.Value) {
			return message.Errorf("line %d: unknown field %q%s", key.Line, key.Value, Suggest(key.Value, known))
		}
	}
	return node.Decode(into)
}

var (
	yamlLine     = regexp.MustCompile(`line (\d+): (.*)`)
	unknownField = regexp.MustCompile(`field (.+) not found in type (.*)`)
	wrongValue   = regexp.MustCompile("^cannot unmarshal (!!\\w+)(?: `(.*)`)? into (\\S+)$")
)

// located rewrites an error of the YAML library as "file:line: description".
// If the library reports several errors, located returns the first.
// fields maps the name of each type to the names of its fields.
func located(name string, file []byte, err error, fields map[string][]string) error {
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return message.Errorf("%s: %w", name, err)
	}
	said := strings.TrimPrefix(found[2], "yaml: ")
	text := message.Of("%s", said)
	if field := unknownField.FindStringSubmatch(said); field != nil {
		text = message.Of("unknown field %q%s", field[1], Suggest(field[1], fields[field[2]]))
		if meant := acrossComma(file, field[1]); meant != "" {
			text = message.Of("unknown field %q, because a comma ends a text without quotes: did you mean {%s}?", field[1], meant)
		}
	} else if value := wrongValue.FindStringSubmatch(said); value != nil {
		text = message.Of("found %s, expected %s", kindOf(value[1], value[2]), expectedBy(value[3], fields))
	}
	return message.Errorf("%s:%s: %s", name, found[1], text)
}

// acrossComma repairs an unquoted text that ended at a comma.
// For the field "two" of "{en: one, two}", it returns `en: "one, two"`.
// For other fields it returns "".
func acrossComma(file []byte, field string) string {
	var root yaml.Node
	if yaml.Unmarshal(file, &root) != nil {
		return ""
	}
	isRest := func(value *yaml.Node) bool { return value.ShortTag() == "!!null" && value.Value == "" }
	var find func(*yaml.Node) string
	find = func(node *yaml.Node) string {
		name, whole, found := "", "", false
		for i := 0; node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle != 0 && i+1 < len(node.Content); i += 2 {
			switch key, value := node.Content[i], node.Content[i+1]; {
			case isRest(value):
				whole, found = whole+", "+key.Value, found || key.Value == field
			case found:
				return fmt.Sprintf("%s: %q", name, whole)
			default:
				name, whole = key.Value, value.Value
			}
		}
		if found && name != "" {
			return fmt.Sprintf("%s: %q", name, whole)
		}
		for _, child := range node.Content {
			if meant := find(child); meant != "" {
				return meant
			}
		}
		return ""
	}
	return find(&root)
}

// kindOf describes a value by its YAML tag or, for a scalar, by its text.
func kindOf(tag, text string) message.Message {
	switch tag {
	case "!!seq":
		return message.Of("a list")
	case "!!map":
		return message.Of("fields")
	case "!!null":
		return message.Of("nothing")
	}
	return message.Of("%q", text)
}

// expectedBy describes the YAML value that a Go type expects.
func expectedBy(goType string, fields map[string][]string) message.Message {
	switch {
	case goType == "int":
		return message.Of("a whole number")
	case goType == "bool":
		return message.Of("%s or %s", "true", "false")
	case goType == "string":
		return message.Of("a text")
	case goType == "time.Duration":
		return message.Of("a time such as \"500ms\"")
	case strings.HasPrefix(goType, "[]"):
		return message.Of("a list")
	case strings.HasPrefix(goType, "map["):
		return message.Of("a map of names to values")
	case len(fields[goType]) > 0:
		return message.Of("one or more of the fields %s", message.List(fields[goType]))
	}
	return message.Of("%s", goType)
}

// fieldsOf maps the names of a type and its parts to their field names.
func fieldsOf(t reflect.Type) map[string][]string {
	fields := map[string][]string{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			visit(t.Elem())
		case reflect.Struct:
			if fields[t.String()] != nil {
				return
			}
			fields[t.String()] = tags(t)
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	visit(t)
	return fields
}

// tags returns the YAML names of a struct's fields.
func tags(t reflect.Type) []string {
	all := []string{}
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(option, "inline"):
			all = append(all, tags(t.Field(i).Type)...)
		case name != "" && name != "-":
			all = append(all, name)
		case name == "" && t.Field(i).IsExported():
			all = append(all, strings.ToLower(t.Field(i).Name)) // as the YAML library does
		}
	}
	return all
}

// Suggest returns the end of a message about an unknown word.
// It names the most similar known word, or all known words.
func Suggest(word string, known []string) message.Message {
	if len(known) == 0 {
		return message.Message{}
	}
	if near := text.Nearest(word, known, 1); len(near) > 0 {
		return message.Of(": did you mean %q?", near[0])
	}
	return message.Of(", expected one of %s", message.List(known))
}
