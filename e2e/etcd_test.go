package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// A cluster is an etcd of three members with TLS. The test runs it, as a user would.
type cluster struct {
	storage.Endpoint
	members []*exec.Cmd
}

// startCluster starts the members. The end of the test stops them.
func startCluster(t *testing.T, binary string) *cluster {
	t.Helper()
	dir := t.TempDir()
	ca, err := authority.New("test etcd")
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Issue("etcd")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Endpoint: storage.Endpoint{CAFile: filepath.Join(dir, "ca.crt"), CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}}
	for file, data := range map[string][]byte{c.CAFile: ca.CertPEM, c.CertFile: cert, c.KeyFile: key} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var clients, peers, all []string
	for i := range 3 {
		clients, peers = append(clients, freeURL(t)), append(peers, freeURL(t))
		all = append(all, fmt.Sprintf("m%d=%s", i, peers[i]))
	}
	c.URL = strings.Join(clients, ",")
	for i := range 3 {
		m := exec.Command(binary, "--name", fmt.Sprintf("m%d", i), "--data-dir", filepath.Join(dir, fmt.Sprintf("m%d", i)),
			"--listen-client-urls", clients[i], "--advertise-client-urls", clients[i],
			"--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i], "--initial-cluster", strings.Join(all, ","),
			"--client-cert-auth", "--trusted-ca-file", c.CAFile, "--cert-file", c.CertFile, "--key-file", c.KeyFile,
			"--peer-client-cert-auth", "--peer-trusted-ca-file", c.CAFile, "--peer-cert-file", c.CertFile, "--peer-key-file", c.KeyFile,
			"--unsafe-no-fsync", "--log-level", "error")
		if err := m.Start(); err != nil {
			t.Fatal(err)
		}
		c.members = append(c.members, m)
		t.Cleanup(func() { c.kill(i) })
	}
	return c
}

// freeURL returns a local URL with a free port.
func freeURL(t *testing.T) string {
	t.Helper()
	port, err := program.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("https://127.0.0.1:%d", port)
}

func (c *cluster) kill(i int) {
	_ = c.members[i].Process.Kill()
	_ = c.members[i].Wait()
}

// TestExternalEtcd checks that kube-apiserver works on an existing etcd of three
// members. When one member is killed, kube-apiserver goes on. When all members are
// killed, it reports that.
func TestExternalEtcd(t *testing.T) {
	t.Parallel()
	b := build(t, false)
	c := startCluster(t, b.Etcd.Path)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s, err := apiserver.Start(t.Context(), b, apiserver.StartOptions{Etcd: &c.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(context.Background())
	if !s.ExternalEtcd || s.EtcdVersion != b.EtcdVersion || s.ProbeSockets[storage.Name] != "" {
		t.Errorf("external: %v, version %q, sockets %v; expected an external etcd of the build's version, without a probe", s.ExternalEtcd, s.EtcdVersion, s.ProbeSockets)
	}
	client, sent := tracedClient(t, s)
	createDuringKill(t, client, func() { c.kill(1) })
	for _, one := range sent.all()[:3] {
		checkEndsAtClient(t, s, one.Sent)
	}
	bindings, err := client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(bindings.Items) == 0 {
		t.Errorf("kube-apiserver has removed the ClusterRoleBindings of an etcd that apitrace did not start: %v", err)
	}

	c.kill(0)
	c.kill(2)
	testenv.Receive(t, "the server notices the end of the last member", s.Done())
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "has not answered for 6s") || !strings.Contains(err.Error(), c.URL) {
		t.Errorf("after the end of etcd, the server's error is %v, expected one that names its URLs", err)
	}
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.RunDir); !os.IsNotExist(err) {
		t.Errorf("the folder %s still exists after Stop: %v", s.RunDir, err)
	}
}

// createDuringKill creates objects. Meanwhile, it kills one member. The requests in
// flight at that moment may fail, because kube-apiserver does not repeat a write that may
// have succeeded.
func createDuringKill(t *testing.T, client kubernetes.Interface, kill func()) {
	t.Helper()
	const n, killAt, quietAt = 60, 20, 30
	var failed []error
	for i := range n {
		if i == killAt {
			kill()
		}
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("external-%d", i)}}, metav1.CreateOptions{})
		if err == nil {
			continue
		}
		failed = append(failed, err)
		if i < killAt || i >= quietAt || len(failed) > 3 {
			t.Fatalf("request %d of %d failed; expected at most 3 failures, soon after a member was killed before request %d: %v", i, n, killAt, failed)
		}
	}
	t.Logf("requests that failed when a member was killed: %v", failed)
}

// checkEndsAtClient checks that a trace is a tree that ends at kube-apiserver's etcd
// client.
func checkEndsAtClient(t *testing.T, s *apiserver.Server, sent trace.Sent) {
	t.Helper()
	r, _, err := collect.Request(t.Context(), s.ProbeSockets, sent)
	if err != nil {
		t.Error(err)
		return
	}
	asked := 0
	for _, call := range r.Calls {
		if call.Process != apiserver.Name {
			t.Errorf("the trace has a call of %s, expected only kube-apiserver", call.Process)
		}
		if strings.HasPrefix(call.Function, "go.etcd.io/etcd/client/v3.(*retryKVClient).") {
			asked++
		}
	}
	if _, err := trace.NewTree(r); err != nil || asked == 0 {
		t.Errorf("%s %s: %d calls of the etcd client, expected some in one tree: %v", r.Method, r.Path, asked, err)
	}
}
