package newrelease

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/cmd/apitrace-dev/library"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/renames"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// lacking counts the guide's functions that the previous release has and the new one
// lacks. It writes each to Out with its renames, moves or removal, as far as both
// releases' sources show them.
func (a *Addition) lacking(ctx context.Context, before string, to session.Reporter) (int, error) {
	names, err := read(ctx, to, before, a.Version)
	if err != nil {
		return 0, err
	}
	guide, err := instrument.Load()
	if err != nil {
		return 0, err
	}
	gone := goneOf(guide, names)
	for _, full := range gone {
		fmt.Fprintf(a.Out, "%s\n", full)
		if err := names.Write(a.Out, lineage.Function, full, message.For("en")); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}

// goneOf lists, sorted, the declared functions of the guide's steps that the older of
// two releases has and the newer lacks. It misses functions outside of the Kubernetes
// repository, which names lacks; the build reports those.
func goneOf(guide *instrument.Guide, names *lineage.Library) []string {
	before, release := names.Releases[0], names.Releases[1]
	var gone []string
	for _, step := range guide.Steps {
		declared, _ := funcname.SplitLiteral(string(step.Function))
		if step.Has(release) && names.Has(lineage.Function, declared, before) && !names.Has(lineage.Function, declared, release) {
			gone = append(gone, declared)
		}
	}
	slices.Sort(gone)
	return slices.Compact(gone)
}

// read reads releases' names, oldest first, with renames, moves and removals.
func read(ctx context.Context, to session.Reporter, versions ...string) (*lineage.Library, error) {
	var b renames.Builder
	for _, version := range versions {
		if err := library.ReadNames(ctx, version, &b, to); err != nil {
			return nil, err
		}
	}
	return b.Library(), nil
}
