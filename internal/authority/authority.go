// Package authority makes the certificates of one run.
// Its callers store them in files and hand them out.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Authority is a certificate authority for one run. Its key exists only in memory: when
// apitrace ends, nobody can issue another certificate.
type Authority struct {
	// CertPEM is the certificate for clients to verify servers with.
	CertPEM []byte
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
}

// certLifetime must be longer than any server runs.
const certLifetime = 365 * 24 * time.Hour

// New makes an authority with a random key. name is its common name.
func New(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, message.Errorf("making the certificate authority %q: %w", name, err)
	}
	template := certTemplate(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, message.Errorf("making the certificate authority %q: %w", name, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, message.Errorf("making the certificate authority %q: %w", name, err)
	}
	return &Authority{CertPEM: pemBlock("CERTIFICATE", der), cert: cert, key: key}, nil
}

// Issue makes a certificate and its key, for a server on the loopback interface and its
// clients. It is valid for 127.0.0.1, localhost and dnsNames.
// name is its common name.
func (a *Authority) Issue(name string, dnsNames ...string) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, message.Errorf("making a certificate for %q: %w", name, err)
	}
	template := certTemplate(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames = append(dnsNames, "localhost")
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, message.Errorf("making a certificate for %q: %w", name, err)
	}
	keyPEM, err = encodeKey(key)
	return pemBlock("CERTIFICATE", der), keyPEM, err
}

// NewKeyPEM makes a random private key in PEM.
func NewKeyPEM() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, message.Errorf("making a key: %w", err)
	}
	return encodeKey(key)
}

func certTemplate(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: []string{"apitrace"}},
		// The clock of a container may differ slightly from the host's clock.
		NotBefore: now.Add(-time.Hour),
		NotAfter:  now.Add(certLifetime),
	}
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, message.Errorf("encoding a key: %w", err)
	}
	return pemBlock("EC PRIVATE KEY", der), nil
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
