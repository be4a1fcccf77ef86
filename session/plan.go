package session

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// BuildAll builds kube-apiserver and etcd, with sample also the sample API server, and the server behind the aggregator
// if there is one. It returns the paths of the programs. With plain it builds upstream's programs without tracing.
func (o ServerOptions) BuildAll(ctx context.Context, plain, sample bool, to Reporter) (paths []string, err error) {
	own, err := o.buildOwn(ctx, plain, to) // first: a mistake in it is told before minutes have passed
	if err != nil {
		return nil, err
	}
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
	if own != nil {
		paths = append(paths, own.Path)
	}
	return paths, nil
}

// WritePlan writes the steps that BuildAll would take. It writes nothing if the server behind the aggregator cannot be built.
func (o ServerOptions) WritePlan(ctx context.Context, plain, sample bool, w io.Writer, p message.Printer) error {
	edits, err := o.Edits.Dir()
	if err != nil {
		return err
	}
	wanted := apiserver.BuildOptions{Version: o.Version, Plain: plain, EditsDir: edits}
	var own bytes.Buffer
	if !o.Own.IsZero() {
		behind := wanted
		behind.Own = o.Own
		fmt.Fprintln(&own)
		if err := apiserver.WriteOwnPlan(ctx, &own, p, behind); err != nil {
			return err
		}
	}
	if err := apiserver.WritePlan(ctx, w, p, wanted); err != nil {
		return err
	}
	if sample {
		fmt.Fprintln(w)
		if err := apiserver.WriteSamplePlan(ctx, w, p, wanted); err != nil {
			return err
		}
	}
	_, err = own.WriteTo(w)
	return err
}
