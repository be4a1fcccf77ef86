package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestImportsGoInOneDirection compares the packages and their imports with the table in
// CONTRIBUTING.md, which lists each package below those that it imports.
func TestImportsGoInOneDirection(t *testing.T) {
	const page, module = "../../CONTRIBUTING.md", "github.com/kubeapitrace/apitrace/"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var folders []string // in the order of the table
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+`) \\|").FindAllStringSubmatch(string(text), -1) {
		for folder := range strings.SplitSeq(row[1], ", ") {
			folders = append(folders, strings.Trim(folder, "`"))
		}
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		at := slices.Index(folders, strings.TrimPrefix(paths[0], module))
		if at < 0 {
			t.Errorf("%s has no row in the table of %s", paths[0], page)
			continue
		}
		for _, imported := range paths[1:] {
			folder, ours := strings.CutPrefix(imported, module)
			if ours && !slices.Contains(folders[:at], folder) {
				t.Errorf("%s imports %s, which %s does not list above it", folders[at], folder, page)
			}
		}
	}
}
