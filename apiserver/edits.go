package apiserver

import (
	"context"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// ListEdits lists the edits of Programs, and of the user's own servers.
func ListEdits(edits program.Edits) ([]program.Edit, error) {
	var all []program.Edit
	for _, name := range slices.Concat(programNames(), editedOwn(edits)) {
		of, err := edits.List(name)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// AddEdit copies a source file for editing, from the first of Programs that has it.
// name is the file's path below the vendor folder, or the path's end.
// AddEdit fetches the sources if necessary.
// It returns a message.UsageError if no program has the file, or if the first program
// with such files has several.
func AddEdit(ctx context.Context, edits program.Edits, name string, o BuildOptions) (program.Edit, error) {
	for _, p := range Programs() {
		src, err := SourceOf(ctx, p.Name, o)
		if err != nil {
			return program.Edit{}, err
		}
		if file, err := fileNamed(src, name); err != nil {
			return program.Edit{}, err
		} else if file != "" {
			return edits.Add(p.Name, src.Dir, file)
		}
	}
	return program.Edit{}, message.UsageErrorf("Kubernetes %s, its etcd and its sample server have no file %q: expected a path as traces show it, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\"", o.Version, name)
}

// fileNamed returns the path of the only file of a source with a name, or "".
// It returns a message.UsageError if several files have the name.
func fileNamed(src *traced.Source, name string) (string, error) {
	found, err := src.FilesNamed(name)
	if len(found) > 1 {
		return "", message.UsageErrorf("%q names %d files; give more of the path:\n  %s", name, len(found), strings.Join(found, "\n  "))
	}
	return strings.Join(found, ""), err
}

// RevertEdit undoes an edit, and removes builds with the edit from the cache.
// A nil cache means the default cache.
// If a server runs such a build, trimming the cache removes it later.
func RevertEdit(edits program.Edits, e program.Edit, c *program.Cache) error {
	if err := edits.Revert(e); err != nil {
		return err
	}
	if c == nil {
		var err error
		if c, err = program.OpenCache(""); err != nil {
			return err
		}
	}
	if name, version, own := strings.Cut(e.Program, ownEdits); own {
		return c.DropEdited(name, version, e.Name)
	}
	p, ok := traced.Find(Programs(), e.Program)
	if !ok {
		return nil
	}
	found, err := cached(p, edits.Version, c)
	if err != nil {
		return nil // no program of that release was ever built
	}
	return c.DropEdited(found.Name, found.Version, e.Name)
}
