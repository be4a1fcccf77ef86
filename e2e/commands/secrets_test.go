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

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// secretive is a client program that sends secretRequests.
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

// sendSecrets sends secretRequests. It accepts any answer.
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

// TestSecretsStayInside sends requests on Secrets, tokens and certificates. They fail
// in every way, and their errors quote secrets. None of 20 planted values may be in
// printed, saved or sent data.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	all := secretRequests()
	for i := range plantedValues {
		found := false
		for _, r := range all {
			plain := r.body + r.token
			found = found || strings.Contains(plain, planted(i)) || strings.Contains(plain, base64Of(planted(i)))
		}
		if !found {
			t.Errorf("no request has the value %s", planted(i))
		}
	}
	received := newKeepingReceiver(m)
	admin := m.start("serve", "--otlp").line
	dir := t.TempDir()

	t.Run("exec", func(t *testing.T) {
		m := m.with(t)
		saved := filepath.Join(dir, "exec.jsonl")
		out, said, status := m.run("exec", "-v", "-o", "tree", "--save", saved, "--", "secretive")
		if status != 0 {
			t.Errorf("exec: exit status %d: %s", status, said)
		}
		noLeak(t, "exec", out, said)
		checkSaved(t, saved, len(all))
		for _, args := range [][]string{{"show", saved, "--errors"}, {"show", saved, "-o", "json"}, {"show", saved, "--view", "outline"}} {
			out, said, _ := m.run(args...)
			noLeak(t, strings.Join(args, " "), out, said)
		}
	})
	t.Run("record", func(t *testing.T) {
		saved := filepath.Join(dir, "record.jsonl")
		noLeak(t, "record", recordClient(m.with(t), saved, "secretive"))
		checkSaved(t, saved, len(all))
	})
	t.Run("request", func(t *testing.T) { requestSecrets(m.with(t), dir, all, 6) })
	t.Run("serve --otlp", func(t *testing.T) {
		config := restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(admin)), "traced.kubeconfig"))
		if err := sendSecrets(config.Host, config.CAData, config.BearerToken); err != nil {
			t.Fatal(err)
		}
		noLeak(t, "the spans that serve sent", received.await(t, "/registry/secrets/default/mine"))
	})
	t.Run("front", func(t *testing.T) {
		received.forget()
		direct := restConfig(t, admin)
		ca := filepath.Join(t.TempDir(), "ca.crt")
		if err := os.WriteFile(ca, direct.CAData, 0o600); err != nil {
			t.Fatal(err)
		}
		front := m.with(t).start("front", "--server", direct.Host, "--server-cafile", ca, "--probe", filepath.Join(filepath.Dir(admin), "probe.sock"), "--port", "0", "--otlp")
		frontCA, err := os.ReadFile(front.line)
		if err != nil {
			t.Fatal(err)
		}
		if err := sendSecrets(front.frontURL(t), frontCA, direct.BearerToken); err != nil {
			t.Fatal(err)
		}
		noLeak(t, "the spans that the front sent", received.await(t, "/api/v1/namespaces/default/secrets"))
		front.end()
		noLeak(t, "the standard error of the front", front.notices.String())
	})
	t.Run("--show-secrets", func(t *testing.T) {
		showSecrets(m.with(t), dir)
		withoutRedaction(m.with(t), dir, all)
	})
}

// noLeak checks that no text has a planted value. what names the texts.
func noLeak(t testing.TB, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if found := leaked(text); found != "" {
			t.Errorf("%s: found a planted value: %s", what, found)
		}
	}
}

// checkSaved checks that a recording has n requests and no planted value.
func checkSaved(t testing.TB, file string, n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	noLeak(t, file, string(text))
	recording, err := trace.Load(file)
	if err != nil || len(recording.Requests) != n {
		t.Errorf("loading %s: got the error %v and %d requests, expected %d requests", file, err, len(recording.Requests), n)
	}
}

// TestSlowSecretsStayInsideRequests sends each request with "apitrace request".
func TestSlowSecretsStayInsideRequests(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	m.start("serve")
	requestSecrets(m, t.TempDir(), secretRequests(), 1)
}

