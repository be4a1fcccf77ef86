package storage

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Endpoint is how to reach an etcd: everything that a client needs.
type Endpoint struct {
	// URL is "https://127.0.0.1:12345"; of a cluster, those of its members with commas between.
	URL string `json:"url"`
	// CAFile verifies the server; CertFile and KeyFile prove the client to it. Each may be ""
	// for an etcd that somebody else runs: the system's authorities, no proof.
	CAFile   string `json:"caFile"`
	CertFile string `json:"certFile"`
	KeyFile  string `json:"keyFile"`
	// Prefix is what the keys of kube-apiserver begin with; "" means its default, "/registry".
	Prefix string `json:"prefix,omitempty"`
}

// DefaultPrefix is kube-apiserver's own.
const DefaultPrefix = "/registry"

// urls lists the members.
func (e Endpoint) urls() []string { return strings.Split(e.URL, ",") }

// Flags are those by which kube-apiserver, or another server made with its library, is told.
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

// Validate reports what is wrong with an endpoint that a user has given, before anything is
// started: a URL that is none, or a file that cannot be used.
func (e Endpoint) Validate() error {
	for _, member := range e.urls() {
		u, err := url.Parse(member)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return message.Errorf("%q is not an address of etcd: expected one such as https://127.0.0.1:2379, or several, separated by commas", member)
		}
		if u.Scheme == "http" && e.CAFile+e.CertFile+e.KeyFile != "" {
			return message.Errorf("%q does not use TLS, but certificates are given: expected https://", member)
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

// tlsConfig is nil for an etcd without TLS.
func (e Endpoint) tlsConfig() (*tls.Config, error) {
	if strings.HasPrefix(e.URL, "http://") {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		ca, err := os.ReadFile(e.CAFile)
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
