package commands

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// secretive is a client program that sends the requests on Secrets.
func secretive() {
	ca, err := os.ReadFile(os.Getenv("APITRACE_CACERT"))
	if err == nil {
		err = sendSecrets(os.Getenv("APITRACE_SERVER"), ca, os.Getenv("APITRACE_TOKEN"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sendSecrets sends them, whatever the answers are.
func sendSecrets(server string, ca []byte, token string) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	for i, r := range secretRequests() {
		request, err := http.NewRequest(r.method, server+r.path, strings.NewReader(r.body))
		if err != nil {
			return err
		}
		shown := token
		if r.token != "" {
			shown = r.token
		}
		request.Header.Set("Authorization", "Bearer "+shown)
		if r.contentType != "" {
			request.Header.Set("Content-Type", r.contentType)
		}
		answer, err := client.Do(request)
		if err != nil {
			return fmt.Errorf("%d. %s %s: %w", i+1, r.method, r.path, err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	return nil
}

// TestSecretsStayInside: requests on Secrets, tokens and certificates that fail in every way quote them in their errors;
// nothing of 20 planted values is in anything that is printed, saved or sent.
func TestSecretsStayInside(t *testing.T) {
	needsServer(t)
	all := secretRequests()
	for i := range plantedValues {
		found := false
		for _, r := range all {
			plain := r.body + r.token
			found = found || strings.Contains(plain, planted(i)) || strings.Contains(plain, base64Of(planted(i)))
		}
		if !found {
			t.Errorf("%s is planted nowhere", planted(i))
		}
	}
	received := newKeepingReceiver(t)
	admin := start(t, "serve", "--otlp").line
	dir := t.TempDir()

	t.Run("exec", func(t *testing.T) {
		saved := filepath.Join(dir, "exec.jsonl")
		out, said, status := apitrace(t, "exec", "-v", "-o", "tree", "--save", saved, "--", "secretive")
		if status != 0 {
			t.Errorf("exit status %d: %s", status, said)
		}
		noLeak(t, "exec", out, said)
		checkSaved(t, saved, len(all))
		for _, args := range [][]string{{"show", saved, "--errors"}, {"show", saved, "-o", "json"}, {"show", saved, "--view", "outline"}} {
			out, said, _ := apitrace(t, args...)
			noLeak(t, strings.Join(args, " "), out, said)
		}
	})
	t.Run("record", func(t *testing.T) {
		saved := filepath.Join(dir, "record.jsonl")
		noLeak(t, "record", recordClient(t, saved, "secretive"))
		checkSaved(t, saved, len(all))
	})
	t.Run("request", func(t *testing.T) { requestSecrets(t, dir, all) })
	t.Run("serve --otlp", func(t *testing.T) {
		config := restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(admin)), "traced.kubeconfig"))
		if err := sendSecrets(config.Host, config.CAData, config.BearerToken); err != nil {
			t.Fatal(err)
		}
		noLeak(t, "what was sent by OTLP", received.await(t, "/registry/secrets/default/mine"))
	})
	t.Run("front", func(t *testing.T) {
		received.forget()
		direct := restConfig(t, admin)
		ca := filepath.Join(t.TempDir(), "ca.crt")
		if err := os.WriteFile(ca, direct.CAData, 0o600); err != nil {
			t.Fatal(err)
		}
		front := start(t, "front", "--server", direct.Host, "--server-cafile", ca, "--probe", filepath.Join(filepath.Dir(admin), "probe.sock"), "--port", "0", "--otlp")
		frontCA, err := os.ReadFile(front.line)
		if err != nil {
			t.Fatal(err)
		}
		if err := sendSecrets(front.doorURL(t), frontCA, direct.BearerToken); err != nil {
			t.Fatal(err)
		}
		noLeak(t, "what the front sent by OTLP", received.await(t, "/api/v1/namespaces/default/secrets"))
		front.end()
		noLeak(t, "what the front says", front.notices.String())
	})
	t.Run("--show-secrets", func(t *testing.T) {
		showSecrets(t, dir)
		withoutCare(t, dir, all)
	})
}

// noLeak checks that no text has a planted value.
func noLeak(t *testing.T, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if found := leaked(text); found != "" {
			t.Errorf("%s: %s", what, found)
		}
	}
}

// checkSaved checks that a recording has so many requests and no planted value.
func checkSaved(t *testing.T, file string, n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	noLeak(t, file, string(text))
	recording, err := trace.Load(file)
	if err != nil || len(recording.Requests) != n {
		t.Errorf("%s: %v; has %d requests, %d were sent", file, err, len(recording.Requests), n)
	}
}

// requestSecrets sends the requests one by one, the first before the others and without the last.
func requestSecrets(t *testing.T, dir string, all []secretRequest) {
	send := func(i int, r secretRequest) {
		saved, file := filepath.Join(dir, fmt.Sprintf("request-%d.jsonl", i)), filepath.Join(dir, fmt.Sprintf("body-%d", i))
		args := []string{"request", "-v", r.method, r.path, "--save", saved, "-o", "tree", "--view", "full"}
		if r.body != "" {
			if err := os.WriteFile(file, []byte(r.body), 0o600); err != nil {
				t.Error(err)
			}
			args = append(args, "-f", file, "-H", "Content-Type: "+r.contentType)
		}
		if r.token != "" {
			args = append(args, "-H", "Authorization: Bearer "+r.token)
		}
		out, said, status := apitrace(t, args...)
		if status != 0 {
			t.Errorf("%.200q: exit status %d: %.2000s", args, status, said)
			return
		}
		noLeak(t, fmt.Sprintf("%.200q", args), out, said)
		checkSaved(t, saved, 1)
	}
	send(0, all[0])
	var wg sync.WaitGroup
	atOnce := make(chan struct{}, 4)
	for i, r := range all[1 : len(all)-1] {
		wg.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			send(i+1, r)
		})
	}
	wg.Wait()
	send(len(all)-1, all[len(all)-1])
	// A body that is read here, and not sent.
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("stringData:\n  k: "+planted(0)+"\n bad: "+planted(1)+": x\n\t"+planted(2)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, status := apitrace(t, "request", "POST", "/api/v1/namespaces/default/secrets", "-f", broken)
	if status != 2 {
		t.Errorf("a body that is not YAML: exit status %d", status)
	}
	noLeak(t, "a body that is not YAML", said)
}

// showSecrets checks that --show-secrets shows them, and that the file says so.
func showSecrets(t *testing.T, dir string) {
	patch := filepath.Join(dir, "patch.json")
	for name, text := range map[string]string{
		patch:                             `{"data":{"q":"` + planted(0) + `"}}`,
		filepath.Join(dir, "secret.json"): `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"shown"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, said, status := apitrace(t, "request", "POST", "/api/v1/namespaces/default/secrets", "-f", filepath.Join(dir, "secret.json"), "-o", "names"); status != 0 {
		t.Fatal(said)
	}
	saved := filepath.Join(dir, "shown.jsonl")
	_, said, status := apitrace(t, "request", "PATCH", "/api/v1/namespaces/default/secrets/shown", "-f", patch,
		"-H", "Content-Type: application/merge-patch+json", "--show-secrets", "--save", saved, "-o", "names")
	text, err := os.ReadFile(saved)
	if err != nil || status != 0 {
		t.Fatal(err, said)
	}
	if leaked(said) == "" || leaked(string(text)) == "" {
		t.Errorf("--show-secrets does not show the text of the error:\n%s", said)
	}
	if !strings.Contains(string(text), "this trace may hold contents of secrets") {
		t.Error("the file does not warn of the secrets in it")
	}
}

// withoutCare sends the same requests with --show-secrets, and checks that many traces then quote secrets: otherwise the
// tests without that flag would prove nothing.
func withoutCare(t *testing.T, dir string, all []secretRequest) {
	saved := filepath.Join(dir, "careless.jsonl")
	if _, said, status := apitrace(t, "exec", "--show-secrets", "--save", saved, "--", "secretive"); status != 0 {
		t.Fatal(said)
	}
	text, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	quoting := 0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if found := leaked(line); found != "" {
			quoting++
			if i < len(all) {
				t.Logf("%s", found)
			}
		}
	}
	if quoting < 5 {
		t.Errorf("of %d traces that keep nothing back, %d quote a planted value", len(all), quoting)
	}
}

// A keepingReceiver keeps all bytes that are sent to it.
type keepingReceiver struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func newKeepingReceiver(t *testing.T) *keepingReceiver {
	t.Helper()
	r := &keepingReceiver{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept.Write(body)
	}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return r
}

func (r *keepingReceiver) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Reset()
}

func (r *keepingReceiver) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.String()
}

// await waits until nothing more is sent, and returns all of it, in which some text must be.
func (r *keepingReceiver) await(t *testing.T, want string) string {
	t.Helper()
	settle(func() int { return len(r.text()) })
	text := r.text()
	if !strings.Contains(text, want) {
		t.Errorf("of %d bytes that were sent none say %q", len(text), want)
	}
	return text
}

// settle waits until a number has not changed for a second.
func settle(number func() int) {
	for last, same := -1, 0; same < 10; time.Sleep(100 * time.Millisecond) {
		if n := number(); n == last {
			same++
		} else {
			last, same = n, 0
		}
	}
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
