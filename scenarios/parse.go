package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadFile reads a scenario of one's own. Its errors name the file and the line.
func ReadFile(name string) (*Scenario, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return Parse(name, text, func(body string) ([]byte, error) {
		if !filepath.IsAbs(body) {
			body = filepath.Join(filepath.Dir(name), body)
		}
		return os.ReadFile(body)
	})
}

// readFS reads the scenario file of a file system.
func readFS(files fs.FS, name string) (*Scenario, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return Parse(name, text, func(body string) ([]byte, error) {
		return fs.ReadFile(files, path.Join(path.Dir(name), body))
	})
}

// Parse reads a scenario from the text of the file called name, strictly: a
// field that it does not know is an error. open reads the files that bodyFile
// fields name. Every error starts with name and a line: "mine.yaml:7: ...".
func Parse(name string, text []byte, open func(file string) ([]byte, error)) (*Scenario, error) {
	source := string(text)
	text, uses := fillNamespace(text)
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, located(name, err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	s := &Scenario{Source: source, OwnNamespace: uses}
	if err := decoder.Decode(s); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty, expected a scenario: start with \"name: my-scenario\"", name)
	} else if err != nil {
		return nil, located(name, err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: more than one YAML document: a file holds one scenario; objects are listed under setup.objects", name)
	}
	if bad := s.validate(); bad != nil {
		return nil, fmt.Errorf("%s:%d: %s", name, lineOf(&root, bad.at), bad.text)
	}
	if err := s.readBodies(open); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// readBodies fills in the bodies that stand in files of their own.
func (s *Scenario) readBodies(open func(string) ([]byte, error)) error {
	for i := range s.Requests {
		for _, h := range s.Requests[i].all() {
			if err := h.readBody(open); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *HTTP) readBody(open func(string) ([]byte, error)) error {
	if h.BodyFile == "" {
		return nil
	}
	text, err := open(h.BodyFile)
	if err != nil {
		return fmt.Errorf("reading bodyFile: %w", err)
	}
	h.Body = &Document{}
	if err := yaml.Unmarshal(text, h.Body); err != nil {
		return fmt.Errorf("bodyFile %q: %w", h.BodyFile, err)
	}
	return nil
}

var (
	yamlLine     = regexp.MustCompile(`line (\d+): (.*)`)
	unknownField = regexp.MustCompile(`field (\S+) not found in type .*`)
)

// located turns an error of the YAML library, which has the line somewhere in
// its text, into "file:line: what is wrong". Of several it reports the first.
func located(name string, err error) error {
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := unknownField.ReplaceAllString(found[2], `unknown field "$1"`)
	return fmt.Errorf("%s:%s: %s", name, found[1], strings.TrimPrefix(text, "yaml: "))
}

// lineOf returns the line of the value at the path, or of the nearest thing
// around it: a field that is missing is reported where its owner begins.
func lineOf(node *yaml.Node, at []any) int {
	if node.Kind == yaml.DocumentNode {
		return lineOf(node.Content[0], at)
	}
	if node.Kind == yaml.AliasNode {
		return node.Line
	}
	if len(at) == 0 {
		return node.Line
	}
	if child := childOf(node, at[0]); child != nil {
		return lineOf(child, at[1:])
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
