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

// TestAuthority checks that a client reaches a server only if it trusts the authority that
// issued the server's certificate.
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
	}{"the server's": {ca, true}, "another": {other, false}} {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(test.authority.CertPEM)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
		resp, err := client.Get(server.URL)
		if (err == nil) != test.ok {
			t.Errorf("a client that trusts %s authority: got error %v, expected one only for another authority", name, err)
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
