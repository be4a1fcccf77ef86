package scenarios

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

//go:embed library/*.yaml
var library embed.FS

// Schema is the JSON Schema of scenario files, for editors.
//
//go:embed schema.json
var Schema string

// List returns apitrace's own scenarios, by topic, then by name.
func List() ([]*Scenario, error) {
	entries, err := library.ReadDir("library")
	if err != nil {
		return nil, message.Errorf("listing the scenarios: %w", err)
	}
	var all []*Scenario
	for _, entry := range entries {
		s, err := readFS(library, "library/"+entry.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Scenario) int {
		return cmp.Or(
			cmp.Compare(slices.Index(topics, a.Topic), slices.Index(topics, b.Topic)),
			cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// libraryNames lists the names of apitrace's own scenarios. Each file is named after its
// scenario.
func libraryNames() []string {
	files, _ := fs.Glob(library, "library/*.yaml") // fails only for a malformed pattern
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".yaml")
	}
	return files
}

// Find returns a scenario by name. If the name has a slash or a backslash, or ends in
// .yaml or .yml, it is the path of a file to read.
func Find(name string) (*Scenario, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return ReadFile(name)
	}
	known, err := Known(name)
	if err != nil && isFolder(name) {
		return nil, folderError(name)
	}
	return known, err
}

// Known returns a scenario of the library by name. It reads no file of this machine, so
// the name may come from anybody.
func Known(name string) (*Scenario, error) {
	names := libraryNames()
	if slices.Contains(names, name) {
		return readFS(library, "library/"+name+".yaml")
	}
	return nil, &UnknownError{Name: name, Nearest: text.Nearest(name, names, 3)}
}

// An UnknownError reports that no scenario has the name.
type UnknownError struct {
	Name string
	// Nearest lists the most similar names, if any are similar.
	Nearest []string
}

func (e *UnknownError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *UnknownError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *UnknownError) message() message.Message {
	if len(e.Nearest) > 0 {
		return message.Of("unknown scenario %q: did you mean %s? \"apitrace scenarios\" lists all scenarios; to use a file, give its path, such as \"./mine.yaml\"", e.Name, message.Alternatives(e.Nearest))
	}
	return message.Of("unknown scenario %q: \"apitrace scenarios\" lists all scenarios; to use a file, give its path, such as \"./mine.yaml\"", e.Name)
}

// Names lists the library's scenarios for the completion of shells: a name, a tab, and
// the title.
func Names(lang string) ([]string, error) {
	all, err := List()
	var names []string
	for _, s := range all {
		names = append(names, s.Name+"\t"+s.Title.In(lang))
	}
	return names, err
}
