package apiserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

func TestMain(m *testing.M) {
	if os.Getenv("TEST_APISERVER_PART") == "owner" {
		os.Exit(playOwner())
	}
	os.Exit(m.Run())
}

var tracedBuild = sync.OnceValues(func() (*Build, error) { return buildFor(false) })

func buildFor(plain bool) (*Build, error) {
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	return BuildPrograms(context.Background(), BuildOptions{Plain: plain, Progress: display})
}

func e2eBuild(t *testing.T) *Build {
	t.Helper()
	testenv.NeedsServer(t)
	b, err := tracedBuild()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func startServer(t *testing.T) *Server {
	t.Helper()
	return startBuild(t, e2eBuild(t))
}

func startBuild(t *testing.T, b *Build) *Server {
	t.Helper()
	s, err := Start(t.Context(), b, StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
		if _, err := os.Stat(s.RunDir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("looking for the run directory after Stop: got the error %v, expected that it does not exist", err)
		}
	})
	return s
}

// request sends a request and returns the status and the body.
func request(t *testing.T, s *Server, token, method, path, body string) (int, string) {
	t.Helper()
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

const deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "nginx"}, "spec": {
	"selector": {"matchLabels": {"app": "nginx"}},
	"template": {"metadata": {"labels": {"app": "nginx"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}}}`

func TestServer(t *testing.T) {
	t.Parallel()
	checkServer(t, startServer(t), BuildOptions{})
}

// TestSlowPlainServer checks upstream's own build in the same way.
func TestSlowPlainServer(t *testing.T) {
	testenv.Slow(t)
	testenv.NeedsServer(t)
	b, err := buildFor(true)
	if err != nil {
		t.Fatal(err)
	}
	checkServer(t, startBuild(t, b), BuildOptions{Plain: true})
}

// checkServer checks a server that was built with the options.
func checkServer(t *testing.T, s *Server, o BuildOptions) {
	t.Run("version", func(t *testing.T) {
		status, body := request(t, s, s.AdminToken, "GET", "/version", "")
		var v struct{ Major, Minor, GitVersion, GitTreeState string }
		if err := json.Unmarshal([]byte(body), &v); err != nil || status != 200 || v.GitVersion != DefaultVersion || v.Major+"."+v.Minor != "1.37" {
			t.Errorf("got status %d, version %+v, error %v", status, v, err)
		}
	})
	t.Run("learner", func(t *testing.T) {
		if status, body := request(t, s, s.LearnerToken, "GET", "/api/v1/nodes", ""); status != 403 || !strings.Contains(body, `User \"learner\" cannot list`) {
			t.Errorf("listing nodes as the learner: got %d %s, want 403", status, body)
		}
	})
	t.Run("stranger", func(t *testing.T) {
		if status, _ := request(t, s, "no-such-token", "GET", "/api/v1/nodes", ""); status != 401 {
			t.Errorf("status %d, want 401", status)
		}
	})
	t.Run("unverified", func(t *testing.T) {
		if _, err := http.Get(s.BaseURL + "/version"); err == nil {
			t.Error("a client without the server's CA got an answer, want an error")
		}
	})
	t.Run("private files", func(t *testing.T) { checkPrivate(t, s.RunDir) })
	t.Run("port taken", func(t *testing.T) { testPortTaken(t, s) })
	t.Run("stored", func(t *testing.T) { testStored(t, s) })
	t.Run("attach", func(t *testing.T) { testAttach(t, s, o) })
}

func checkPrivate(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, want no access for other users", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func testStored(t *testing.T, s *Server) {
	r, err := s.Etcd.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	before, err := r.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const key = "/registry/deployments/default/nginx"
	const path = "/apis/apps/v1/namespaces/default/deployments"
	if status, body := request(t, s, s.AdminToken, "POST", path, deployment); status != 201 {
		t.Fatalf("creating a deployment: %d %s", status, body)
	}
	if status, body := request(t, s, s.AdminToken, "DELETE", path+"/nginx", ""); status != 200 {
		t.Fatalf("deleting the deployment: %d %s", status, body)
	}
	changes, err := r.Changes(t.Context(), before, []string{key})
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 {
		t.Fatalf("changes %+v, want the creation and the deletion", changes)
	}
	put, del := changes[0], changes[1]
	if put.Size < 200 || put.Revision <= before || del.Revision <= put.Revision {
		t.Errorf("sizes or revisions are wrong: %+v, from revision %d", changes, before)
	}
	put.Size, put.Revision, del.Revision = 0, 0, 0
	want := trace.StoredKey{Op: "PUT", Key: key, Encoding: "protobuf", APIVersion: "apps/v1", Kind: "Deployment"}
	if put != want {
		t.Errorf("created %+v, want %+v", put, want)
	}
	if want.Op = "DELETE"; del != want {
		t.Errorf("deleted %+v, want %+v", del, want)
	}
	all, err := r.Changes(t.Context(), 0, nil)
	if err != nil || !slices.ContainsFunc(all, func(k trace.StoredKey) bool { return k.Key == "/registry/namespaces/default" }) {
		t.Errorf("all changes: got %d and the error %v, want the namespace default among them", len(all), err)
	}
	now, err := r.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if none, err := r.Changes(t.Context(), now+1000, nil); err != nil || len(none) != 0 {
		t.Errorf("changes after a future revision: got %+v and the error %v, want none", none, err)
	}
}

