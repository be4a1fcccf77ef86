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

// TestKeyLeavesOutFilesForReaders changes a file of the package: the key's hash changes
// only if the rewriter uses the file.
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
			t.Errorf("a change of %s rebuilds every server", name)
		}
	}
	if hash("rewrite.go") == unchanged {
		t.Error("a change of rewrite.go rebuilds no server")
	}
}

// TestKeyCoversWhatTheRewriterUses fails if the rewriter imports a package that
// determines its output, and the key of a build does not cover the package's source.
func TestKeyCoversWhatTheRewriterUses(t *testing.T) {
	covered := []string{
		"instrument/probe",
		"internal/funcname",
		"internal/message", // notes and titles, which do not become code
		"internal/release", // the key is made of the entries that hold for the release
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
				t.Errorf("%s imports %s: let Guide.Key add its source, or say here why it need not", name, ours)
			}
		}
	}
}
