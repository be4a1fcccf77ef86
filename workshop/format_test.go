package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// conforms checks the text of an exercise against schema.json.
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

func TestCourseConformsToSchema(t *testing.T) {
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range course.Exercises() {
		text, err := os.ReadFile(e.File)
		if err != nil {
			t.Fatal(err)
		}
		if err := conforms(t, text); err != nil {
			t.Errorf("%s: %v", e.File, err)
		}
	}
}

// TestNew writes an exercise of each kind. Each exercise must be valid, and Verify must
// prove it.
func TestNew(t *testing.T) {
	judge, versions := recorded(t)
	dir := t.TempDir()
	for _, kind := range kinds {
		file := filepath.Join(dir, "01-mine", "10-my-"+string(kind)+".yaml")
		if err := WriteNew(file, kind); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := conforms(t, text); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if err := WriteNew(file, kind); err == nil {
			t.Errorf("WriteNew replaced the exercise %s, expected an error", file)
		}
	}
	course, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(course.Exercises()); n != len(kinds) {
		t.Errorf("the course has %d exercises, expected one of each of %d kinds", n, len(kinds))
	}
	// Exists says that no source has a function that the recordings lack.
	verifier := &Verifier{Judge: judge, Versions: versions, Exists: func(string, string) (bool, error) { return false, nil }}
	for _, e := range course.Exercises() {
		if _, err := verifier.Verify(e); err != nil {
			t.Error(err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		file string
		kind Kind
		want string
	}{
		{"01-a/10-b.yaml", "riddle", `unknown kind "riddle"`},
		{"01-a/b.yaml", KindFind, "not the name of an exercise"},
	} {
		err := WriteNew(filepath.Join(t.TempDir(), c.file), c.kind)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of kind %s: %v, expected %q", c.file, c.kind, err, c.want)
		}
	}
}

// valid is a valid exercise. Tests replace a line by a mistake.
const valid = `title: {en: T, zh: T}
teaches: {en: T, zh: T}
minutes: 1
scenario: get-node
also: {old: {scenario: get-node, k8s: v1.30}}
question: {en: Q, zh: Q}
find: {function: f, above: {process: etcd}}
wrong:
  - {try: g, when: {some: $answer}, reply: {en: R, zh: R}}
hints: [{en: H, zh: H}, {en: H, zh: H}, {en: H, zh: H}]
solution: {answer: f}
debrief: {en: D, zh: D}
`

func TestMistakesAreLocated(t *testing.T) {
	if _, err := parse("e.yaml", []byte(valid)); err != nil {
		t.Fatalf("the exercise without a mistake: %v", err)
	}
	for _, c := range []struct{ line, instead, want string }{
		{"minutes: 1", "minuets: 1", `e.yaml:3: unknown field "minuets"`},
		{"minutes: 1", "minutes: soon", "e.yaml:3: found \"soon\", expected a whole number"},
		{"minutes: 1", "minutes: 0", "e.yaml:3: minutes is 0"},
		{"title: {en: T, zh: T}", "title: {en: T}", "e.yaml:1: title has no Chinese text"},
		{"scenario: get-node", "", "e.yaml:1: scenario is missing"},
		{"find: {function: f, above: {process: etcd}}", "", "e.yaml:1: the question is missing"},
		{"find: {function: f, above: {process: etcd}}", "find: {function: f, above: {proces: etcd}}", `e.yaml:7: unknown field "proces"`},
		{"find: {function: f, above: {process: etcd}}", "find: {function: f, take: middle}", `e.yaml:7: take is "middle"`},
		{"find: {function: f, above: {process: etcd}}", "find: {in: older, function: f}", `e.yaml:7: there is no recording "older"`},
		{"find: {function: f, above: {process: etcd}}", "find:\n  function: f\n  above: {in: old, process: etcd}", "e.yaml:9: above selects calls of the same request"},
		{"find: {function: f, above: {process: etcd}}", "find:\n  function: f\n  above: {event: e, process: etcd}", "e.yaml:9: above selects calls of the same request"},
		{"find: {function: f, above: {process: etcd}}", "find:\n  function: f\n  request: 2\n  event: e", "e.yaml:10: request and event are both set"},
		{"find: {function: f, above: {process: etcd}}", "find: f\nvalue: {of: f}", "e.yaml:8: expected one question, found 2"},
		{"  - {try: g, when: {some: $answer}, reply: {en: R, zh: R}}", "  - {try: g, when: {}, reply: {en: R, zh: R}}", "e.yaml:9: the test is empty"},
		{"  - {try: g, when: {some: $answer}, reply: {en: R, zh: R}}", "  - {when: {some: g}, reply: {en: R, zh: R}}", "e.yaml:9: try is missing"},
		{"hints: [{en: H, zh: H}, {en: H, zh: H}, {en: H, zh: H}]", "hints: [{en: H, zh: H}]", "e.yaml:10: there are 1 hints"},
		{"solution: {answer: f}", "solution: {}", "e.yaml:11: solution has no answer"},
	} {
		text := strings.Replace(valid, c.line+"\n", c.instead+"\n", 1)
		if text == valid {
			t.Fatalf("no line %q to replace", c.line)
		}
		_, err := parse("e.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("with %q: %v\nexpected %s", c.instead, err, c.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	write := func(name, text string) string {
		dir := t.TempDir()
		for _, file := range []string{name, "01-a/chapter.yaml"} {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			content := "title: {en: T, zh: T}\nteaches: {en: T, zh: T}\n"
			if file == name {
				content = text
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(t.TempDir(), "none"), "no such file"},
		{t.TempDir(), "no chapters"},
		{write("01-a/first.yaml", valid), "does not have the name of an exercise"},
		{write("01-a/10-x.yaml", "minutes: x"), "10-x.yaml:1:"},
		{write("02-b/chapter.yaml", "titel: x"), `unknown field "titel"`},
		{write("02-b/chapter.yaml", "title: {en: a, zh: b}\nteaches: {en: a, zh: b}\nsince: 1.26\n"), `chapter.yaml:3: since is "1.26": expected a release`},
	} {
		if _, err := Open(c.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, expected %q", err, c.want)
		}
	}
}
