package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// frontOptions are the address of a running kube-apiserver, and the address and
// certificates of the front before it.
type frontOptions struct {
	session.Foreign
	sample session.Sampling
}

func newFrontCommand(std *console.Streams) *cobra.Command {
	o := &frontOptions{}
	command := newCommand("front", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.validate(); err != nil {
			return err
		}
		return o.Foreign.Sample(c.Context(), o.sample, std.Out, std)
	})
	flags := command.Flags()
	flags.StringVar(&o.Server, "server", "", "URL of the kube-apiserver, such as https://127.0.0.1:6443")
	flags.StringVar(&o.CAFile, "server-cafile", "", "file with the certificate authority that verifies that server")
	flags.StringVar(&o.Probe, "probe", "", "socket of the probe in that server: "+program.SocketEnv+" in the environment of the server")
	flags.IntVar(&o.Port, "port", 0, "port on which to listen (0: any that is free)")
	flags.StringVar(&o.CertFile, "tls-cert-file", "", "file with the certificate of the front (default: a new one)")
	flags.StringVar(&o.KeyFile, "tls-private-key-file", "", "file with the key of that certificate")
	flags.StringVar(&o.ClientCAFile, "client-cafile", "", "file with the authority of clients' certificates: kube-apiserver's --client-ca-file")
	flags.StringVar(&o.ProxyCertFile, "proxy-client-cert-file", "", "file with a client certificate for passing on users, issued by the authority in kube-apiserver's --requestheader-client-ca-file")
	flags.StringVar(&o.ProxyKeyFile, "proxy-client-key-file", "", "file with the key of that certificate")
	addSampleFlags(command, &o.sample)
	addSecretFlags(command, &o.Secrets)
	return command
}

func (o *frontOptions) validate() error {
	if o.Server == "" || o.CAFile == "" || o.Probe == "" || !o.sample.OTLP {
		return message.UsageErrorf("expected --server, --server-cafile, --probe and --otlp")
	}
	return errors.Join(o.Foreign.Validate(), o.sample.Validate())
}
