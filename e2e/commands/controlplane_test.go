package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

const webDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: nginx}]}
`

// deployer is a client program. It creates the Deployment "followed".
func deployer() {
	if err := deploy("followed", os.Getenv("KUBECONFIG")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// deploy creates a Deployment with a name and two pods.
func deploy(name, kubeconfig string) error {
	text := strings.Replace(webDeployment, "name: web", "name: "+name, 1)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	resp, err := client.Post(config.Host+"/apis/apps/v1/namespaces/default/deployments", "application/yaml", strings.NewReader(text))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("POST deployments: %s\n%s", resp.Status, answer)
	}
	return nil
}

// checkFollow checks that exec shows and saves what a Deployment causes.
func checkFollow(t *testing.T, m *machine) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "followed.jsonl")
	_, said, status := m.run("exec", "--width", "200", "--follow", "1m", "--save", file, "--", "deployer")
	shown, notices, shownStatus := m.run("show", file, "--summary")
	if status != 0 || shownStatus != 0 {
		t.Fatalf("exec: exit status %d\n%s\nshow: exit status %d\n%s", status, said, shownStatus, notices)
	}
	lacks := func(summary string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !regexp.MustCompile(want).MatchString(summary) {
				t.Errorf("the output lacks %q:\n%s", want, summary)
			}
		}
	}
	lacks(shown,
		"201 .* POST /apis/apps/v1/namespaces/default/deployments",
		"EVENT kube-controller-manager ADDED Deployment default/followed",
		"EVENT kube-scheduler ADDED Pod default/followed-",
		"201 .* POST /api/v1/namespaces/default/pods/followed-.*/binding",
		"EVENT hollow-kubelet ADDED Pod default/followed-",
		"200 .* PATCH /api/v1/namespaces/default/pods/followed-.*/status")
	story, notices, status := m.run("show", file, "--width", "200")
	if status != 0 {
		t.Fatalf("show: exit status %d\n%s", status, notices)
	}
	if !strings.Contains(said, story) {
		t.Errorf("exec does not tell the story that show tells:\n%s\n%s", said, story)
	}
	lacks(story,
		" 0ms  client: creates Deployment followed\n",
		"├ deployment controller: creates ReplicaSet followed-",
		"replicaset controller: wants 2 pods, has 0\n",
		"scheduler: 1 of 1 nodes can run the pod; selects n1\n",
		"scheduler: binds Pod followed-",
		"kubelet: starts the container nginx of followed-",
		"kubelet: writes the status of Pod followed-.*: Running\n")
	story, notices, status = m.run("run", "deployment-to-pod", "--width", "200")
	if status != 0 {
		t.Fatalf("run: exit status %d\n%s", status, notices)
	}
	lacks(story,
		" 0ms  client: creates Deployment web\n",
		"replicaset controller: wants 2 pods, has 0\n",
		": Running\n")
}

// checkRecordFollow checks that record writes what a request causes, also after Ctrl-C.
func checkRecordFollow(t *testing.T, m *machine) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recorded.jsonl")
	recorder, said := m.command("record", "--follow", "1m", "--save", file), &testenv.Buffer{}
	recorder.Stdout = said
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Process.Kill() })
	testenv.Await(t, "the path of the kubeconfig", func() bool { return strings.Contains(said.String(), "\n") })
	kubeconfig, _, _ := strings.Cut(said.String(), "\n")
	if err := deploy("recorded", kubeconfig); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the line of the request", func() bool { return strings.Contains(said.String(), "POST /apis/apps/v1/") })
	if err := recorder.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Wait(); err != nil {
		t.Errorf("record: %v", err)
	}
	story, notices, status := m.run("show", file, "--width", "200")
	if status != 0 || !strings.Contains(story, ": wants 2 pods, has 0\n") || !regexp.MustCompile("writes the status of Pod recorded-.*: Running").MatchString(story) {
		t.Errorf("show: exit status %d\n%s\n%s", status, story, notices)
	}
}

// TestSlowServeControlPlane creates a Deployment on a served control plane, which traces
// the request and gives it two running pods. Then it kills each of the programs in turn:
// the server says so and ends, and leaves nothing.
func TestSlowServeControlPlane(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	if _, said, status := m.run("build", "--control-plane"); status != 0 {
		t.Fatalf("build: exit status %d\n%s", status, said)
	}
	for _, program := range []string{"hollow-kubelet", "kube-scheduler", "kube-controller-manager", "kube-apiserver"} {
		serve, said := serveControlPlane(t, m)
		if program == "hollow-kubelet" {
			checkServedControlPlane(t, m, serve.Process.Pid)
			checkFollow(t, m)
			checkRecordFollow(t, m)
		}
		if err := syscall.Kill(processOf(t, m.tmp, program), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		err := serve.Wait()
		if _, failed, _ := strings.Cut(said.String(), "error: "); err == nil || !strings.Contains(failed, program+" ended: signal: killed") {
			t.Errorf("after the end of %s: %v\n%s", program, err, said.String())
		}
		for _, left := range [][]string{glob(t, filepath.Join(m.tmp, "*")), glob(t, "/tmp/hollow-kubelet.*"), glob(t, "/tmp/kubelet_remote_*")} {
			if len(left) > 0 {
				t.Errorf("after the end of %s it leaves %q", program, left)
			}
		}
		testenv.Await(t, "all programs have ended", func() bool { return len(serversIn(t, m.tmp)) == 0 })
	}
}

// TestNightlyStoriesStayTheSame runs each scenario that follows 20 times on one server, whose
// programs compare each call with their stacks. A later run begins with what the earlier ones
// have left. All runs of a scenario have the same core of the story.
func TestNightlyStoriesStayTheSame(t *testing.T) {
	testenv.Nightly(t)
	m := newMachine(t)
	if _, said, status := m.run("build", "--control-plane"); status != 0 {
		t.Fatalf("build: exit status %d\n%s", status, said)
	}
	serve, said := serveControlPlane(t, m, "--check")
	cores := map[string][]string{} // by scenario, of its first run
	for run := range 20 {
		for scenario, story := range followLibrary(t, m) {
			core := coreOf(story)
			if cores[scenario] == nil {
				cores[scenario] = core
			} else if !slices.Equal(core, cores[scenario]) {
				t.Errorf("%s: run %d has the core\n%s\nexpected, as in the first run,\n%s", scenario, run, strings.Join(core, "\n"), strings.Join(cores[scenario], "\n"))
			}
		}
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait() // the error only says that a signal has ended it
	if got, want := serve.ProcessState.ExitCode(), 128+int(syscall.SIGINT); got != want {
		t.Errorf("serve: exit status %d, expected %d\n%s", got, want, said.String())
	}
}

// followLibrary runs each scenario of the library that follows, and returns the stories by
// scenario.
func followLibrary(t *testing.T, m *machine) map[string]*view.CausalStory {
	t.Helper()
	library, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	stories := map[string]*view.CausalStory{}
	for _, scenario := range library {
		if scenario.Follow == nil {
			continue
		}
		file := filepath.Join(t.TempDir(), "story.jsonl")
		if _, notices, status := m.run("run", scenario.Name, "--check", "--save", file); status != 0 {
			t.Errorf("run %s: exit status %d\n%s", scenario.Name, status, notices)
			continue
		} else if !strings.Contains(notices, "using the server that is running at ") {
			t.Errorf("run %s did not use the running server:\n%s", scenario.Name, notices)
		}
		rec, err := trace.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		story := view.NewCausalStory(rec, guide.ForReader("en", rec), "en")
		if !slices.Contains(story.Remarks, "No other work that the requests caused was queued or running at the end.") {
			t.Errorf("%s: something was still queued or running: %q", scenario.Name, story.Remarks)
		}
		stories[scenario.Name] = story
	}
	return stories
}

// These match the random end of a pod's name, where the work of a line came from, and times.
var (
	podSuffix = regexp.MustCompile(`(-[0-9a-z]{8,10})-[0-9a-z]{5}\b`)
	origin    = regexp.MustCompile(` \((after waiting|also because of) [^)]*\)`)
	waited    = regexp.MustCompile(`\d+(\.\d+)?(ms|s)\b`)
)

// coreOf returns the lines of a story that are the same in each run, in alphabetical order. The
// programs work at the same time. So these differ from run to run: the order of the lines, which
// of several causes came first, and whether a timer was among them; the writes of a status, which
// tell what an actor sees at that moment; the conflicts between writes; whether the Node authorizer
// already knows a pod when the kubelet asks for it.
func coreOf(story *view.CausalStory) (core []string) {
	for _, l := range story.Lines {
		text := waited.ReplaceAllString(origin.ReplaceAllString(podSuffix.ReplaceAllString(l.Text, "$1-…"), ""), "…")
		if !strings.Contains(text, "the status of") && !strings.Contains(text, "refused with 409") && !strings.Contains(text, "no relationship found between node") {
			core = append(core, l.Actor+": "+text)
		}
	}
	slices.Sort(core)
	return slices.Compact(core)
}

// serveControlPlane starts a server with a control plane, and waits until it is ready.
func serveControlPlane(t *testing.T, m *machine, flags ...string) (*exec.Cmd, *testenv.Buffer) {
	t.Helper()
	serve, said := m.launch(append([]string{"serve", "--control-plane"}, flags...)...)
	testenv.Await(t, "the control plane is ready", func() bool {
		return strings.Contains(said.String(), "the node n1 is ready for pods")
	})
	return serve, said
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func checkServedControlPlane(t *testing.T, m *machine, pid int) {
	t.Helper()
	status := m.status()[pid]
	if !strings.Contains(status, "with a control plane") {
		t.Errorf("the status is %q", status)
	}
	file := filepath.Join(t.TempDir(), "web.yaml")
	if err := os.WriteFile(file, []byte(webDeployment), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notices, code := m.run("request", "POST", "/apis/apps/v1/namespaces/default/deployments", "-f", file)
	if code != 0 || !strings.Contains(out, "POST /apis/apps/v1/namespaces/default/deployments → 201") {
		t.Fatalf("the request: exit status %d\n%s%.2000s", code, notices, out)
	}
	fields := strings.Fields(status)
	config, err := clientcmd.BuildConfigFromFlags("", fields[len(fields)-1])
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	testenv.Await(t, "two pods run", func() bool { return runningPods(t, client, config.Host) == 2 })
}

// runningPods returns the number of running pods in the namespace "default".
func runningPods(t *testing.T, client *http.Client, url string) (n int) {
	t.Helper()
	resp, err := client.Get(url + "/api/v1/namespaces/default/pods")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct {
		Items []struct{ Status struct{ Phase string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Items {
		if p.Status.Phase == "Running" {
			n++
		}
	}
	return n
}
