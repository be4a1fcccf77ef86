package main

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/checkout"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// serveOptions select the server to keep running.
type serveOptions struct {
	server serverFlags
	sample session.Sampling
	// status and stop act on the servers that are already running. background starts a
	// server and leaves it running.
	status, stop, background bool
}

func newServeCommand(std *console.Streams) *cobra.Command {
	o := &serveOptions{}
	command := newCommand("serve", serveArguments, func(c *cobra.Command, args []string) error {
		if err := o.exclusive(c); err != nil {
			return err
		}
		if o.stop {
			return checkout.StopServed(c.Context(), c.Flags().Changed("k8s"), o.server.Version, std)
		}
		if o.server.Own.IsZero() {
			o.server.Extra.Flags = args
		} else {
			o.server.Own.Flags = args
		}
		if err := errors.Join(o.server.validate(), o.sample.Validate()); err != nil {
			return err
		}
		if err := o.server.Extra.Check(); err != nil {
			return message.ToUsageError(err)
		}
		switch {
		case o.status:
			return session.WriteServed(c.Context(), std.Out, std.Printer, std)
		case o.background:
			return session.ServeInBackground(c.Context(), os.Args[1:], std.Out, std.Printer, std)
		}
		return o.server.ServeUntil(c.Context(), o.sample, std.Out, std)
	})
	o.server.add(command)
	o.server.addDebuggable(command)
	addSampleFlags(command, &o.sample)
	flags := command.Flags()
	flags.BoolVar(&o.server.ControlPlane, "control-plane", false, "also run kube-controller-manager, kube-scheduler and a kubelet, so that a Deployment gets its pods")
	flags.BoolVar(&o.background, "background", false, "return once the server is ready, and leave it running until --stop")
	flags.BoolVar(&o.status, "status", false, "list the servers that are kept running, and whether they answer")
	flags.BoolVar(&o.stop, "stop", false, "stop the servers that are kept running: all, or only the servers of --k8s")
	return command
}

// serveArguments accepts only flags of kube-apiserver, or of --server, after "--".
func serveArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.ArgsLenAtDash() != 0 {
		return message.Errorf("unexpected %q: flags of kube-apiserver go after --", args[0])
	}
	return nil
}

// exclusive returns an error for flags that --status and --stop would ignore.
func (o *serveOptions) exclusive(c *cobra.Command) error {
	if !o.status && !o.stop {
		return nil
	}
	var given []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains([]string{"k8s", "lang", "verbose"}, f.Name) {
			given = append(given, "--"+f.Name)
		}
	})
	if len(given) > 1 || o.status && c.Flags().Changed("k8s") {
		return message.UsageErrorf("--status and --stop are for servers that are already running: expected one of them alone, or --stop with --k8s")
	}
	return nil
}