// requestSecrets sends every step-th request, each with its own command. It sends the
// first request before the others, and the last one after them.
func requestSecrets(m *machine, dir string, all []secretRequest, step int) {
	send := func(i int, r secretRequest) {
		saved, file := filepath.Join(dir, fmt.Sprintf("request-%d.jsonl", i)), filepath.Join(dir, fmt.Sprintf("body-%d", i))
		args := []string{"request", "-v", r.method, r.path, "--save", saved, "-o", "tree", "--view", "full"}
		if r.body != "" {
			if err := os.WriteFile(file, []byte(r.body), 0o600); err != nil {
				m.Error(err)
			}
			args = append(args, "-f", file, "-H", "Content-Type: "+r.contentType)
		}
		if r.token != "" {
			args = append(args, "-H", "Authorization: Bearer "+r.token)
		}
		out, said, status := m.run(args...)
		if status != 0 {
			m.Errorf("%.200q: exit status %d: %.2000s", args, status, said)
			return
		}
		noLeak(m, fmt.Sprintf("%.200q", args), out, said)
		checkSaved(m, saved, 1)
	}
	send(0, all[0])
	var wg sync.WaitGroup
	atOnce := make(chan struct{}, 4)
	for i, r := range all[1 : len(all)-1] {
		if i%step != 0 {
			continue
		}
		wg.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			send(i+1, r)
		})
	}
	wg.Wait()
	send(len(all)-1, all[len(all)-1])
	// apitrace refuses this body, because it is not YAML, and does not send it.
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("stringData:\n  k: "+planted(0)+"\n bad: "+planted(1)+": x\n\t"+planted(2)), 0o600); err != nil {
		m.Fatal(err)
	}
	_, said, status := m.run("request", "POST", "/api/v1/namespaces/default/secrets", "-f", broken)
	if status != 2 {
		m.Errorf("a body that is not YAML: exit status %d, expected 2", status)
	}
	noLeak(m, "a body that is not YAML", said)
}

// showSecrets checks that --show-secrets shows the values, and that the saved file warns
// of them.
func showSecrets(m *machine, dir string) {
	patch := filepath.Join(dir, "patch.json")
	for name, text := range map[string]string{
		patch:                             `{"data":{"q":"` + planted(0) + `"}}`,
		filepath.Join(dir, "secret.json"): `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"shown"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			m.Fatal(err)
		}
	}
	if _, said, status := m.run("request", "POST", "/api/v1/namespaces/default/secrets", "-f", filepath.Join(dir, "secret.json"), "-o", "names"); status != 0 {
		m.Fatal(said)
	}
	saved := filepath.Join(dir, "shown.jsonl")
	_, said, status := m.run("request", "PATCH", "/api/v1/namespaces/default/secrets/shown", "-f", patch,
		"-H", "Content-Type: application/merge-patch+json", "--show-secrets", "--save", saved, "-o", "names")
	text, err := os.ReadFile(saved)
	if err != nil || status != 0 {
		m.Fatal(err, said)
	}
	if leaked(said) == "" || leaked(string(text)) == "" {
		m.Errorf("--show-secrets does not show the text of the error:\n%s", said)
	}
	if !strings.Contains(string(text), "this trace may hold contents of secrets") {
		m.Error("the saved file does not warn of the secrets in it")
	}
}

// withoutRedaction sends the same requests with --show-secrets, and checks that several
// traces quote secrets. Otherwise the tests without this flag would prove nothing.
func withoutRedaction(m *machine, dir string, all []secretRequest) {
	saved := filepath.Join(dir, "unredacted.jsonl")
	if _, said, status := m.run("exec", "--show-secrets", "--save", saved, "--", "secretive"); status != 0 {
		m.Fatal(said)
	}
	text, err := os.ReadFile(saved)
	if err != nil {
		m.Fatal(err)
	}
	quoting := 0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if found := leaked(line); found != "" {
			quoting++
			if i < len(all) {
				m.Logf("%s", found)
			}
		}
	}
	if quoting < 5 {
		m.Errorf("of %d traces with --show-secrets, %d quote a planted value, expected at least 5", len(all), quoting)
	}
}

// A keepingReceiver keeps all bytes that it receives.
type keepingReceiver struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func newKeepingReceiver(m *machine) *keepingReceiver {
	m.Helper()
	r := &keepingReceiver{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept.Write(body)
	}))
	m.Cleanup(server.Close)
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
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

// await waits until want has been sent and nothing more follows. It returns everything
// that was sent.
func (r *keepingReceiver) await(t *testing.T, want string) string {
	t.Helper()
	testenv.Await(t, fmt.Sprintf("%q is sent", want), func() bool { return strings.Contains(r.text(), want) })
	settle(func() int { return len(r.text()) })
	return r.text()
}

// settle waits until number has returned the same value for a second, so that the search
// for secrets covers as many spans as possible.
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
