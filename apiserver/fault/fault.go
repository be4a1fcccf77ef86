// Package fault holds the faults of the course's last chapter. A fault is a small
// patch of kube-apiserver's source. Package recordings has a recording of a server with
// the patch. It has the fault's name.
package fault

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/kubeapitrace/apitrace/internal/message"
)

//go:embed patches/*.patch
var embedded embed.FS

// A Fault is a patch, with the scenario that shows its effect.
type Fault struct {
	// Name is the name of the fault and of its recording. It does not say what is wrong.
	Name string
	// Scenario is the name of the scenario to replay.
	Scenario string
	// Cold is set if the scenario is replayed without its warm-ups, because they would
	// hide the fault.
	Cold bool
	// Diff is the patch as a unified diff.
	Diff string

	files []*gitdiff.File
}

var all = sync.OnceValues(func() ([]*Fault, error) {
	names, err := fs.Glob(embedded, "patches/*.patch")
	if err != nil {
		return nil, err
	}
	var faults []*Fault
	for _, name := range names {
		text, err := embedded.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parse(strings.TrimSuffix(path.Base(name), ".patch"), string(text))
		if err != nil {
			return nil, message.Errorf("reading the patch %s: %w", name, err)
		}
		faults = append(faults, f)
	}
	return faults, nil
})

// List returns all faults, sorted by name.
func List() ([]*Fault, error) { return all() }

// Find returns the fault with this name, or nil if there is none.
func Find(name string) (*Fault, error) {
	faults, err := List()
	for _, f := range faults {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, err
}

// parse reads a patch. Before the diff, it has a line "Scenario: NAME". A line
// "Warmup: none" sets Cold.
func parse(name, text string) (*Fault, error) {
	f := &Fault{Name: name}
	files, head, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(head) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "":
		case "Scenario":
			f.Scenario = value
		case "Warmup":
			f.Cold = value == "none"
		default:
			return nil, message.Errorf("unknown line %q: expected Scenario or Warmup", strings.TrimSpace(line))
		}
	}
	if f.Scenario == "" || len(files) == 0 {
		return nil, message.Errorf("the scenario or the diff is missing")
	}
	f.files, f.Diff = files, strings.TrimLeft(strings.TrimPrefix(text, head), "\n")
	return f, nil
}

// Files lists the paths of the patched files below the vendor folder.
func (f *Fault) Files() []string {
	var names []string
	for _, file := range f.files {
		names = append(names, file.NewName)
	}
	return names
}

// Apply returns the text of a file with the patch applied. The file must be one of
// Files. Apply fails if the patch's context does not match.
func (f *Fault) Apply(name string, text []byte) ([]byte, error) {
	for _, file := range f.files {
		if file.NewName != name {
			continue
		}
		var out bytes.Buffer
		if err := gitdiff.Apply(&out, bytes.NewReader(text), file); err != nil {
			return nil, message.Errorf("applying %s to %s: %w", f.Name, name, err)
		}
		return out.Bytes(), nil
	}
	return nil, message.Errorf("%s does not patch %s", f.Name, name)
}
