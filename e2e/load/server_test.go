package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
)

// requestTimeout limits each request of the tests.
const requestTimeout = time.Minute

// start starts a server of the default release: upstream's own build if plain is set,
// else the traced build. The server stops at the end of the test.
func start(tb testing.TB, plain bool) *apiserver.Server {
	tb.Helper()
	testenv.NeedsServer(tb)
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	built, err := apiserver.BuildPrograms(context.Background(), apiserver.BuildOptions{Plain: plain, Progress: display})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := apiserver.Start(context.Background(), built, apiserver.StartOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// The metrics of kube-apiserver and etcd.
const (
	resident   = "process_resident_memory_bytes"
	goroutines = "go_goroutines"
	openFiles  = "process_open_fds" // Linux only
	processor  = "process_cpu_seconds_total"
	// nextGC is the heap size at which the garbage collector runs next. With GOGC at
	// 100 it is about twice the heap after the last collection. Unlike the heap size,
	// it does not depend on the moment of the reading.
	nextGC = "go_memstats_next_gc_bytes"
)

// A gauge reads the metrics of a server's programs.
type gauge struct {
	apiserver, etcd *http.Client
	server          *apiserver.Server
}

func newGauge(tb testing.TB, s *apiserver.Server) *gauge {
	tb.Helper()
	client, err := s.Client()
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	ca, err := os.ReadFile(s.Etcd.CAFile)
	if err != nil || !roots.AppendCertsFromPEM(ca) {
		tb.Fatalf("reading the certificate of etcd's authority: %v", err)
	}
	own, err := tls.LoadX509KeyPair(s.Etcd.CertFile, s.Etcd.KeyFile)
	if err != nil {
		tb.Fatal(err)
	}
	etcd := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12,
	}}}
	client.Timeout, etcd.Timeout = requestTimeout, requestTimeout
	tb.Cleanup(client.CloseIdleConnections)
	tb.Cleanup(etcd.CloseIdleConnections)
	return &gauge{client, etcd, s}
}

// read returns the metrics by program and name. It leaves out metrics that a program
// does not publish.
func (g *gauge) read(tb testing.TB) map[string]map[string]float64 {
	tb.Helper()
	all := map[string]map[string]float64{}
	for name, from := range map[string]struct {
		client *http.Client
		url    string
	}{apiserver.Name: {g.apiserver, g.server.BaseURL}, storage.Name: {g.etcd, g.server.Etcd.URL}} {
		req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, from.url+"/metrics", nil)
		if err != nil {
			tb.Fatal(err)
		}
		if name == apiserver.Name {
			req.Header.Set("Authorization", "Bearer "+g.server.AdminToken)
		}
		resp, err := from.client.Do(req)
		if err != nil {
			tb.Fatal(err)
		}
		metrics, err := readMetrics(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || metrics[resident] == 0 {
			tb.Fatalf("reading the metrics of %s: got the status %s, the error %v and %s = %v, expected 200 and a value above 0", name, resp.Status, err, resident, metrics[resident])
		}
		all[name] = metrics
	}
	return all
}

// readMetrics reads the metrics without labels. The input has the Prometheus text
// format.
func readMetrics(in io.Reader) (map[string]float64, error) {
	metrics := map[string]float64{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" || strings.Contains(name, "{") {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the metric %s: %w", name, err)
		}
		metrics[name] = number
	}
	return metrics, lines.Err()
}

// ask asks a program's probe for a trace by its id. The id "" asks only for the
// counters in the header, which every answer has.
func ask(ctx context.Context, socket, traceID string) (probe.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var h probe.Header
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return h, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := json.NewEncoder(conn).Encode(probe.Query{Trace: traceID}); err != nil {
		return h, err
	}
	in := bufio.NewReader(conn)
	if h, err = probe.ReadHeader(in); err != nil {
		return h, err
	}
	_, err = probe.ReadRecords(in, h.Calls) // otherwise the probe keeps the trace
	return h, err
}

// undelivered returns the number of calls that a server's probes discarded because
// nobody fetched them.
func undelivered(tb testing.TB, s *apiserver.Server) int64 {
	tb.Helper()
	calls := int64(0)
	for _, name := range slices.Sorted(maps.Keys(s.ProbeSockets)) {
		h, err := ask(tb.Context(), s.ProbeSockets[name], "")
		if err != nil {
			tb.Fatalf("asking the probe of %s: %v", name, err)
		}
		calls += h.Undelivered
	}
	return calls
}
