package commands

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
)

// TestStaticPod runs the containers of the documented manifest on this machine. It runs
// their commands with their flags, and only with their own environment. It replaces the
// paths, the ports and the fraction of sampled requests.
func TestStaticPod(t *testing.T) {
	pod := documentedPod(t)
	checkMounts(t, pod)
	t.Parallel()
	needsServer(t)
	node := newNode(t)
	server, front := pod.Spec.Containers[0], pod.Spec.Containers[1]
	// In a cluster, the network limits who reaches the pod. Here only this machine may
	// reach it.
	server.Command = append(server.Command, "--bind-address=127.0.0.1")
	node.run(t, server)
	node.await(t, "https://127.0.0.1:"+node.serverPort+"/readyz", http.StatusOK)
	node.run(t, front)
	node.await(t, "https://127.0.0.1:"+node.frontPort+"/version", http.StatusOK)

	status, body := node.get("https://127.0.0.1:" + node.frontPort + "/api/v1/namespaces")
	if status != http.StatusForbidden || !strings.Contains(body, `User \"jane\" cannot list`) {
		t.Errorf("through the front jane gets the status %d, expected 403: %s", status, body)
	}
	node.received.awaitTraces(t, node.answers) // the traces of the front
	node.received.checkWhole(t)
}

// documentedPod returns the pod of the manifest in docs/control-plane.md.
func documentedPod(t *testing.T) *corev1.Pod {
	t.Helper()
	page, err := os.ReadFile("../../docs/control-plane.md")
	if err != nil {
		t.Fatal(err)
	}
	_, manifest, _ := strings.Cut(string(page), "```yaml\napiVersion: v1\nkind: Pod\n")
	manifest, _, found := strings.Cut(manifest, "```")
	pod := &corev1.Pod{}
	if err := yaml.UnmarshalStrict([]byte(manifest), pod); err != nil || !found || len(pod.Spec.Containers) != 2 {
		t.Fatalf("docs/control-plane.md has no manifest with two containers: %v", err)
	}
	return pod
}

// checkMounts checks that each path in a container is in its image or in a volume of
// the pod.
func checkMounts(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	volumes := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range pod.Spec.Containers {
		within := []string{"/usr/local/bin"}
		for _, m := range c.VolumeMounts {
			within = append(within, m.MountPath)
			if !volumes[m.Name] {
				t.Errorf("container %q mounts the volume %q, which the pod lacks", c.Name, m.Name)
			}
		}
		for _, file := range filesOf(c) {
			is := false
			for _, dir := range within {
				is = is || strings.HasPrefix(file, dir+"/")
			}
			if !is {
				t.Errorf("container %q names %s, expected a path in one of %v", c.Name, file, within)
			}
		}
	}
}

// filesOf lists the paths in a container's command and environment.
func filesOf(c corev1.Container) []string {
	values := append([]string{}, c.Command...)
	for _, e := range c.Env {
		values = append(values, e.Name+"="+e.Value)
	}
	var files []string
	for _, value := range values {
		if _, after, found := strings.Cut(value, "="); found {
			value = after
		}
		if path.IsAbs(value) {
			files = append(files, value)
		}
	}
	return files
}

// A node is the environment of the pod on this machine, below a folder.
type node struct {
	dir                   string
	here                  *strings.Replacer // replaces paths and ports of the manifest
	serverPort, frontPort string
	client                *http.Client // sends requests of the user jane
	answers               int          // number of answers through the front
	received              *receiver
}

func newNode(t *testing.T) *node {
	t.Helper()
	build, err := apiserver.BuildPrograms(t.Context(), apiserver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := program.NewRunDir() // its path is short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	etcd, err := storage.Start(t.Context(), storage.Options{Binary: build.Etcd.Path, RunDir: run})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { etcd.Stop(context.Background()) })
	self, err := exec.LookPath("apitrace")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{dir: run.Path, serverPort: freePort(t), frontPort: freePort(t), received: newReceiver(t)}
	if err := os.Mkdir(filepath.Join(n.dir, "run"), 0o700); err != nil { // the pod's emptyDir
		t.Fatal(err)
	}
	n.here = strings.NewReplacer(
		"/usr/local/bin/kube-apiserver", build.APIServer.Path, "/usr/local/bin/apitrace", self,
		"/etc/kubernetes/pki", filepath.Join(n.dir, "pki"), "/run/apitrace", filepath.Join(n.dir, "run"),
		"https://127.0.0.1:2379", etcd.Endpoint.URL, "6443", n.serverPort, "6444", n.frontPort,
		"http://127.0.0.1:4318", n.received.URL, "--sample=0.01", "--sample=1",
	)
	n.writePKI(t, etcd.Endpoint)
	return n
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := program.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(port)
}

// writePKI makes the files that kubeadm makes.
func (n *node) writePKI(t *testing.T, etcd storage.Endpoint) {
	t.Helper()
	cluster, proxy := newAuthority(t, "kube-apiserver"), newAuthority(t, "front-proxy-client")
	account, err := authority.NewKeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"ca.crt": cluster.ca, "apiserver.crt": cluster.cert, "apiserver.key": cluster.key,
		"apiserver-kubelet-client.crt": cluster.cert, "apiserver-kubelet-client.key": cluster.key,
		"etcd/ca.crt": etcd.CAFile, "apiserver-etcd-client.crt": etcd.CertFile, "apiserver-etcd-client.key": etcd.KeyFile,
		"front-proxy-ca.crt": proxy.ca, "front-proxy-client.crt": proxy.cert, "front-proxy-client.key": proxy.key,
	}
	contents := map[string][]byte{"sa.key": account, "sa.pub": account} // kube-apiserver only uses the public part of sa.pub
	for name, file := range files {
		if contents[name], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(n.dir, "pki", "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(n.dir, "pki", name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n.client = clientOf(t, cluster, "jane")
}

// clientOf returns a client with a certificate of the authority for a user.
func clientOf(t *testing.T, a *otlpAuthority, user string) *http.Client {
	t.Helper()
	cert, key, err := a.made.Issue(user)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.made.CertPEM)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: testenv.Patience}
}

// run runs a container until the end of the test.
func (n *node) run(t *testing.T, c corev1.Container) {
	t.Helper()
	var args []string
	for _, arg := range c.Command {
		args = append(args, n.here.Replace(arg))
	}
	command := exec.Command(args[0], args[1:]...)
	command.Env = []string{} // with nil, the command would inherit the test's environment
	for _, e := range c.Env {
		command.Env = append(command.Env, e.Name+"="+n.here.Replace(e.Value))
	}
	said := &testenv.Buffer{}
	command.Stdout, command.Stderr = said, said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("container %q:\n%.5000s", c.Name, said.String())
		}
	})
}

// get returns the status and the body of an answer, or 0 and the error.
func (n *node) get(url string) (status int, body string) {
	answer, err := n.client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	if strings.Contains(url, ":"+n.frontPort+"/") {
		n.answers++
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// await waits until a request is answered with the status want.
func (n *node) await(t *testing.T, url string, want int) {
	t.Helper()
	var status int
	var body string
	defer func() {
		if t.Failed() {
			t.Logf("%s: got the status %d, want %d: %s", url, status, want, body)
		}
	}()
	testenv.Await(t, fmt.Sprintf("the status of %s is %d", url, want), func() bool {
		status, body = n.get(url)
		return status == want
	})
}
