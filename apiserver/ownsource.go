package apiserver

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// OwnSource is SourceOf for BuildOptions.Own.
func OwnSource(ctx context.Context, o BuildOptions) (*Source, error) {
	_, src, err := o.ownSource(ctx)
	return src, err
}

func (o BuildOptions) ownSource(ctx context.Context) (program.Program, *Source, error) {
	o.Plain = true // the source is the same
	p, options, _, err := o.own(ctx)
	if err != nil {
		return p, nil, err
	}
	dir, err := program.SourceTree(ctx, p, options)
	return p, &Source{Program: p.Name, Version: p.Version, Dir: dir}, err
}

// editsOf names the folder of the edits of a server of the user's own: those of one version do not fit another one. The sample
// server has one version for each release.
func editsOf(p program.Program) string {
	if p.Name == sampleserver.Name {
		return p.Name
	}
	return p.Name + "@" + p.Version
}

// OfOwn reports whether an edit is of a server of the user's own, other than the sample server.
func OfOwn(e program.Edit) bool { return strings.Contains(e.Program, "@") }

// OwnEdits lists the edits with which BuildOwn would build BuildOptions.Own. A folder has none.
func OwnEdits(ctx context.Context, o BuildOptions) ([]program.Edit, error) {
	if o.Own.IsFolder() {
		return nil, nil
	}
	_, _, edits, err := o.own(ctx)
	return edits, err
}

// editedOwn lists the names of editsOf that have edits for a release.
func editedOwn(edits program.Edits) []string {
	if edits.Dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(edits.Dir, edits.Version)) // without a folder, none
	var names []string
	for _, e := range entries {
		if OfOwn(program.Edit{Program: e.Name()}) {
			names = append(names, e.Name())
		}
	}
	return names
}

// AddOwnEdit is AddEdit for a file of BuildOptions.Own, which must be a released module.
func AddOwnEdit(ctx context.Context, edits program.Edits, name string, o BuildOptions) (program.Edit, error) {
	if o.Own.IsFolder() {
		return program.Edit{}, message.UsageErrorf("apitrace edit copies files of released source: edit the file below %q itself; the next command with --server %[1]s builds it", o.Own.Server)
	}
	p, src, err := o.ownSource(ctx)
	if err != nil {
		return program.Edit{}, err
	}
	found, err := filesCalled(src.Dir, name)
	switch {
	case err != nil:
		return program.Edit{}, err
	case len(found) == 0:
		return program.Edit{}, message.UsageErrorf("%s has no file %q: expected a path as traces show it, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\"", p, name)
	case len(found) > 1:
		return program.Edit{}, ambiguousFile(name, found)
	}
	return edits.Add(editsOf(p), src.Dir, found[0])
}

func ambiguousFile(name string, found []string) error {
	return message.UsageErrorf("%q names %d files; give more of the path:\n  %s", name, len(found), strings.Join(found, "\n  "))
}

// OwnFolders lists the folders with source of an API server in a folder: those that belong to its module, and those of
// replacements by folders in its go.mod, and those of the other modules of its Go workspace.
func OwnFolders(o serverconfig.Own) ([]string, error) {
	top, err := filepath.Abs(o.Server)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		return nil, noModule(o, err)
	}
	goMod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, message.Errorf("reading the go.mod of %s: %w", o.Server, err)
	}
	tops, err := program.WorkspaceFolders(top)
	if err != nil {
		return nil, message.Errorf("reading the go.work of %s: %w", o.Server, err)
	}
	tops = slices.DeleteFunc(tops, func(folder string) bool { return filepath.FromSlash(folder) == top })
	tops = slices.Insert(tops, 0, top)
	for _, r := range goMod.Replace {
		if r.New.Version == "" {
			dir := filepath.FromSlash(r.New.Path)
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(top, dir)
			}
			tops = append(tops, dir)
		}
	}
	var folders []string
	for _, top := range tops {
		if err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != top {
				return fs.SkipDir // a module of its own
			}
			if file != top && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || slices.Contains([]string{"vendor", "testdata"}, d.Name())) {
				return fs.SkipDir
			}
			folders = append(folders, file)
			return nil
		}); err != nil {
			return nil, message.Errorf("reading the folders of %s: %w", o.Server, err)
		}
	}
	return folders, nil
}
