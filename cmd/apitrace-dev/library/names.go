package library

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/renames"
	"github.com/kubeapitrace/apitrace/session"
)

// RecordNames reads the sources of all apiserver.Readable releases and writes the
// names of functions and types into the folder, with renames, moves and removals. It
// downloads sources if necessary, and builds nothing.
func RecordNames(ctx context.Context, folder string, to session.Reporter) error {
	var b renames.Builder
	for _, version := range apiserver.Readable() {
		if err := ReadNames(ctx, version, &b, to); err != nil {
			return err
		}
	}
	return b.Library().Save(folder)
}

// ReadNames reads a release's source, downloaded if necessary, and adds its names
// to b.
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
