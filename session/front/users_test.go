package front

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/authority"
)

// issue makes a certificate that the authority has signed.
func issue(t *testing.T, ca *authority.Authority, name string) tls.Certificate {
	t.Helper()
	cert, key, err := ca.Issue(name)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func newAuthority(t *testing.T, name string) (*authority.Authority, *x509.CertPool) {
	t.Helper()
	ca, err := authority.New(name)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.CertPEM)
	return ca, pool
}

// TestCertificateUsers checks that the server learns the user of a client's verified
// certificate, and never a user that the client merely claims.
func TestCertificateUsers(t *testing.T) {
	clients, clientPool := newAuthority(t, "clients")
	strangers, _ := newAuthority(t, "strangers")
	proxies, _ := newAuthority(t, "proxies")
	var proof string // the name in the certificate that the front presents
	b := newBackend(t, func(_ http.ResponseWriter, r *http.Request) {
		if proof = ""; len(r.TLS.PeerCertificates) > 0 {
			proof = r.TLS.PeerCertificates[0].Subject.CommonName
		}
	}, tls.RequestClientCert)
	o := b.options()
	o.Users = &CertificateUsers{CAs: clientPool, Proxy: issue(t, proxies, "front-proxy")}
	f, over := start(t, o)
	for _, major := range []int{1, 2} {
		for name, test := range map[string]struct {
			shown              []tls.Certificate
			proof, user, group string
			refused            bool
		}{
			"a client of the authority": {shown: []tls.Certificate{issue(t, clients, "kubelet")}, proof: "front-proxy", user: "kubelet", group: "apitrace"},
			"no certificate":            {},
			"another authority's":       {shown: []tls.Certificate{issue(t, strangers, "kubelet")}, refused: true},
		} {
			c := client(t, f, major)
			if len(test.shown) > 0 { // present the certificate even if the front does not know its authority
				c.Transport.(*http.Transport).TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &test.shown[0], nil }
			}
			_, err := send(t, c, t.Context(), "GET", f.URL+"/", nil, map[string]string{"X-Remote-User": "admin", "X-Remote-Group": "system:masters", "X-Remote-Extra-Scopes": "all"})
			if test.refused {
				if err == nil {
					t.Errorf("%s: the front accepted the certificate", name)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			next(t, over)
			r := b.last()
			if proof != test.proof || r.Header.Get("X-Remote-User") != test.user || r.Header.Get("X-Remote-Group") != test.group || r.Header.Get("X-Remote-Extra-Scopes") != "" || r.ProtoMajor != major {
				t.Errorf("HTTP/%d, %s: the server got the headers %v, and a certificate of %q", major, name, r.Header, proof)
			}
		}
	}
}
