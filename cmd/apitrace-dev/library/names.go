package library

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/renames"
	"github.com/kubeapitrace/apitrace/session"
)

// RecordNames reads the sources of all releases of apiserver.Readable and writes the
// names of their functions and types into the folder, with their renames, moves and
// removals. It downloads sources if necessary. It builds nothing.
func RecordNames(ctx context.Context, folder string, to session.Reporter) error {
	var b renames.Builder
	for _, version := range apiserver.Readable() {
		if err := ReadNames(ctx, version, &b, to); err != nil {
			return err
		}
	}
	return b.Library().Save(folder)
}

// ReadNames reads the source of a release and adds its names to b. It downloads the
// source if necessary.
func ReadNames(ctx context.Context, version string, b *renames.Builder, to session.Reporter) error {
	display := to.Building()
	dir, err := apiserver.ReleasedSource(ctx, apiserver.BuildOptions{Version: version, Progress: display})
	display.Close()
	if err != nil {
		return err
	}
	to.Notice("kube-apiserver %s: reading the names", version)
	source, err := renames.Read(version, dir, apiserver.Unread(dir)...)
	if err != nil {
		return err
	}
	return b.Add(source)
}
