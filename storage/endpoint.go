package storage

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Endpoint has everything that a client of an etcd needs.
type Endpoint struct {
	// URL is the address, such as "https://127.0.0.1:12345". For a cluster, it has
	// the addresses of all members, separated by commas.
	URL string `json:"url"`
	// CAFile verifies the server. If it is empty, the system's authorities do.
	// CertFile and KeyFile authenticate the client. If they are empty, the client has
	// no certificate. They may be empty only for another program's etcd.
	CAFile   string `json:"caFile"`
	CertFile string `json:"certFile"`
	KeyFile  string `json:"keyFile"`
	// Prefix is the prefix of kube-apiserver's keys. "" means "/registry".
	Prefix string `json:"prefix,omitempty"`
}

// DefaultPrefix is the default prefix of kube-apiserver's keys.
const DefaultPrefix = "/registry"

// urls returns the addresses of the members.
func (e Endpoint) urls() []string { return strings.Split(e.URL, ",") }

// Flags returns the flags that pass the endpoint to kube-apiserver, or to another server built
// with its library.
func (e Endpoint) Flags() []string {
	flags := []string{"--etcd-servers=" + e.URL}
	for _, f := range []struct{ name, value string }{
		{"--etcd-cafile", e.CAFile}, {"--etcd-certfile", e.CertFile}, {"--etcd-keyfile", e.KeyFile}, {"--etcd-prefix", e.Prefix},
	} {
		if f.value != "" {
			flags = append(flags, f.name+"="+f.value)
		}
	}
	return flags
}

// Validate returns an error for a user's endpoint that cannot work, such as an
// invalid address or an unusable file. It does not connect to etcd.
func (e Endpoint) Validate() error {
	for _, member := range e.urls() {
		u, err := url.Parse(member)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return message.Errorf("%q is not an address of etcd: expected one such as https://127.0.0.1:2379, or several, separated by commas", member)
		}
		if u.Scheme == "http" && e.CAFile+e.CertFile+e.KeyFile != "" {
			return message.Errorf("%q does not use TLS, but certificates are given: expected https://", member)
		}
		if first, _, _ := strings.Cut(e.URL, "://"); u.Scheme != first {
			return message.Errorf("%q begins with another scheme than the first address of etcd: expected %s:// for all", member, first)
		}
	}
	if (e.CertFile == "") != (e.KeyFile == "") {
		return message.NewError("a client certificate for etcd and its key belong together: expected both or none")
	}
	if e.Prefix != "" && (!strings.HasPrefix(e.Prefix, "/") || e.Prefix == "/") {
		return message.Errorf("%q is not a prefix of keys: expected one that begins with a slash, such as %s", e.Prefix, DefaultPrefix)
	}
	_, err := e.tlsConfig()
	return err
}

// tlsConfig returns the client's TLS settings, or nil for an etcd without TLS.
func (e Endpoint) tlsConfig() (*tls.Config, error) {
	if strings.HasPrefix(e.URL, "http://") {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		ca, err := bounded.ReadStream(e.CAFile, bounded.MaxText)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ca) {
			return nil, message.Errorf("%s holds no certificate", e.CAFile)
		}
	}
	if e.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(e.CertFile, e.KeyFile)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
