package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// serveOptions say which server to keep running.
type serveOptions struct {
	server serverOptions
}

func newServeCommand(io *streams) *cobra.Command {
	o := &serveOptions{}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Keep a server running that later runs use",
		Long: `Start a kube-apiserver that can be traced, and its etcd, and keep them running until
Ctrl-C. Meanwhile "apitrace run" uses them instead of starting its own. They listen
on this machine alone.

The path of a kubeconfig for the administrator goes to standard output once the server
is ready. There is also one for "learner", the ordinary user of the scenarios. Nothing
is written to your own kubeconfig.`,
		Example: `  apitrace serve

  # then, in another terminal
  apitrace run get-node`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.server.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), io)
		},
	}
	o.server.addFlags(command)
	return command
}

func (o *serveOptions) run(ctx context.Context, io *streams) (err error) {
	running, err := o.server.attach(ctx)
	if err == nil {
		return fmt.Errorf("a server of %s is running already, at %s, with the kubeconfig %s: use that one, or stop it first",
			running.K8sVersion, running.BaseURL, running.AdminKubeconfig)
	} else if !errors.Is(err, apiserver.ErrNotServed) {
		return err
	}
	build, err := o.server.build(ctx, io, false)
	if err != nil {
		return err
	}
	server, err := apiserver.Start(ctx, build, apiserver.StartOptions{Check: o.server.check})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopServer(ctx, server)) }()
	if err := server.Publish(); err != nil {
		return err
	}
	io.notice("kube-apiserver %s with etcd %s is ready at %s", server.K8sVersion, server.EtcdVersion, server.BaseURL)
	sayChanged(io, server.Edited)
	io.notice("as the ordinary user: KUBECONFIG=%s", server.LearnerKubeconfig)
	io.notice("as the administrator: KUBECONFIG=%s", server.AdminKubeconfig)
	io.notice("press Ctrl-C to stop it")
	fmt.Fprintln(io.out, server.AdminKubeconfig)
	select {
	case <-server.Done():
		return server.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
