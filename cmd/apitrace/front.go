package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/collect"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/front"
)

// frontOptions say which running kube-apiserver to open a traced door to.
type frontOptions struct {
	server, caFile    string
	probe             string
	port              int
	certFile, keyFile string
	// clientCAFile verifies clients' certificates; with the proxy's certificate, the
	// kube-apiserver believes whom they name.
	clientCAFile, proxyCertFile, proxyKeyFile string
	sample                                    sampleOptions
	secrets                                   collect.Secrets
}

func newFrontCommand(std *console.Streams) *cobra.Command {
	o := &frontOptions{}
	command := newCommand("front", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.validate(); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	flags := command.Flags()
	flags.StringVar(&o.server, "server", "", "URL of the kube-apiserver, such as https://127.0.0.1:6443")
	flags.StringVar(&o.caFile, "server-cafile", "", "file with the authority that verifies it")
	flags.StringVar(&o.probe, "probe", "", "socket of its probe: "+program.SocketEnv+" in its environment")
	flags.IntVar(&o.port, "port", 0, "port on which to listen (0: any that is free)")
	flags.StringVar(&o.certFile, "tls-cert-file", "", "file with the certificate to show clients (default: one that is made now)")
	flags.StringVar(&o.keyFile, "tls-private-key-file", "", "file with the key of that certificate")
	flags.StringVar(&o.clientCAFile, "client-cafile", "", "file with the authority of clients' certificates: kube-apiserver's --client-ca-file")
	flags.StringVar(&o.proxyCertFile, "proxy-client-cert-file", "", "file with a certificate that may speak for users: of the authority in kube-apiserver's --requestheader-client-ca-file")
	flags.StringVar(&o.proxyKeyFile, "proxy-client-key-file", "", "file with the key of that certificate")
	o.sample.addFlags(command)
	addSecretFlags(command, &o.secrets)
	return command
}

func (o *frontOptions) validate() error {
	if o.server == "" || o.caFile == "" || o.probe == "" || !o.sample.otlp {
		return usage.Errorf("expected --server, --server-cafile, --probe and --otlp")
	}
	if u, err := url.Parse(o.server); err != nil || u.Scheme != "https" || u.Host == "" {
		return usage.Errorf("--server %q: expected a URL such as https://127.0.0.1:6443", o.server)
	}
	if (o.certFile == "") != (o.keyFile == "") {
		return usage.Errorf("--tls-cert-file needs --tls-private-key-file, and the other way round")
	}
	if set := o.clientCAFile != ""; set != (o.proxyCertFile != "") || set != (o.proxyKeyFile != "") {
		return usage.Errorf("--client-cafile, --proxy-client-cert-file and --proxy-client-key-file belong together: expected all or none")
	}
	return o.sample.validate()
}

func (o *frontOptions) run(ctx context.Context, std *console.Streams) (err error) {
	door, err := o.door()
	if err != nil {
		return err
	}
	s, err := session.SampleForeign(ctx, o.probe, o.sample.rate, door, o.secrets, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	std.Notice("requests to %s are handed on to %s, %s traced and sent by OTLP; press Ctrl-C to end", s.Front.URL, o.server, o.sample.part())
	if s.CAFile != "" {
		fmt.Fprintln(std.Out, s.CAFile)
	}
	<-ctx.Done()
	return ctx.Err()
}

// door reads what the front needs. It has no credentials of its own to give.
func (o *frontOptions) door() (front.Options, error) {
	ca, err := os.ReadFile(o.caFile)
	if err != nil {
		return front.Options{}, err
	}
	door := front.Options{Server: o.server, CAPEM: ca, Port: o.port}
	if door.Users, err = o.users(); err != nil {
		return front.Options{}, err
	}
	if o.certFile == "" {
		return door, nil
	}
	pair, err := tls.LoadX509KeyPair(o.certFile, o.keyFile)
	if err != nil {
		return front.Options{}, fmt.Errorf("the certificate for clients: %w", err)
	}
	door.Certificate = &pair
	return door, nil
}

// users reads who may show a certificate; nil: nobody.
func (o *frontOptions) users() (*front.CertificateUsers, error) {
	if o.clientCAFile == "" {
		return nil, nil
	}
	ca, err := os.ReadFile(o.clientCAFile)
	if err != nil {
		return nil, err
	}
	users := &front.CertificateUsers{CAs: x509.NewCertPool()}
	if !users.CAs.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("--client-cafile: %s holds no certificate", o.clientCAFile)
	}
	if users.Proxy, err = tls.LoadX509KeyPair(o.proxyCertFile, o.proxyKeyFile); err != nil {
		return nil, fmt.Errorf("the certificate that speaks for users: %w", err)
	}
	return users, nil
}
