// Package lessons holds the pages of this folder, so that they can be read where there is nothing but the binary.
package lessons

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Page returns a page in a language, by its name without language and ending: "03-get". The error of a page
// that is not there wraps fs.ErrNotExist.
func Page(name, lang string) (string, error) {
	text, err := fs.ReadFile(pages, fmt.Sprintf("%s.%s.md", name, lang))
	return string(text), err
}

// Names lists the pages, sorted.
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
	// Course is the kind of the page of a chapter of the course.
	Course Kind = "course"
	// Reference is the kind of a page for looking things up.
	Reference Kind = "reference"
	// Leaders is the kind of a page for those who lead a workshop.
	Leaders Kind = "leaders"
)

// Kinds lists the kinds, in the order in which lists have them.
func Kinds() []Kind { return []Kind{Course, Reference, Leaders} }

// KindOf returns the kind of a page: those of the course begin with the number of their chapter.
func KindOf(name string) Kind {
	switch {
	case name == "leaders":
		return Leaders
	case name[0] >= '0' && name[0] <= '9':
		return Course
	}
	return Reference
}
