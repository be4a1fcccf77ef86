package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/front"
)

// A Foreign is a traced kube-apiserver that another program started, with the files
// of a front to it.
type Foreign struct {
	// Server is the server's URL. CAFile has the certificate authority of the server.
	// Probe is the path of the socket of the server's probe.
	Server, CAFile, Probe string
	// Port is the front's port; 0 selects a free one.
	Port int
	// CertFile and KeyFile hold the certificate of the front. If they are "",
	// apitrace makes a certificate.
	CertFile, KeyFile string
	// ClientCAFile has the certificate authority of the clients. The front presents the
	// certificate of ProxyCertFile to kube-apiserver. With it, kube-apiserver accepts the
	// user names that the front sends. Without these files, they are "".
	ClientCAFile, ProxyCertFile, ProxyKeyFile string
	Secrets                                   collect.Secrets
}

// Validate checks the options without reading files.
func (o *Foreign) Validate() error {
	if u, err := url.Parse(o.Server); err != nil || u.Scheme != "https" || u.Host == "" {
		return message.UsageErrorf("--server %q: expected a URL such as https://127.0.0.1:6443", o.Server)
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return message.UsageErrorf("--tls-cert-file and --tls-private-key-file belong together: expected both or none")
	}
	if set := o.ClientCAFile != ""; set != (o.ProxyCertFile != "") || set != (o.ProxyKeyFile != "") {
		return message.UsageErrorf("--client-cafile, --proxy-client-cert-file and --proxy-client-key-file belong together: expected all or none")
	}
	return nil
}

// Sample opens a front to the kube-apiserver and traces requests until ctx ends. If
// apitrace made the front's certificate, Sample writes the path of its file to w.
func (o *Foreign) Sample(ctx context.Context, sampling Sampling, w io.Writer, to Reporter) (err error) {
	options, err := o.frontOptions()
	if err != nil {
		return err
	}
	s, err := sampleForeign(ctx, o.Probe, sampling.Rate, options, o.Secrets, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	to.Notice("requests to %s go on to %s, %s traced and sent by OTLP; press Ctrl-C to end", s.Front.URL, o.Server, sampling.part())
	if s.CAFile != "" {
		fmt.Fprintln(w, s.CAFile)
	}
	<-ctx.Done()
	return ctx.Err()
}

// frontOptions returns the front's options, and reads their files. The front has no
// credentials of its own.
func (o *Foreign) frontOptions() (front.Options, error) {
	ca, err := bounded.ReadStream(o.CAFile, bounded.MaxText)
	if err != nil {
		return front.Options{}, err
	}
	options := front.Options{Server: o.Server, CAPEM: ca, Port: o.Port}
	if options.Users, err = o.users(); err != nil {
		return front.Options{}, err
	}
	if o.CertFile == "" {
		return options, nil
	}
	pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
	if err != nil {
		return front.Options{}, message.Errorf("the certificate for clients: %w", err)
	}
	options.Certificate = &pair
	return options, nil
}

// users reads the authorities of client certificates. nil means that clients cannot
// authenticate by certificate.
func (o *Foreign) users() (*front.CertificateUsers, error) {
	if o.ClientCAFile == "" {
		return nil, nil
	}
	ca, err := bounded.ReadStream(o.ClientCAFile, bounded.MaxText)
	if err != nil {
		return nil, err
	}
	users := &front.CertificateUsers{CAs: x509.NewCertPool()}
	if !users.CAs.AppendCertsFromPEM(ca) {
		return nil, message.Errorf("--client-cafile: %s holds no certificate", o.ClientCAFile)
	}
	if users.Proxy, err = tls.LoadX509KeyPair(o.ProxyCertFile, o.ProxyKeyFile); err != nil {
		return nil, message.Errorf("the certificate with which the front passes on users: %w", err)
	}
	return users, nil
}
