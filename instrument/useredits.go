package instrument

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// editedOverlay writes the edited files below Options.Out, without spans, and returns
// their overlay. If the rewriter changes such a file later, its copy replaces this one.
func editedOverlay(opts Options) (map[string]string, error) {
	overlay := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(opts.Edited)) {
		pristine := filepath.Join(opts.Vendor, filepath.FromSlash(name))
		if _, err := os.Stat(pristine); err != nil {
			return nil, fmt.Errorf("%q is edited, and %s %s has no such file: %w", name, opts.Program, opts.Version, err)
		}
		changed, err := write(opts.Out, path.Dir(name), path.Base(name), opts.Edited[name].Text)
		if err != nil {
			return nil, err
		}
		overlay[pristine] = changed
	}
	return overlay, nil
}

// parseFile parses a file of the vendor tree, or the edited text that replaces the file.
func (o *Options) parseFile(fset *token.FileSet, name string) (*sourceFile, error) {
	rel, err := filepath.Rel(o.Vendor, name)
	if err != nil {
		return nil, err
	}
	edited, ok := o.Edited[filepath.ToSlash(rel)]
	if !ok {
		return parseFile(fset, name)
	}
	f, err := parseText(fset, edited.Path, edited.Text)
	if err == nil {
		f.name = name
	}
	return f, err
}

// editedIn returns the EditedFile.Path of each edited file in a package.
func editedIn(opts Options, importPath string) []string {
	var files []string
	for _, name := range slices.Sorted(maps.Keys(opts.Edited)) {
		if path.Dir(name) == importPath {
			files = append(files, opts.Edited[name].Path)
		}
	}
	return files
}
