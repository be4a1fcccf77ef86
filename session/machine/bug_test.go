package machine

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestWriteBugHasNoSecrets checks that a report has all its parts, but no secrets of the
// environment, the last error, and the last build log.
func TestWriteBugHasNoSecrets(t *testing.T) {
	cache, state := t.TempDir(), t.TempDir()
	t.Setenv(program.CacheEnv, cache)
	t.Setenv(program.StateEnv, state)
	t.Setenv("GOPROXY", "https://ada:hunter2hunter2@proxy.invalid")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hunter2hunter2")
	t.Setenv("APITRACE_TOKEN", "hunter2hunter2")
	t.Setenv("UNRELATED", "unrelated-to-apitrace")
	KeepError("apitrace request", errors.New(`sending: header "Authorization: Bearer hunter2hunter2" was refused`), message.Printer{})

	builds := filepath.Join(cache, "builds")
	for i, name := range []string{"kube-apiserver_v1.30.4_0123456789ab", "kube-apiserver_v1.37.1_0123456789ab"} {
		dir := filepath.Join(builds, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(dir, "build.log")
		if err := os.WriteFile(log, []byte(strings.Repeat("k8s.io/api\n", 3000)+"log of "+name+"\npassword=hunter2hunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		made := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(log, made, made); err != nil {
			t.Fatal(err)
		}
	}

	var out bytes.Buffer
	if err := WriteBug(t.Context(), "v1.37.1", &out, message.Printer{}); err != nil {
		t.Fatal(err)
	}
	report := out.String()
	for _, want := range []string{
		"apitrace " + Version(), "GOPROXY=https://(removed)@proxy.invalid", "OTEL_EXPORTER_OTLP_HEADERS=(removed)", "Go toolchain", "unfinished",
		"apitrace request", "was refused", "log of kube-apiserver_v1.37.1", "password=(removed)",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in the report:\n%s", want, report)
		}
	}
	for _, secret := range []string{"hunter2", "unrelated-to-apitrace", "log of kube-apiserver_v1.30.4"} {
		if strings.Contains(report, secret) {
			t.Errorf("the report has %q:\n%s", secret, report)
		}
	}
	if kept, err := os.ReadFile(filepath.Join(state, "last-error.txt")); err != nil || bytes.Contains(kept, []byte("hunter2")) {
		t.Errorf("the last error is kept as %q, %v, expected it without secrets", kept, err)
	}
}

func TestWriteBugOfAFreshMachine(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	t.Setenv(program.StateEnv, filepath.Join(t.TempDir(), "none"))
	var out bytes.Buffer
	if err := WriteBug(t.Context(), "v1.37.1", &out, message.Printer{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no command has failed", "nothing was built"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the report:\n%s", want, out.String())
		}
	}
}
