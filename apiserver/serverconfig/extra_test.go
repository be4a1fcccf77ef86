package serverconfig

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var ownFlags = []string{"--secure-port=1", "--disable-admission-plugins=ServiceAccount", "--v=0"}

func TestExtra(t *testing.T) {
	extra := Extra{
		Flags: []string{"--encryption-provider-config=${dir}/e.yaml", "--disable-admission-plugins=LimitRanger", "--v=2"},
		Files: map[string]string{"e.yaml": "secret: ${key}\n"},
	}
	keys := map[string]bool{}
	for range 2 {
		dir := filepath.Join(t.TempDir(), "extra")
		flags, err := extra.Prepare(dir, ownFlags)
		if err != nil {
			t.Fatal(err)
		}
		// A flag of mergedFlags occurs twice, any other flag once.
		want := []string{"--secure-port=1", "--disable-admission-plugins=ServiceAccount", "--encryption-provider-config=" + dir + "/e.yaml", "--disable-admission-plugins=LimitRanger", "--v=2"}
		if !slices.Equal(flags, want) {
			t.Errorf("flags %q, expected %q", flags, want)
		}
		if info, err := os.Stat(filepath.Join(dir, "e.yaml")); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("the file is %v (%v), expected that only its owner can read it", info, err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "e.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		key := strings.TrimSpace(strings.TrimPrefix(string(text), "secret: "))
		if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 32 {
			t.Errorf("the key is %q: %d bytes, error %v, expected 32 bytes", key, len(raw), err)
		}
		keys[key] = true
	}
	if len(keys) != 2 {
		t.Error("two servers have the same key")
	}
}

func TestOutside(t *testing.T) {
	inside := []string{
		"--audit-policy-file=${dir}/policy.yaml", "--audit-log-path=-", "--tls-sni-cert-key=${dir}/a.crt,${dir}/a.key", "--runtime-config=api/all=true",
		"--feature-gates=A=true,B=false", "--service-account-issuer=https://example.org/a", "--service-cluster-ip-range=10.0.0.0/24", "--cors-allowed-origins=.*",
		"--storage-media-type=application/json", "--shutdown-delay-duration=3s",
	}
	outside := []string{
		"--audit-log-path=a.log", "--audit-log-path=/tmp/a.log", "--audit-log-path=${dir}/../a.log", "--cert-dir=x", "--log-file=x", "--log-dir=.",
		"--audit-webhook-config-file=x", "--egress-selector-config-file=/etc/passwd", "--encryption-provider-config=e.yaml", "--etc=a,/etc/passwd",
		"--tls-sni-cert-key=${dir}/a.crt,b.key", "--kubelet-certificate-authority=ca.crt", "--authentication-token-webhook-config-file=x", "--x=${dir}/../..",
	}
	if got := (Extra{Flags: append(inside, outside...)}).OutsidePaths(); !slices.Equal(got, outside) {
		t.Errorf("outside: %q\nexpected: %q", got, outside)
	}
}

func TestExtraRefused(t *testing.T) {
	for _, test := range []struct {
		extra Extra
		want  string
	}{
		{Extra{Flags: []string{"--secure-port=6443"}}, `apitrace sets the flag "--secure-port=6443" itself`},
		{Extra{Flags: []string{"--etcd-servers=http://127.0.0.1:2379"}}, "give --etcd-servers to apitrace"},
		{Extra{Flags: []string{"-v2"}}, `"-v2" is not a flag of kube-apiserver: expected --name=value`},
		{Extra{Files: map[string]string{"../x": ""}}, `"../x" is not a plain file name`},
	} {
		_, err := test.extra.Prepare(filepath.Join(t.TempDir(), "extra"), ownFlags)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, expected %s", err, test.want)
		}
	}
}
