package witness

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// An exception names functions of a program that run for a request and are not in its
// trace. It gives the reason.
type exception struct {
	Program   string             `yaml:"program"`
	Functions []funcname.Pattern `yaml:"functions"`
	Why       string             `yaml:"why"`
	// Only lists the scenarios with this exception. If it is empty, all scenarios have
	// it.
	Only []string `yaml:"only"`
}

type exceptions []exception

// readExceptions reads testdata/exceptions.yaml. Each exception must have a reason, and
// its functions must exist.
func readExceptions(t *testing.T, p *programs) exceptions {
	t.Helper()
	data, err := os.ReadFile("testdata/exceptions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var all exceptions
	if err := decoder.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.TrimSpace(e.Why) == "" {
			t.Errorf("testdata/exceptions.yaml: %q: the exception has no reason (why)", e.Functions)
		}
		for _, name := range e.Only {
			if !slices.Contains(replayed, name) {
				t.Errorf("testdata/exceptions.yaml: scenario %q is not replayed", name)
			}
		}
		for _, pattern := range e.Functions {
			if s := p.sources[e.Program]; s == nil || !s.has(pattern) {
				t.Errorf("testdata/exceptions.yaml: %q is not a function of a traced package of %q", pattern, e.Program)
			}
		}
	}
	return all
}

func (s *source) has(pattern funcname.Pattern) bool {
	for _, functions := range s.functions {
		if slices.ContainsFunc(functions, func(f function) bool { return pattern.Match(f.name) }) {
			return true
		}
	}
	return false
}

// explain reports whether an exception explains why a function is not in the trace.
func (all exceptions) explain(scenario, program, function string) bool {
	return slices.ContainsFunc(all, func(e exception) bool {
		return e.Program == program && (len(e.Only) == 0 || slices.Contains(e.Only, scenario)) && slices.ContainsFunc(e.Functions, func(p funcname.Pattern) bool { return p.Match(function) })
	})
}
