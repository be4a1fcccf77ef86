// Package lessons embeds this folder's pages, so that the program can show them.
package lessons

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Page returns the text of a page in a language. name is the file's name without language
// and ending: "03-get". If there is no such page, the error wraps fs.ErrNotExist.
func Page(name, lang string) (string, error) {
	text, err := fs.ReadFile(pages, fmt.Sprintf("%s.%s.md", name, lang))
	return string(text), err
}

// Names lists the pages' names, sorted.
func Names() []string {
	files, _ := fs.Glob(pages, "*.en.md") // the pattern is well-formed
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".en.md")
	}
	return files
}

// A Kind says for whom a page is.
type Kind string

const (
	// Course is the kind of a course chapter's page.
	Course Kind = "course"
	// Reference is the kind of a page for looking things up.
	Reference Kind = "reference"
	// Leaders is the kind of a page for leaders of a workshop.
	Leaders Kind = "leaders"
)

// Kinds lists the kinds in the order in which lists show them.
func Kinds() []Kind { return []Kind{Course, Reference, Leaders} }

// KindOf returns a page's kind. Names of course pages begin with their chapter's number.
func KindOf(name string) Kind {
	switch {
	case name == "leaders":
		return Leaders
	case name[0] >= '0' && name[0] <= '9':
		return Course
	}
	return Reference
}
