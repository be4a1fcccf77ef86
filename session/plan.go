package session

import (
	"context"
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// BuildAll builds kube-apiserver and etcd, with sample also the sample API server, and returns the paths of the
// programs. With plain it builds upstream's programs without tracing.
func (o ServerOptions) BuildAll(ctx context.Context, plain, sample bool, to Reporter) (paths []string, err error) {
	build, err := o.build(ctx, plain, to)
	if err != nil {
		return nil, err
	}
	paths = []string{build.APIServer.Path, build.Etcd.Path}
	if sample {
		program, err := o.buildSample(ctx, plain, to)
		if err != nil {
			return nil, err
		}
		paths = append(paths, program.Path)
	}
	return paths, nil
}

// WritePlan writes the steps that BuildAll would take.
func (o ServerOptions) WritePlan(ctx context.Context, plain, sample bool, w io.Writer, p message.Printer) error {
	edits, err := o.Edits.Dir()
	if err != nil {
		return err
	}
	wanted := apiserver.BuildOptions{Version: o.Version, Plain: plain, EditsDir: edits}
	if err := apiserver.WritePlan(ctx, w, p, wanted); err != nil || !sample {
		return err
	}
	fmt.Fprintln(w)
	return apiserver.WriteSamplePlan(ctx, w, p, wanted)
}