func testAttach(t *testing.T, s *Server, o BuildOptions) {
	cache, err := program.OpenCache("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Attach(t.Context(), cache, s.K8sVersion, s.BuildKey); !errors.Is(err, ErrNotServed) {
		t.Errorf("Attach before Publish: got %v, want ErrNotServed", err)
	}
	if err := s.Publish(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.processes.stateFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the published state is %v (error %v), want mode 0600", info, err)
	}
	version, key, err := Key(t.Context(), o)
	if err != nil || version != s.K8sVersion || key != s.BuildKey {
		t.Errorf("Key = %q, %q, %v, want the server's version %q and key %q", version, key, err, s.K8sVersion, s.BuildKey)
	}
	other, err := Attach(t.Context(), cache, version, key)
	if err != nil {
		t.Fatal(err)
	}
	if other.BaseURL != s.BaseURL || other.ProbeSockets[Name] != s.ProbeSockets[Name] || other.Etcd != s.Etcd {
		t.Errorf("attached to %+v, want %+v", other, s)
	}
	if err := other.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if status, _ := request(t, other, other.AdminToken, "GET", "/version", ""); status != 200 {
		t.Errorf("after Stop of the attached Server: got status %d, want 200 because the server runs on", status)
	}
	if _, err := Attach(t.Context(), cache, s.K8sVersion, "another-build"); !errors.Is(err, ErrNotServed) {
		t.Errorf("Attach with another build key: got %v, want ErrNotServed", err)
	}
}

// testPortTaken checks that ExitError.PortTaken knows the message of the real kube-apiserver.
func testPortTaken(t *testing.T, s *Server) {
	address, err := url.Parse(s.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := s.processes.runDir.Part("second")
	if err != nil {
		t.Fatal(err)
	}
	second := &Server{K8sVersion: s.K8sVersion, Etcd: s.Etcd, processes: s.processes}
	files, err := second.writeFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := e2eBuild(t)
	server, err := second.program(b.APIServer.Path, dir, files, port, serverconfig.Extra{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = program.Start(t.Context(), server)
	var exit *program.ExitError
	if !errors.As(err, &exit) || !exit.PortTaken(port) {
		t.Errorf("Start: got %v, want an ExitError for a taken port", err)
	}
}

func TestTwoServers(t *testing.T) {
	t.Parallel()
	b := e2eBuild(t)
	errs := make(chan error)
	for range 2 {
		go func() {
			s, err := Start(t.Context(), b, StartOptions{})
			if err == nil {
				err = s.Stop(context.Background())
			}
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestEtcdDies checks that Err reports the end of etcd, not kube-apiserver's reaction to it.
func TestEtcdDies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	if err := s.processes.etcd.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	testenv.Receive(t, "the end of etcd closes Done", s.Done())
	var exit *program.ExitError
	if !errors.As(s.Err(), &exit) || exit.Name != "etcd" || exit.Log == "" {
		t.Errorf("Err: got %v, want an ExitError of etcd with its log", s.Err())
	}
}

// TestKilledOwner checks that nothing is left after SIGKILL of the process that started a
// server: no process, no run directory, no published state.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	e2eBuild(t)
	processesIn(t, "") // skips the test on a system without /proc
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "TEST_APISERVER_PART=owner")
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	runDir := lines.Text()
	lines.Scan()
	state := lines.Text()
	if n := processesIn(t, runDir); n != 2 || state == "" {
		t.Errorf("%d processes run in %q before the kill, want 2", n, runDir)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.Wait()
	testenv.Await(t, "the processes, the run directory and the state of the killed owner are gone", func() bool {
		_, dirErr := os.Stat(runDir)
		_, stateErr := os.Stat(state)
		return processesIn(t, runDir) == 0 && dirErr != nil && stateErr != nil
	})
}

// playOwner starts and publishes a server, prints its run directory and its state file, and
// waits to be killed.
func playOwner() int {
	b, err := tracedBuild()
	if err == nil {
		var s *Server
		if s, err = Start(context.Background(), b, StartOptions{}); err == nil {
			if err = s.Publish(); err == nil {
				fmt.Printf("%s\n%s\n", s.RunDir, s.processes.stateFile)
				select {}
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// processesIn counts the processes with the run directory in their environment.
func processesIn(t *testing.T, runDir string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Skip("this system has no /proc to count processes in")
	}
	n := 0
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), program.SocketEnv+"="+runDir+"/") {
			n++
		}
	}
	return n
}
