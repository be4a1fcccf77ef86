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

// TestAtMostTenFolders counts the folders at the top with Go code, docs and e2e aside.
func TestAtMostTenFolders(t *testing.T) {
	const atMost = 10
	var folders []string
	for _, file := range goFiles(t) {
		folder, _, below := strings.Cut(file, "/")
		if below && folder != "docs" && folder != "e2e" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if len(folders) == 0 || len(folders) > atMost {
		t.Errorf("%d folders hold Go code, expected 1 to %d: %q", len(folders), atMost, folders)
	}
}

// TestCommandLineStaysThin limits the lines of the command line, tests aside. Logic that another
// front end could use belongs in the package that owns it.
func TestCommandLineStaysThin(t *testing.T) {
	const atMost = 2500
	lines := 0
	for _, file := range goFiles(t) {
		if !strings.HasPrefix(file, "cmd/apitrace/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines == 0 || lines > atMost {
		t.Errorf("cmd/apitrace has %d lines without its tests, expected 1 to %d: move logic to the package that owns it", lines, atMost)
	}
}

// goFiles lists the Go files of the repository by their paths below it.
func goFiles(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "*.go")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("the files are counted in a checkout: %v", err)
	}
	return strings.Fields(string(out))
}
