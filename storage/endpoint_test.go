package storage

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestEndpointFlags(t *testing.T) {
	e := Endpoint{URL: "https://a:1,https://b:2", CAFile: "ca", CertFile: "crt", KeyFile: "key", Prefix: "/mine"}
	want := []string{"--etcd-servers=https://a:1,https://b:2", "--etcd-cafile=ca", "--etcd-certfile=crt", "--etcd-keyfile=key", "--etcd-prefix=/mine"}
	if got := e.Flags(); !slices.Equal(got, want) {
		t.Errorf("flags %q, want %q", got, want)
	}
	if got := (Endpoint{URL: "http://a:1"}).Flags(); !slices.Equal(got, []string{"--etcd-servers=http://a:1"}) {
		t.Errorf("flags %q of an etcd without TLS, want only --etcd-servers", got)
	}
	if got := e.urls(); !slices.Equal(got, []string{"https://a:1", "https://b:2"}) {
		t.Errorf("urls %q, want both members", got)
	}
}

func TestEndpointValidate(t *testing.T) {
	dir := t.TempDir()
	own := endpointIn(dir)
	if err := own.writeKeys(); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own.URL = "https://127.0.0.1:1,https://127.0.0.1:2"
	for _, good := range []Endpoint{own, {URL: "http://127.0.0.1:1"}, {URL: "https://127.0.0.1:1", Prefix: "/apitrace"}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: got the error %v, want none", good, err)
		}
	}
	for want, e := range map[string]Endpoint{
		`"127.0.0.1:1" is not an address of etcd`:  {URL: "127.0.0.1:1"},
		`"" is not an address of etcd`:             {URL: "https://a:1,"},
		`"http://a:1" does not use TLS`:            {URL: "http://a:1", CAFile: own.CAFile},
		`"https://b:1" begins with another scheme`: {URL: "http://a:1,https://b:1"},
		"belong together":                          {URL: "https://a:1", CertFile: own.CertFile},
		`"mine" is not a prefix of keys`:           {URL: "https://a:1", Prefix: "mine"},
		"no such file":                             {URL: "https://a:1", CAFile: filepath.Join(dir, "none")},
		"holds no certificate":                     {URL: "https://a:1", CAFile: empty},
		"failed to find any PEM data":              {URL: "https://a:1", CertFile: own.CertFile, KeyFile: empty},
	} {
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got the error %v, want one with %q", e, err, want)
		}
	}
}

// TestUseNobody checks the error of UseExternal for a port that nothing listens on.
func TestUseNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for goneTimeout")
	}
	port, err := program.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	_, err = UseExternal(t.Context(), Endpoint{URL: "http://127.0.0.1:" + strconv.Itoa(port)})
	if err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "is it running") {
		t.Errorf("UseExternal: got the error %v, want the question whether etcd is running", err)
	}
}
