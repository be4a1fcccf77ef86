package apiserver

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// ownEdits separates the name and the version of a server of the user's own, in the name
// of its folder of edits. Each version has its own folder, because the source differs.
const ownEdits = "@"

// OwnSource is SourceOf for a server of the user's own.
func OwnSource(ctx context.Context, own serverconfig.Own, o BuildOptions) (*traced.Source, error) {
	o.Plain = true // the source is the same
	recipe, err := OwnRecipe(ctx, own, o)
	if err != nil {
		return nil, err
	}
	return recipe.Source(ctx)
}

// OfOwn reports whether an edit belongs to a server of the user's own. The release's
// sample server is one of Programs, so its edits do not count.
func OfOwn(e program.Edit) bool { return strings.Contains(e.Program, ownEdits) }

// editedOwn lists the folders with edits of the user's own servers for a release.
func editedOwn(edits program.Edits) []string {
	if edits.Dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(edits.Dir, edits.Version)) // a missing folder has no entries
	var names []string
	for _, e := range entries {
		if OfOwn(program.Edit{Program: e.Name()}) {
			names = append(names, e.Name())
		}
	}
	return names
}

// AddOwnEdit is AddEdit for a file of a server of the user's own.
// The server must be a released module.
func AddOwnEdit(ctx context.Context, own serverconfig.Own, edits program.Edits, name string, o BuildOptions) (program.Edit, error) {
	if own.IsFolder() {
		return program.Edit{}, message.UsageErrorf("apitrace edit copies files of released source: edit the file below %q itself; the next command with --server %[1]s builds it", own.Server)
	}
	recipe, err := OwnRecipe(ctx, own, o)
	if err != nil {
		return program.Edit{}, err
	}
	src, err := recipe.Source(ctx)
	if err != nil {
		return program.Edit{}, err
	}
	file, err := fileNamed(src, name)
	if err != nil {
		return program.Edit{}, err
	}
	if file == "" {
		return program.Edit{}, message.UsageErrorf("%s has no file %q: expected a path as traces show it, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\"", recipe.Program, name)
	}
	return edits.Add(recipe.EditsName, src.Dir, file)
}

// OwnFolders lists the source folders of an API server in a folder. They are in the
// server's module, in the other modules of its Go workspace, and in the folders that
// replace modules in its go.mod.
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
				return fs.SkipDir // another module
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
