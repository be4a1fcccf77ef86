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
