package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestImportsGoInOneDirection compares the imports with the table of folders in
// CONTRIBUTING.md: a package imports packages of its own folder and of the folders above
// it in the table.
func TestImportsGoInOneDirection(t *testing.T) {
	const page, module = "../../CONTRIBUTING.md", "github.com/kubeapitrace/apitrace/"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| folder |")
	table, _, _ = strings.Cut(table, "\n\n")
	var layers []string // from the bottom up
	for _, row := range regexp.MustCompile("(?m)^\\| `(.+?)` \\|").FindAllStringSubmatch(table, -1) {
		layers = append(layers, row[1])
	}
	layer := func(path string) (number int, ours bool) {
		folder, ours := strings.CutPrefix(path, module)
		folder, _, _ = strings.Cut(folder, "/")
		return slices.Index(layers, folder), ours
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		at, _ := layer(paths[0])
		if at < 0 {
			t.Errorf("the folder of %s has no row in the table of %s", paths[0], page)
		}
		for _, imported := range paths[1:] {
			if below, ours := layer(imported); ours && below > at {
				t.Errorf("%s imports %s, but the folder of the import is further down in the table of %s", paths[0], imported, page)
			}
		}
	}
}
