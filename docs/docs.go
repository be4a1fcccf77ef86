// Package docs embeds this folder's documents, so that a search finds them.
package docs

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.md
var documents embed.FS

// Names lists the names of the documents, sorted: "tree" for tree.md.
func Names() []string {
	files, _ := fs.Glob(documents, "*.md") // the pattern is well-formed
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".md"); !strings.HasSuffix(name, ".zh") {
			names = append(names, name)
		}
	}
	return names
}

// File returns the file of a document in a language, and its text. A document without
// this language is in English.
func File(name, lang string) (file, text string, err error) {
	for _, file := range []string{name + "." + lang + ".md", name + ".md"} {
		if text, err := documents.ReadFile(file); err == nil {
			return file, string(text), nil
		}
	}
	return "", "", &fs.PathError{Op: "open", Path: name + ".md", Err: fs.ErrNotExist}
}
