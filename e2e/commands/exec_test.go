package commands

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

const (
	thousandWorkers = 8
	thousandEach    = 125
)

// thousand is a client program. It sends 1,000 requests, 8 at a time, each for a
// different object.
func thousand() {
	if err := sendThousand(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sendThousand() error {
	ca, err := os.ReadFile(os.Getenv("APITRACE_CACERT"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	failed := make([]error, thousandWorkers)
	var wg sync.WaitGroup
	for w := range thousandWorkers {
		wg.Go(func() {
			for i := range thousandEach {
				failed[w] = errors.Join(failed[w], sendOne(client, fmt.Sprintf("c-%d-%d-", w, i)))
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

func sendOne(client *http.Client, name string) error {
	r, err := http.NewRequest(http.MethodGet, os.Getenv("APITRACE_SERVER")+"/api/v1/namespaces/default/configmaps/"+name+"x", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("APITRACE_TOKEN"))
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusNotFound {
		return fmt.Errorf("%s: answered %d, %v, expected 404: there is no such object", name, resp.StatusCode, err)
	}
	return nil
}

// TestExecThousand runs a client that sends 1,000 requests, 8 at a time. It checks that
// each request has a separate tree, that no tree is lost, and that apitrace uses less
// memory than all trees would need.
func TestExecThousand(t *testing.T) {
	t.Parallel()
	m := withServer(t)   // the peak memory of exec would include a server that it started
	m.set("GOGC", "100") // the users' default
	// On a busy machine the garbage collector runs late. With this limit it runs more
	// often. The limit does not restrict the memory in use.
	m.set("GOMEMLIMIT", "300MiB")
	file := filepath.Join(t.TempDir(), "thousand.jsonl")
	command := m.command("exec", "--save", file, "--", "thousand")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	peak := make(chan int, 1)
	go func() { peak <- peakUntilEnd(command.Process.Pid) }()
	if err := command.Wait(); err != nil {
		t.Fatalf("exec: %v\n%s", err, out.String())
	}
	if n := strings.Count(out.String(), " 404 "); n != thousandWorkers*thousandEach {
		t.Errorf("the summary has %d requests with the answer 404, expected all", n)
	}
	seen := map[string]bool{}
	size := eachLine(t, file, func(rec *trace.Recording) { checkOne(t, rec, seen) })
	if len(seen) != thousandWorkers*thousandEach {
		t.Errorf("the recording names %d different objects, expected one for each request", len(seen))
	}
	if runtime.GOOS != "linux" {
		return
	}
	used := <-peak
	t.Logf("the recording has %d MB; at most %d MB of memory were used", size>>20, used)
	// In memory, a recording is larger than its file.
	if used == 0 || int64(used) > size>>20 {
		t.Errorf("a recording of %d MB took %d MB of memory, expected less than the size of the file, more than 0", size>>20, used)
	}
}

// peakUntilEnd reads the peak memory of a process until it ends, and returns the last value,
// in MB.
func peakUntilEnd(pid int) (peak int) {
	for {
		now, ok := peakSoFar(pid)
		if !ok {
			return peak
		}
		peak = now
		time.Sleep(10 * time.Millisecond)
	}
}

// eachLine loads the requests of a recording one by one. It returns the size of the
// file.
func eachLine(t *testing.T, file string, do func(*trace.Recording)) (size int64) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	one := filepath.Join(t.TempDir(), "one.jsonl")
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return size
		}
		size += int64(len(line))
		if err := os.WriteFile(one, line, 0o600); err != nil {
			t.Fatal(err)
		}
		rec, err := trace.Load(one)
		if err != nil {
			t.Fatal(err)
		}
		do(rec)
	}
}

var thousandKey = regexp.MustCompile(`c-\d+-\d+-`)

// checkOne checks that a recording has one request, that its trace is one tree with calls
// in both programs, and that the trace names only the object of the request. It adds the
// object to seen.
func checkOne(t *testing.T, rec *trace.Recording, seen map[string]bool) {
	t.Helper()
	r := rec.Requests[0]
	own := thousandKey.FindString(r.Path)
	if len(rec.Requests) != 1 || own == "" || seen[own] || len(r.Incomplete) > 0 {
		t.Errorf("%s: expected one complete request for its own object; seen before: %v; incomplete: %q", r.Path, seen[own], r.Incomplete)
	}
	seen[own] = true
	roots, keys := 0, map[string]int{}
	for _, c := range r.Calls {
		if c.Parent == "" {
			roots++
		}
		for _, value := range c.Attributes {
			for _, name := range thousandKey.FindAllString(value, -1) {
				if name != own {
					t.Errorf("the trace of %s has the value %q in %s, expected only its own object", r.Path, value, c.Function)
				}
				keys[c.Process]++
			}
		}
	}
	if roots != 1 || keys["kube-apiserver"] == 0 || keys["etcd"] == 0 {
		t.Errorf("%s: %d roots, expected 1; calls that name its object, by program: %v, expected both programs", r.Path, roots, keys)
	}
}
