package scenarios

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// conforms checks YAML text against schema.json.
func conforms(t *testing.T, text []byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestLibraryConformsToSchema(t *testing.T) {
	files, err := filepath.Glob("library/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := conforms(t, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestLibraryIsComplete(t *testing.T) {
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if _, err := os.Stat("library/" + s.Name + ".yaml"); err != nil {
			t.Errorf("scenario %q is not in a file of its name", s.Name)
		}
		for what, text := range map[string]message.Text{"title": s.Title, "description": s.Description, "teaches": s.Teaches} {
			if text.En == "" || text.Zh == "" {
				t.Errorf("%s: %s lacks a language", s.Name, what)
			}
		}
		if (s.Varies.En == "") != (s.Varies.Zh == "") {
			t.Errorf("%s: varies lacks a language", s.Name)
		}
		if title := TopicTitle(s.Topic); title.IsZero() {
			t.Errorf("%s: its topic %q has no title", s.Name, s.Topic)
		}
		for _, r := range s.Requests {
			if r.Traced && len(r.Expect.Calls) == 0 {
				t.Errorf("%s: the trace of %s %s is not checked: give expect.calls", s.Name, r.Method, r.Path)
			}
		}
	}
}

func TestListIsByTopic(t *testing.T) {
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(all) - 1 {
		a, b := all[i], all[i+1]
		topics := cmp.Compare(slices.Index(topics, a.Topic), slices.Index(topics, b.Topic))
		if topics > 0 || topics == 0 && a.Name >= b.Name {
			t.Errorf("List returns %s (%s) before %s (%s), expected the opposite order", a.Name, a.Topic, b.Name, b.Topic)
		}
	}
}

// A pair consists of two scenarios of the library and is listed once.
func TestPairs(t *testing.T) {
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]string]bool{}
	for _, s := range all {
		for _, pair := range s.Pairs {
			if _, err := Find(pair.With); err != nil {
				t.Errorf("%s: finding the other scenario of a pair: %v", s.Name, err)
			}
			if pair.Teaches.En == "" || pair.Teaches.Zh == "" {
				t.Errorf("%s and %s: what the pair teaches lacks a language", s.Name, pair.With)
			}
			key := [2]string{min(s.Name, pair.With), max(s.Name, pair.With)}
			if seen[key] || s.Name == pair.With {
				t.Errorf("the pair of %s and %s is listed twice, or has only one scenario", s.Name, pair.With)
			}
			seen[key] = true
		}
	}
	if len(seen) == 0 {
		t.Error("the library has no pairs")
	}
}

func TestFindUnknown(t *testing.T) {
	_, err := Find("get-nodes")
	want := `unknown scenario "get-nodes": did you mean "get-node", `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s...", err, want)
	}
}

func TestFindFolder(t *testing.T) {
	for _, name := range []string{".", "./", "testdata", "./testdata"} {
		_, err := Find(name)
		want := fmt.Sprintf("%q is a folder: expected one scenario file, such as %q", name, filepath.Join(name, "mine.yaml"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestFindFile(t *testing.T) {
	s, err := Find("testdata/body-file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Requests[0].Body.JSON()); got != `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n9"}}` {
		t.Errorf("the body is %s, expected the node n9 of the file", got)
	}
	if _, err := Find("testdata/none.yaml"); err == nil || !strings.Contains(err.Error(), "testdata/none.yaml") {
		t.Errorf("a missing file: got %v, expected an error with its name", err)
	}
}

// The example in the documentation is a valid scenario.
func TestDocumentedExample(t *testing.T) {
	for _, name := range []string{"docs/scenarios.md", "docs/scenarios.zh.md"} {
		page, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(page), "```yaml\n")
		example, _, found := strings.Cut(rest, "```")
		if !found {
			t.Fatalf("%s has no example", name)
		}
		if _, err := parse(name, []byte(example), noFiles); err != nil {
			t.Error(err)
		}
		if err := conforms(t, []byte(example)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
