package commands

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// evil is a text that, shown as it is, would clear the screen, set the title, reorder a
// line, and run a script in a page. It is not valid UTF-8.
const evil = "evil<script>owned()</script>\x1b[2J\x1b]0;owned\a\x1b]8;;file:///etc/passwd\x1b\\\u009b31m\u202egpj.exe\u2066\u200f\u2028\r\x7f\xff"

// evilHeader is the part of evil that a header may contain.
const evilHeader = "evil\t\x9b31m\u009b2J\u202egpj.exe\u2066\u2028\xff"

// A hostileRequest is a request that a client sends byte by byte.
type hostileRequest struct {
	method, path string
	headers      map[string]string
	body         string
	status       int
}

// hostileRequests returns hostile requests that reach the handlers.
func hostileRequests() []hostileRequest {
	const configMaps = "/api/v1/namespaces/default/configmaps"
	escaped := url.PathEscape(evil)
	quoted := func(text string) string {
		q, err := json.Marshal(text)
		if err != nil {
			panic(err)
		}
		return string(q)
	}
	object := func(metadata, more string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{` + metadata + `}` + more + `}`
	}
	inJSON := map[string]string{"Content-Type": "application/json"}
	megabytes := strings.Repeat("\u202ex\u009b ", 3<<20/7)
	return []hostileRequest{
		{method: "GET", path: configMaps + "/" + escaped, status: 404},
		{method: "GET", path: configMaps + "/\x9b31m\u202egpj\xff", status: 404},
		{method: "GET", path: configMaps + "?labelSelector=" + url.QueryEscape(evil), status: 400},
		{method: "GET", path: configMaps + "?fieldSelector=" + url.QueryEscape(evil) + "&\x9b\u202e\xff=1", status: 400},
		{method: "GET", path: "/api/v1/" + escaped, status: 404},
		{method: "GET", path: "/apis/" + escaped + "/v1/things/" + escaped, status: 404},
		{method: "GET", path: "/" + escaped, status: 404},
		{method: "GET", path: "/" + strings.Repeat("%1b%5d0;", 10_000), status: 404},
		{method: "GET", path: configMaps, headers: map[string]string{"Accept": "application/" + evilHeader}, status: 406},
		{method: "GET", path: configMaps, headers: map[string]string{"Impersonate-User": evilHeader}, status: 403},
		{method: "GET", path: configMaps, headers: map[string]string{"Traceparent": evilHeader}, status: 200},
		{method: "POST", path: configMaps, headers: inJSON, body: object(`"name":"kept","annotations":{"a":`+quoted(evil)+`}`, `,"data":{"k":`+quoted(evil)+`}`), status: 201},
		{method: "POST", path: configMaps, headers: inJSON, body: object(`"name":`+quoted(evil), ""), status: 422},
		{method: "POST", path: configMaps, headers: inJSON, body: object(`"name":"x","labels":{"a":`+quoted(evil)+`,`+quoted(evil)+`:"b"}`, ""), status: 422},
		{method: "POST", path: configMaps + "?fieldValidation=Strict", headers: inJSON, body: object(`"name":"x",`+quoted(evil)+`:1`, ","+quoted(evil)+`:2`), status: 400},
		{method: "POST", path: configMaps, headers: inJSON, body: `{"apiVersion":` + evil, status: 400},
		{method: "POST", path: configMaps, headers: inJSON, body: `{"apiVersion":"v1","kind":` + quoted(evil) + `}`, status: 400},
		{method: "POST", path: configMaps, headers: map[string]string{"Content-Type": "application/" + evilHeader}, body: "{}", status: 415},
		{method: "POST", path: configMaps, headers: inJSON, body: object(`"name":`+quoted(megabytes[:2<<20]), ""), status: 422},
		{method: "POST", path: configMaps, headers: inJSON, body: object(`"name":"x"`, `,"data":{"k":"`+megabytes+megabytes+`"}`), status: 413},
		{method: "PATCH", path: configMaps + "/kept?fieldManager=" + url.QueryEscape(evil), headers: map[string]string{"Content-Type": "application/apply-patch+yaml"}, body: "apiVersion: v1\nkind: ConfigMap\n", status: 422},
		{method: "PATCH", path: configMaps + "/kept", headers: map[string]string{"Content-Type": "application/json-patch+json"}, body: `[{"op":"test","path":` + quoted("/"+evil) + `,"value":` + quoted(evil) + `}]`, status: 422},
		{method: "PUT", path: configMaps + "/kept", headers: inJSON, body: object(`"name":`+quoted(evil), ""), status: 400},
		{method: "DELETE", path: configMaps + "/kept", status: 200},
	}
}

// hostile is a client program that sends hostileRequests.
func hostile() {
	if err := sendHostile(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sendHostile() error {
	ca, err := os.ReadFile(os.Getenv("APITRACE_CACERT"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	host := strings.TrimPrefix(os.Getenv("APITRACE_SERVER"), "https://")
	for i, r := range hostileRequests() {
		status, err := r.send(host, &tls.Config{RootCAs: roots}, os.Getenv("APITRACE_TOKEN"))
		if err != nil || status != r.status {
			return fmt.Errorf("%d. %s %.100q was answered %d, %v, expected %d", i+1, r.method, r.path, status, err, r.status)
		}
	}
	return nil
}

// send writes the request in a form that client libraries would refuse.
func (r *hostileRequest) send(host string, config *tls.Config, token string) (status int, err error) {
	conn, err := tls.Dial("tcp", host, config)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nAuthorization: Bearer %s\r\nUser-Agent: %s\r\nContent-Length: %d\r\n", r.method, r.path, host, token, evilHeader, len(r.body))
	for name, value := range r.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	b.WriteString("\r\n" + r.body)
	go func() { _, _ = conn.Write(b.Bytes()) }() // in the background, because a server may answer before it has read the whole request
	answer := make([]byte, 64)
	n, err := io.ReadAtLeast(conn, answer, len("HTTP/1.1 200"))
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, conn)
	return strconv.Atoi(string(answer[:n][9:12]))
}

// TestHostileClient sends hostile requests through each command that records. Their
// names, selectors, headers, bodies and error texts have terminal escapes,
// bidirectional marks, C1 controls, invalid UTF-8 and megabytes. No raw text may reach
// a terminal, no request may be lost, and each file must load again.
func TestHostileClient(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	received := newReceiver(t)
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", received.URL)
	admin := m.start("serve", "--otlp").line
	dir := t.TempDir()
	all := hostileRequests()

	t.Run("exec", func(t *testing.T) {
		m := m.with(t)
		saved := filepath.Join(dir, "exec.jsonl")
		shown := m.onTerminal("exec", "--save", saved, "--", "hostile")
		if raw := rawIn(shown); raw != "" {
			t.Errorf("unescaped text reaches a terminal: %s", raw)
		}
		checkHostile(t, saved, all)
	})
	t.Run("record", func(t *testing.T) {
		saved := filepath.Join(dir, "record.jsonl")
		if raw := rawIn(recordClient(m.with(t), saved, "hostile")); raw != "" {
			t.Errorf("unescaped text reaches a terminal: %s", raw)
		}
		checkHostile(t, saved, all)
	})
	t.Run("request", func(t *testing.T) { requestHostile(m.with(t), dir, all, 4) })
	t.Run("outputs", func(t *testing.T) { checkOutputs(m.with(t), dir, filepath.Join(dir, "exec.jsonl"), len(all)) })
	t.Run("serve --otlp and front", func(t *testing.T) { frontHostile(t, admin, received, all) })
}

// checkHostile checks that a recording has each request, with its path and its user
// agent.
func checkHostile(t *testing.T, file string, all []hostileRequest) {
	t.Helper()
	recording, err := trace.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, r := range recording.Requests {
		got = append(got, fmt.Sprintf("%s %q %d %q", r.Method, decoded(r.Path), r.Status, r.Calls[0].Attributes["user_agent.original"]))
		for _, c := range r.Calls {
			for name, value := range c.Attributes {
				if !utf8.ValidString(value) || len(value) > 8<<10 {
					t.Errorf("%s has %s=%.100q of %d bytes, expected valid UTF-8 of at most 8 kB", c.Function, name, value, len(value))
				}
			}
		}
	}
	for _, r := range all {
		want = append(want, fmt.Sprintf("%s %q %d %q", r.method, decoded(r.path), r.status, trace.KeepableText(evilHeader)))
	}
	for _, one := range want {
		if i := slices.Index(got, one); i >= 0 {
			got = slices.Delete(got, i, i+1)
		} else {
			t.Errorf("not recorded: %.500s", one)
		}
	}
	for _, one := range got {
		t.Errorf("recorded, but not sent: %.500s", one)
	}
}

// decoded returns a path as the server reads it.
func decoded(path string) string {
	path, query, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(path)
	values, queryErr := url.PathUnescape(query)
	if err := errors.Join(err, queryErr); err != nil {
		return err.Error()
	}
	return plain + "?" + values
}

// checkOutputs shows a recording in every format on a terminal. It loads the output of
// the formats that can be loaded.
func checkOutputs(m *machine, dir, file string, n int) {
	m.Helper()
	one, other := filepath.Join(dir, "request-0.jsonl"), filepath.Join(dir, "request-4.jsonl")
	var wg sync.WaitGroup
	atOnce := make(chan struct{}, 3)
	for _, args := range [][]string{
		{"show", file, "--summary"}, {"show", file, "--view", "outline"}, {"show", file, "--view", "full", "--notes"}, {"show", file, "--errors"},
		{"show", file, "-o", "names"}, {"show", file, "-o", "mermaid"}, {"show", file, "-o", "folded"}, {"show", file, "-o", "stdout", "--only", "12"},
		{"show", file, "-o", "json", "--only", "1"}, {"show", file, "-o", "yaml", "--only", "2"}, {"show", file, "-o", "chrome", "--only", "15"},
		{"export", "tour", file}, {"diff", one, other}, {"diff", one, other, "-o", "names"}, {"diff", one, other, "-o", "json"}, {"diff", one, other, "-o", "html"},
	} {
		wg.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			shown := m.onTerminal(args...)
			if raw := rawIn(shown); raw != "" {
				m.Errorf("%q: unescaped text reaches a terminal: %s", args, raw)
			}
			if len(shown) < 100 {
				m.Errorf("%q shows only %q, expected at least 100 bytes", args, shown)
			}
			if slices.Contains(args, "html") && strings.Contains(shown, "<script>owned") {
				m.Errorf("%q: the page contains the script that a client has sent", args)
			}
		})
	}
	wg.Wait()
	for _, only := range []string{"1", "14"} {
		explore := m.inTerminal("explore", file, "--only", only)
		explore.Shows("APIServerHandler")
		explore.Type("q")
		explore.Wait()
		shown := explore.Output()
		for _, raw := range []string{"\x1b]0;owned", "\u202e", "\u009b", "\u2066", "\u2028", "\xff", "file:///etc/passwd\x1b"} {
			if i := strings.Index(shown, raw); i >= 0 {
				m.Errorf("explore: unescaped text reaches a terminal: %q", shown[max(0, i-50):i+20])
			}
		}
		if !strings.Contains(shown, "APIServerHandler") {
			m.Errorf("explore --only %s shows %q, expected the tree", only, shown)
		}
	}
	// Other programs read these formats.
	for format, load := range map[string]func([]byte) error{
		"json":   func(b []byte) error { return json.Unmarshal(b, new(any)) },
		"chrome": func(b []byte) error { return json.Unmarshal(b, new(any)) },
	} {
		out, said, status := m.run("show", file, "-o", format)
		if err := load([]byte(out)); err != nil || status != 0 || !utf8.ValidString(out) {
			m.Errorf("-o %s: reading the output gave the error %v, expected valid JSON\n%s", format, err, said)
		}
	}
	imported := filepath.Join(dir, "imported.jsonl")
	if _, said, status := m.run("import", file, "--save", imported); status != 0 {
		m.Errorf("import failed: %s", said)
	}
	again, err := trace.Load(imported)
	if err != nil || len(again.Requests) != n {
		m.Errorf("loading the imported file: got %v and the error %v, expected all requests", again, err)
	}
}

// recordClient records the requests of a client program on a terminal, ends the
// recording with Ctrl-C, and returns the bytes on the screen.
func recordClient(m *machine, saved, program string) string {
	m.Helper()
	control, screen := openTerminal(m)
	defer control.Close()
	command := m.command("record", "--save", saved)
	command.Stdout, command.Stderr = screen, screen
	if err := command.Start(); err != nil {
		m.Fatal(err)
	}
	screen.Close()
	var shown testenv.Buffer
	copied := make(chan struct{})
	go func() { _, _ = io.Copy(&shown, control); close(copied) }()
	variables := regexp.MustCompile(`export ([A-Z_]+=\S+)`)
	var environment []string
	testenv.Await(m, "the five variables for clients are on the screen", func() bool {
		environment = nil
		for _, found := range variables.FindAllStringSubmatch(shown.String(), -1) {
			environment = append(environment, found[1])
		}
		return len(environment) == 5
	})
	client := exec.Command(program)
	client.Env = append(os.Environ(), environment...)
	out, err := client.CombinedOutput()
	if err != nil {
		m.Errorf("the client: %v: %s", err, out)
	}
	_ = command.Process.Signal(os.Interrupt)
	<-copied
	if err := command.Wait(); err != nil {
		m.Errorf("record: %v\n%s", err, shown.String())
	}
	return shown.String()
}

// TestSlowHostileRequests sends hostile requests with "apitrace request", one command
// each. It skips requests that a command line cannot express.
func TestSlowHostileRequests(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	m.start("serve")
	requestHostile(m, t.TempDir(), hostileRequests(), 1)
}

// requestHostile sends every step-th hostile request that a command line can express,
// one command each. It always sends the request that creates the object of the others,
// and the last request.
func requestHostile(m *machine, dir string, all []hostileRequest, step int) {
	var wg sync.WaitGroup
	atOnce := make(chan struct{}, 4)
	for i, r := range all {
		if len(r.path) > 50_000 || i%step != 0 && r.status != 201 && i != len(all)-1 {
			continue
		}
		if i == len(all)-1 {
			wg.Wait() // the last request deletes the object of the others
		}
		wg.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			saved := filepath.Join(dir, fmt.Sprintf("request-%d.jsonl", i))
			args := []string{"request", r.method, r.path, "--save", saved, "--view", "outline"}
			for name, value := range r.headers {
				args = append(args, "-H", name+": "+value)
			}
			if r.body != "" {
				file := filepath.Join(dir, fmt.Sprintf("body-%d", i))
				if err := os.WriteFile(file, []byte(r.body), 0o600); err != nil {
					m.Error(err)
				}
				args = append(args, "-f", file)
			}
			shown := m.onTerminal(args...)
			if raw := rawIn(shown); raw != "" {
				m.Errorf("%.200q: unescaped text reaches a terminal: %s", args, raw)
			}
			if len(shown) > 50_000 {
				m.Errorf("%.200q shows %d bytes, expected at most 50,000", args, len(shown))
			}
			recording, err := trace.Load(saved)
			if err != nil || len(recording.Requests) != 1 || decoded(recording.Requests[0].Path) != decoded(r.path) {
				m.Errorf("%.200q: loading the saved request gave the error %v, expected one request with its path\n%.2000s", args, err, shown)
			}
		})
	}
	wg.Wait()
}

// frontHostile sends the requests through the traced front of a server. Its traces go
// to an OTLP receiver.
func frontHostile(t *testing.T, admin string, received *receiver, all []hostileRequest) {
	config := restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(admin)), "traced.kubeconfig"))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	for i, r := range all {
		status, err := r.send(strings.TrimPrefix(config.Host, "https://"), &tls.Config{RootCAs: roots}, config.BearerToken)
		if err != nil || status != r.status {
			t.Errorf("%d. %s %.100q: got the status %d and the error %v, expected the status in hostileRequests", i+1, r.method, r.path, status, err)
		}
		received.awaitTraces(t, i+1)
	}
	received.checkWhole(t)
}
