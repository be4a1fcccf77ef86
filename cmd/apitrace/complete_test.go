package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// TestReleasesAreOffered completes the value of --k8s for every command with this flag,
// as a shell does.
func TestReleasesAreOffered(t *testing.T) {
	var paths [][]string
	var walk func(*cobra.Command, []string)
	walk = func(c *cobra.Command, path []string) {
		if c.Flags().Lookup("k8s") != nil {
			paths = append(paths, path)
		}
		for _, child := range c.Commands() {
			walk(child, append(path[:len(path):len(path)], child.Name()))
		}
	}
	walk(newRoot("apitrace", &console.Streams{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}), nil)
	if len(paths) < 20 {
		t.Errorf("only %d commands take --k8s, expected at least 20: %q", len(paths), paths)
	}
	for _, path := range paths {
		var out, notices bytes.Buffer
		args := append(append([]string{"apitrace", "__complete"}, path...), "--k8s", "")
		if err := execute(t.Context(), args, &console.Streams{Out: &out, Err: &notices}); err != nil || !strings.Contains(out.String(), "v1.37.1\n") {
			t.Errorf("%q: got the error %v and the output %q, expected v1.37.1 in it", args[1:], err, out.String())
		}
	}
}
