package scenarios

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

//go:embed library/*.yaml
var library embed.FS

// Schema is the JSON Schema of scenario files, for editors.
//
//go:embed schema.json
var Schema string

// List returns the scenarios that come with apitrace, by topic, then by name.
func List() ([]*Scenario, error) {
	entries, err := library.ReadDir("library")
	if err != nil {
		return nil, fmt.Errorf("listing the scenarios: %w", err)
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
			cmp.Compare(slices.Index(Topics, a.Topic), slices.Index(Topics, b.Topic)),
			cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// libraryNames lists the names of the scenarios that come with apitrace: they are called as their files are.
func libraryNames() []string {
	files, _ := fs.Glob(library, "library/*.yaml") // fails only for a malformed pattern
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".yaml")
	}
	return files
}

// Find returns a scenario by its name, or, where what is asked for looks like a
// path (it has a slash or ends in .yaml or .yml), from that file.
func Find(name string) (*Scenario, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return ReadFile(name)
	}
	all, err := List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, &UnknownError{Name: name, Nearest: nearest(name, names, 3)}
}

// An UnknownError says that no scenario has the name that was asked for.
type UnknownError struct {
	Name string
	// Nearest lists the names that are most like it, if any is like it at all.
	Nearest []string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("unknown scenario %q: ", e.Name)
	if len(e.Nearest) > 0 {
		text += "did you mean " + quoted(e.Nearest) + "? "
	}
	return text + "\"apitrace scenarios\" lists all, and a path such as \"./mine.yaml\" plays a file"
}

// nearest returns up to n of the names that are most like the wanted one, the nearest
// first: one of which more than half would have to be written anew is not like it.
func nearest(want string, names []string, n int) []string {
	like := slices.DeleteFunc(byDistance(want, names), func(name string) bool {
		return 2*levenshtein.ComputeDistance(want, name) > max(len(want), len(name))
	})
	return like[:min(n, len(like))]
}

// byDistance returns the names, each once, those that are most like the wanted one first.
func byDistance(want string, names []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(names)))
	distance := map[string]int{}
	for _, name := range unique {
		distance[name] = levenshtein.ComputeDistance(want, name)
	}
	slices.SortStableFunc(unique, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return unique
}

// quoted joins names for a message: "a", "b" or "c".
func quoted(names []string) string {
	var text strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%q", name)
	}
	return text.String()
}
