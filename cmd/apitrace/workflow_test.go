package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestWorkflowOfContributors runs the last step of the workflow in docs/contributors.md
// as GitHub does. A shell script takes the place of apitrace.
func TestWorkflowOfContributors(t *testing.T) {
	page, err := os.ReadFile("../../docs/contributors.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/contributors.md has no workflow")
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(block[1], &workflow); err != nil {
		t.Fatal(err)
	}
	steps := workflow.Jobs["path"].Steps
	script := steps[len(steps)-1].Run
	for _, test := range []struct {
		name, affected, diff string
		succeeds             bool
		summary              string
	}{
		{"nothing is affected", "true", "exit 2", true, ""},
		{"the paths are the same", "printf 'a\\nb\\n'", "exit 0", true, "a b "},
		{"the paths differ", "printf 'a\\nb\\nc\\nd\\n'", "exit 1", true, "a b c "},
		{"affected fails", "exit 2", "exit 0", false, ""},
		{"diff fails", "echo a", "exit 2", false, "a "},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "apitrace", "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		program := "#!/bin/sh\nif [ \"$*\" = 'affected ./kubernetes@origin/master ./kubernetes -o names' ]; then " + test.affected + "; exit; fi\n" +
			"[ \"$*\" = \"diff $2 ./kubernetes@origin/master ./kubernetes -o markdown\" ] || exit 9\nprintf '%s ' \"$2\"\n" + test.diff + "\n"
		if err := os.WriteFile(filepath.Join(dir, "apitrace", "bin", "apitrace"), []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "bash", "-e", "-c", script)
		command.Dir = dir
		command.Env = append(os.Environ(), "GITHUB_BASE_REF=master", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		out, err := command.CombinedOutput()
		summary, _ := os.ReadFile(filepath.Join(dir, "summary")) // without a call of diff, the file does not exist
		if (err == nil) != test.succeeds || string(summary) != test.summary {
			t.Errorf("%s: got the error %v and the summary %q, expected the summary %q\n%s", test.name, err, summary, test.summary, out)
		}
	}
}
