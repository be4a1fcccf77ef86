package authority

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A client that trusts the authority reaches its server. Another client does not.
func TestAuthority(t *testing.T) {
	ca, err := New("test")
	must(t, err)
	cert, key, err := ca.Issue("server")
	must(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	must(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // one client must fail
	server.StartTLS()
	defer server.Close()

	other, err := New("test")
	must(t, err)
	for name, test := range map[string]struct {
		authority *Authority
		ok        bool
	}{"its own": {ca, true}, "another of the same name": {other, false}} {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(test.authority.CertPEM)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
		resp, err := client.Get(server.URL)
		if (err == nil) != test.ok {
			t.Errorf("with %s authority: %v", name, err)
		}
		if err == nil {
			resp.Body.Close()
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
