package redact

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestText checks that secrets are removed, by their form or by the name before them, and that
// other texts are kept.
func TestText(t *testing.T) {
	r := newRedactor("/data/people/ada", "babbage-7", "ada", "", "root")
	for _, test := range []struct{ in, want string }{
		{"Authorization: Bearer abc.def-123", "Authorization: (removed) (removed)"},
		{`curl -H "authorization: Basic dXNlcjpwYXNz"`, `curl -H "authorization: (removed) (removed)"`},
		{"token=abc123 next=1", "token=(removed) next=1"},
		{`{"token":"abc 123","n":1}`, `{"token":(removed),"n":1}`},
		{`{\"access_token\":\"abc\"}`, `{\"access_token\":(removed)}`},
		{"client-key-data: LS0tLS1CRUdJTg", "client-key-data: (removed)"},
		{"--token abc --n 3", "--token (removed) --n 3"},
		{"password = 'a b c'", "password = (removed)"},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-api=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS=(removed)"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "(removed)\nafter"},
		{"-----BEGIN CERTIFICATE-----\nMIIE", "(removed)"},
		{"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl", "(removed)"},
		{"ghp_0123456789abcdefghijABCDEFGHIJ", "(removed)"},
		{"AKIAIOSFODNN7EXAMPLE", "(removed)"},
		{"bootstrap 07401b.f395accd246ae52d", "bootstrap (removed)"},
		{"GOPROXY=https://ada:pw@proxy.example.org/x", "GOPROXY=https://(removed)@proxy.example.org/x"},
		{"GET https://token@example.org/", "GET https://(removed)@example.org/"},
		{strings.Repeat("aB3+", 20), "(removed)"},
		{"/data/people/ada/.cache/apitrace", "~/.cache/apitrace"},
		{"/home/grace/x and /Users/linus/y", "~/x and ~/y"},
		{"ada ada@babbage-7", "USER USER@HOST"},
		// These texts are kept.
		{"root adamant babbage-70", "root adamant babbage-70"},
		{"kube-apiserver v1.37.1, 710 calls in 1.49ms", "kube-apiserver v1.37.1, 710 calls in 1.49ms"},
		{"commit 2ca3b46f0000000000000000000000000000000000", "commit 2ca3b46f0000000000000000000000000000000000"},
		{"/cache/workspaces/kube-apiserver/Vendor1/k8s/io/apiserver/pkg/storage/etcd3/metrics/latency", "/cache/workspaces/kube-apiserver/Vendor1/k8s/io/apiserver/pkg/storage/etcd3/metrics/latency"},
	} {
		if got := r.Text(test.in); got != test.want {
			t.Errorf("%q becomes %q, expected %q", test.in, got, test.want)
		}
	}
}

func TestSetting(t *testing.T) {
	r := newRedactor("/data/people/ada", "", "ada")
	for _, test := range []struct{ name, value, want string }{
		{"APITRACE_CACHE", "/data/people/ada/c", "APITRACE_CACHE=~/c"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=b", "OTEL_EXPORTER_OTLP_HEADERS=(removed)"},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "k", "OTEL_EXPORTER_OTLP_CLIENT_KEY=(removed)"},
		{"APITRACE_TOKEN", "x", "APITRACE_TOKEN=(removed)"},
		{"APITRACE_TOKEN", "", "APITRACE_TOKEN="},
		{"LANG", "en_GB.UTF-8", "LANG=en_GB.UTF-8"},
	} {
		if got := r.Setting(test.name, test.value); got != test.want {
			t.Errorf("%s=%s becomes %q, expected %q", test.name, test.value, got, test.want)
		}
	}
}

func TestHandler(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(Handler(&out))
	log.Debug("sent with Bearer abcdefgh", "path", "/x?token=abcdefgh", "token", "abcdefgh", "error", errors.New("password: abcdefgh"), "args", []string{"--token", "abcdefgh"})
	if got := out.String(); strings.Contains(got, "abcdefgh") || !strings.Contains(got, "level=DEBUG") || !strings.Contains(got, "/x?token=") {
		t.Errorf("logged %s; expected the level, the path, and \"abcdefgh\" nowhere", got)
	}
}
