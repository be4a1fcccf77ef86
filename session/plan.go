package session

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// BuildAll builds kube-apiserver, etcd, the optional programs of apiserver.Programs with
// these names, the programs of ControlPlane, and the server behind the aggregator, if any.
// It returns their paths. With plain it builds upstream's programs without tracing.
func (o ServerOptions) BuildAll(ctx context.Context, plain bool, optional []string, to Reporter) (paths []string, err error) {
	if !plain {
		if err := o.checkTrace(ctx, to); err != nil {
			return nil, err
		}
	}
	own, err := o.buildOwn(ctx, plain, to) // first, because the other builds take minutes, and Own may have a mistake
	if err != nil {
		return nil, err
	}
	build, err := o.build(ctx, plain, to)
	if err != nil {
		return nil, err
	}
	paths = []string{build.APIServer.Path, build.Etcd.Path}
	for _, name := range optional {
		program, err := o.buildOne(ctx, name, plain, to)
		if err != nil {
			return nil, err
		}
		paths = append(paths, program.Path)
	}
	plane, err := o.buildControlPlane(ctx, plain, to)
	if err != nil {
		return nil, err
	}
	if plane != nil {
		paths = append(paths, plane.Paths()...)
	}
	if own != nil {
		paths = append(paths, own.Path)
	}
	return paths, nil
}

// WritePlan writes the steps of BuildAll. If it finds a mistake in the server behind the
// aggregator, it returns an error and writes nothing.
func (o ServerOptions) WritePlan(ctx context.Context, plain bool, optional []string, w io.Writer, p message.Printer) error {
	wanted, err := o.buildOptions(plain, nil)
	if err != nil {
		return err
	}
	wanted.Dry = true
	if err := apiserver.CheckTrace(ctx, o.Own, wanted); err != nil {
		return err
	}
	var own bytes.Buffer
	if !o.Own.IsZero() {
		recipe, err := apiserver.OwnRecipe(ctx, o.Own, wanted)
		if err != nil {
			return err
		}
		fmt.Fprintln(&own)
		if err := recipe.WritePlan(ctx, &own, p); err != nil {
			return err
		}
	}
	if err := apiserver.WritePlan(ctx, w, p, wanted); err != nil {
		return err
	}
	for _, name := range optional {
		recipe, err := apiserver.Recipe(ctx, name, wanted)
		if err != nil {
			return err
		}
		fmt.Fprintln(w)
		if err := recipe.WritePlan(ctx, w, p); err != nil {
			return err
		}
	}
	if o.ControlPlane {
		if err := controlplane.WritePlan(ctx, w, p, wanted); err != nil {
			return err
		}
	}
	_, err = own.WriteTo(w)
	return err
}
