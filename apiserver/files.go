package apiserver

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// AddEdit copies a file of kube-apiserver's sources, or else of etcd's, or else of the sample server's, so that it can be
// edited. name is its path below the vendor folder, or the end of that path. AddEdit fetches the sources if necessary. It
// returns a message.UsageError if no file or several files have the name.
func AddEdit(ctx context.Context, edits program.Edits, name string, o BuildOptions) (program.Edit, error) {
	for _, programName := range editable {
		src, err := SourceOf(ctx, programName, o)
		if err != nil {
			return program.Edit{}, err
		}
		found, err := filesCalled(src.Dir, name)
		if err != nil {
			return program.Edit{}, err
		}
		switch len(found) {
		case 0:
		case 1:
			return edits.Add(programName, src.Dir, found[0])
		default:
			return program.Edit{}, ambiguousFile(name, found)
		}
	}
	return program.Edit{}, message.UsageErrorf("Kubernetes %s, its etcd and its sample server have no file %q: expected a path as traces show it, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\"", o.Version, name)
}

// filesCalled lists the Go files whose path is the name or ends in it.
func filesCalled(vendor, name string) ([]string, error) {
	name = filepath.ToSlash(name)
	if info, err := os.Stat(filepath.Join(vendor, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, ".go") {
		return []string{name}, nil
	}
	var found []string
	err := filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != path.Base(name) {
			return err
		}
		rel, err := filepath.Rel(vendor, file)
		if rel = filepath.ToSlash(rel); strings.HasSuffix(rel, "/"+name) && strings.HasSuffix(rel, ".go") {
			found = append(found, rel)
		}
		return err
	})
	return found, err
}
