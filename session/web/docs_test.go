package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/kubeapitrace/apitrace/session/web"
)

// example is a command of docs/api.md, and the excerpt of its answer if there is one.
var example = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?")

// TestExamplesOfTheDocs runs the commands of docs/api.md and compares their answers with the excerpts.
func TestExamplesOfTheDocs(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	address := start(t, web.Options{})
	examples := example.FindAllStringSubmatch(string(page), -1)
	if len(examples) < 10 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		command := exec.CommandContext(t.Context(), "bash", "-c", e[1])
		command.Env = append(os.Environ(), "TOKEN="+token, "SERVER="+address)
		out, err := command.Output()
		if err != nil {
			t.Errorf("%s: %v: %s", e[1], err, out)
			continue
		}
		var got, want any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Errorf("%s: %v: %.200s", e[1], err, out)
			continue
		}
		if e[2] == "" {
			continue
		}
		if err := json.Unmarshal([]byte(e[2]), &want); err != nil {
			t.Errorf("the excerpt below %s: %v", e[1], err)
		} else if !isExcerpt(want, got) {
			t.Errorf("%s answers\n%.500s\nof which this is no excerpt:\n%s", e[1], out, e[2])
		}
	}
}

// isExcerpt reports whether part is an excerpt of whole: a list begins with the elements of the excerpt's, and an
// object has its fields.
func isExcerpt(part, whole any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		for name, value := range part {
			if field, has := object[name]; !has || !isExcerpt(value, field) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := whole.([]any)
		if !ok || len(list) < len(part) {
			return false
		}
		for i, value := range part {
			if !isExcerpt(value, list[i]) {
				return false
			}
		}
		return true
	}
	return part == whole
}
