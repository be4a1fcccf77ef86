package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestNightlyEverySpanReachesJaeger traces 1,000 requests with "serve --otlp" and sends
// their spans to a real Jaeger. It reads every trace back from Jaeger's query API. The
// trace must have each span that was sent. The memory of apitrace must stay below a
// limit.
func TestNightlyEverySpanReachesJaeger(t *testing.T) {
	testenv.Nightly(t)
	m := newMachine(t)
	const requests, memoryLimit = 1000, 200 // MB
	jaeger := startJaeger(t)
	sent := newWitness(m, jaeger.receiver)
	server := m.start("serve", "--otlp")
	client := restConfig(t, filepath.Join(filepath.Dir(filepath.Dir(server.line)), "traced.kubeconfig"))
	begin := time.Now()
	// At most 16 traces are pending. The sampler admits 32; traces of more requests
	// would not be sent.
	for done := 0; done < requests; done += 8 {
		get(t, client, 8)
		testenv.Await(t, "the traces are sent", func() bool { return sent.traces() >= done })
	}
	testenv.Await(t, "all traces are sent", func() bool { return sent.traces() == requests })
	took, peak := time.Since(begin), peakMemory(t, server.pid)
	server.end()
	if expected := fmt.Sprintf("sent %d requests with %d spans by OTLP", requests, sent.total()); !strings.Contains(server.notices.String(), expected) || strings.Contains(server.notices.String(), "not traced") {
		t.Errorf("serve says\n%s\nexpected %q", server.notices.String(), expected)
	}
	missing := 0
	for id, spans := range sent.spans {
		missing += jaeger.missing(t, id, spans)
	}
	if missing > 0 {
		t.Errorf("of %d spans that Jaeger accepted, it lacks %d", sent.total(), missing)
	}
	if peak > memoryLimit {
		t.Errorf("apitrace took %d MB of memory, expected at most %d", peak, memoryLimit)
	}
	t.Logf("%d requests, %d spans sent and read back; %v to trace and send them; peak memory: apitrace %d MB, Jaeger %d MB",
		requests, sent.total(), took.Round(time.Second), peak, peakMemory(t, jaeger.pid))
}

// peakMemory returns the largest resident memory of a process so far, in MB. It returns
// 0 on systems without /proc.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Logf("no /proc: the memory is not checked")
		return 0
	}
	peak, ok := peakSoFar(pid)
	if !ok {
		t.Fatalf("process %d has no peak memory", pid)
	}
	return peak
}

// peakSoFar is like peakMemory. ok is false if the process has ended, or on systems without
// /proc. The peak in a child's ProcessState is of no use here: it includes the peak of the
// parent before the child called exec (Linux, fs/exec.c, exec_mmap).
func peakSoFar(pid int) (megabytes int, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if peak == nil {
		return 0, false
	}
	kb, err := strconv.Atoi(string(peak[1]))
	return kb / 1024, err == nil
}

// A witness is an OTLP receiver. It passes all spans on to another receiver, and keeps
// the ids of the spans that the other receiver accepted.
type witness struct {
	mu    sync.Mutex
	spans map[string]map[string]bool // span ids, by trace id
}

// newWitness starts a witness for the spans of the machine's commands. to is the URL of
// the other receiver.
func newWitness(m *machine, to string) *witness {
	w := &witness{spans: map[string]map[string]bool{}}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		in := &collector.ExportTraceServiceRequest{}
		if err != nil || proto.Unmarshal(body, in) != nil {
			http.Error(out, "no OTLP request", http.StatusBadRequest)
			return
		}
		answer, err := http.Post(to+r.URL.Path, r.Header.Get("Content-Type"), bytes.NewReader(body))
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			w.note(in)
		}
		out.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		out.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(out, answer.Body)
	}))
	m.Cleanup(server.Close)
	m.set("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return w
}

func (w *witness) note(in *collector.ExportTraceServiceRequest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, resource := range in.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				id := fmt.Sprintf("%x", span.TraceId)
				if w.spans[id] == nil {
					w.spans[id] = map[string]bool{}
				}
				w.spans[id][fmt.Sprintf("%x", span.SpanId)] = true
			}
		}
	}
}

// traces returns the number of traces with accepted spans. total returns the number of
// these spans.
func (w *witness) traces() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.spans)
}

func (w *witness) total() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, spans := range w.spans {
		n += len(spans)
	}
	return n
}

// A jaegerServer is a Jaeger server that runs until the end of the test.
type jaegerServer struct {
	receiver, query string // URLs
	pid             int
}

// startJaeger builds Jaeger's all-in-one program and starts it with storage in memory.
// Its queue has room for all spans. When the queue is full, Jaeger drops spans but
// still answers that it has accepted them (cmd/collector/app/span_processor.go, where
// no option sets reportBusy).
func startJaeger(t *testing.T) *jaegerServer {
	t.Helper()
	program := filepath.Join(t.TempDir(), "jaeger")
	build := exec.Command("go", "build", "-C", "../testdata/jaeger", "-ldflags", "-s -w", "-o", program, "tool")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building Jaeger: %v\n%s", err, out)
	}
	receiver, query, grpc := freeAddress(t), freeAddress(t), freeAddress(t)
	command := exec.Command(program, "--collector.queue-size=2000000", "--memory.max-traces=2000", "--log-level=error",
		"--collector.otlp.http.host-port="+receiver, "--query.http-server.host-port="+query, "--query.grpc-server.host-port="+grpc,
		"--collector.otlp.grpc.host-port=127.0.0.1:0", "--collector.grpc-server.host-port=127.0.0.1:0",
		"--collector.http-server.host-port=127.0.0.1:0", "--admin.http.host-port=127.0.0.1:0")
	command.Env = append(os.Environ(), "SPAN_STORAGE_TYPE=memory", "OTEL_TRACES_SAMPLER=always_off")
	var log testenv.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("Jaeger:\n%s", log.String())
		}
	})
	j := &jaegerServer{"http://" + receiver, "http://" + query, command.Process.Pid}
	testenv.Await(t, "Jaeger answers", func() bool {
		answer, err := http.Get(j.query + "/api/services")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	})
	return j
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// missing returns the number of a trace's spans that Jaeger does not have. It gives
// Jaeger time to store them.
func (j *jaegerServer) missing(t *testing.T, id string, spans map[string]bool) (missing int) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(100 * time.Millisecond) {
		stored := j.stored(t, id)
		missing = 0
		for span := range spans {
			if !stored[span] {
				missing++
			}
		}
		if missing == 0 || time.Now().After(deadline) {
			return missing
		}
	}
}

// stored returns the ids of the spans of a trace in Jaeger.
func (j *jaegerServer) stored(t *testing.T, id string) map[string]bool {
	t.Helper()
	answer, err := http.Get(j.query + "/api/traces/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var found struct {
		Data []struct {
			Spans []struct {
				SpanID string `json:"spanID"`
			} `json:"spans"`
		} `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&found); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, trace := range found.Data {
		for _, span := range trace.Spans {
			ids[span.SpanID] = true
		}
	}
	return ids
}
