package story

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A scraper reads the metrics of kube-apiserver and etcd.
type scraper struct {
	t     *testing.T
	world *world
	etcd  *http.Client
}

func newScraper(t *testing.T, w *world) *scraper {
	t.Helper()
	e := w.server.Etcd
	pair, err := tls.LoadX509KeyPair(e.CertFile, e.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(e.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatalf("%s holds no certificate", e.CAFile)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}}
	t.Cleanup(client.CloseIdleConnections)
	return &scraper{t, w, client}
}

// samples are the values of counters. A key is the name and the labels, as in the text of
// the metrics.
type samples map[string]float64

// read reads the counters that the rules need.
func (s *scraper) read() samples {
	s.t.Helper()
	all := samples{}
	status, text := s.world.send(s.world.server.AdminToken, http.MethodGet, "/metrics", nil)
	if status != http.StatusOK {
		s.t.Fatalf("GET /metrics: got the status %d, expected 200: %s", status, text)
	}
	all.parse(s.t, strings.NewReader(string(text)))
	resp, err := s.etcd.Get(s.world.server.Etcd.URL + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	all.parse(s.t, resp.Body)
	return all
}

var (
	sample = regexp.MustCompile(`^(etcd_requests_total|apiserver_cache_list_total|apiserver_storage_list_total|apiserver_audit_error_total|apiserver_admission_controller_admission_duration_seconds_count|grpc_server_handled_total|etcd_disk_wal_fsync_duration_seconds_count)(\{.*\})? (\S+)$`)
	label  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func (s samples) parse(t *testing.T, in io.Reader) {
	t.Helper()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := sample.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatalf("metrics: %s: %v", lines.Text(), err)
		}
		s[m[1]+m[2]] = value
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// A counted is the growth of the counter with these labels.
type counted struct {
	labels map[string]string
	by     float64
}

// grown returns the counters with a name that have grown since before.
func (s samples) grown(before samples, name string) []counted {
	var all []counted
	for key, value := range s {
		base, labels, _ := strings.Cut(key, "{")
		if by := value - before[key]; base == name && by > 0 {
			c := counted{map[string]string{}, by}
			for _, m := range label.FindAllStringSubmatch(labels, -1) {
				c.labels[m[1]] = m[2]
			}
			all = append(all, c)
		}
	}
	return all
}
