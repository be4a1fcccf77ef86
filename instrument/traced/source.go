package traced

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// A Source is the pristine source of a program and of all its dependencies.
type Source struct {
	// Program is the program's name, Version its own version.
	Program, Version string
	// Dir is the vendor folder. Paths of files in calls are relative to it.
	Dir string
}

// Source returns the source of the program. It fetches the source if necessary, and
// builds nothing.
func (r *Recipe) Source(ctx context.Context) (*Source, error) {
	o := r.options
	o.Rewrite = nil // the pristine source does not depend on it
	dir, err := program.SourceTree(ctx, r.Program, o)
	if err != nil {
		return nil, r.explained(err)
	}
	return &Source{Program: r.Program.Name, Version: r.Program.Release(), Dir: dir}, nil
}

// FilesNamed returns the Go file with this path. If there is none, it returns all
// files with a path that ends in "/" and the path.
func (s *Source) FilesNamed(name string) ([]string, error) {
	name = filepath.ToSlash(name)
	if info, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, ".go") {
		return []string{name}, nil
	}
	var found []string
	err := filepath.WalkDir(s.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != path.Base(name) {
			return err
		}
		rel, err := filepath.Rel(s.Dir, file)
		if rel = filepath.ToSlash(rel); strings.HasSuffix(rel, "/"+name) && strings.HasSuffix(rel, ".go") {
			found = append(found, rel)
		}
		return err
	})
	return found, err
}
