package web_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/ui/web"
)

// example matches a command in docs/api.md, with
// the excerpt of its answer if there is one.
var example = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?")

// TestExamplesOfTheDocs runs the commands in docs/api.md
// and compares their answers with the excerpts.
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
	if commands := strings.Count(string(page), "\ncurl "); commands < 10 || commands > len(examples) {
		t.Fatalf("docs/api.md has %d commands, and %d are found as examples: expected at least 10, and all", commands, len(examples))
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "node.jsonl"), []byte(handmade(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		command := exec.CommandContext(t.Context(), "bash", "-c", e[1])
		command.Env = append(os.Environ(), "TOKEN="+token, "SERVER="+address)
		command.Dir = folder
		if strings.Contains(e[1], "/live/events") { // this stream does not end
			if first := firstLine(t, command); first != "event: servers" {
				t.Errorf("the output of %s begins with %q, expected the event servers", e[1], first)
			}
			continue
		}
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
			t.Errorf("%s answers\n%.500s\nThe page has another excerpt:\n%s", e[1], out, e[2])
		}
	}
}

// firstLine starts a command, kills it after its
// first line of output, and returns that line.
func firstLine(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = command.Wait() // it was killed
	return strings.TrimSpace(line)
}

// isExcerpt reports whether part is an excerpt of whole. A
// list must begin with the elements of the excerpt's list.
// An object must have the fields of the excerpt's object.
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
