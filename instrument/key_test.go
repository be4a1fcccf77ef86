package instrument

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestKeyLeavesOutFilesForReaders checks that a changed file of this package changes the
// key only if the rewriter uses the file. forReaders are the files that the rewriter does
// not use.
func TestKeyLeavesOutFilesForReaders(t *testing.T) {
	hash := func(changed string) string {
		files := fstest.MapFS{}
		names, err := filepath.Glob("*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			files[name] = &fstest.MapFile{Data: []byte(name)}
		}
		if files[changed] == nil {
			t.Fatalf("there is no file %s", changed)
		}
		files[changed] = &fstest.MapFile{Data: []byte("changed")}
		var out strings.Builder
		addSource(&out, files, forReaders...)
		return out.String()
	}
	unchanged := hash("key_test.go")
	for _, name := range forReaders {
		if hash(name) != unchanged {
			t.Errorf("a change of %s changes the key, which rebuilds every server", name)
		}
	}
	if hash("rewrite.go") == unchanged {
		t.Error("a change of rewrite.go does not change the key")
	}
}

// TestKeyCoversWhatTheRewriterUses fails if the rewriter imports a package that is not in
// covered. The key of a build must cover the source of each package that determines the
// rewriter's output.
func TestKeyCoversWhatTheRewriterUses(t *testing.T) {
	covered := []string{
		"instrument/probe",
		"internal/funcname",
		"internal/message", // only for notes and titles, which do not become code
		"internal/release", // the key covers the entries that it selects
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(forReaders, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			ours, ok := strings.CutPrefix(path, "github.com/kubeapitrace/apitrace/")
			if ok && !slices.Contains(covered, ours) {
				t.Errorf("%s imports %s: let Guide.Key add its source, or add it to covered with the reason why that is not necessary", name, ours)
			}
		}
	}
}
