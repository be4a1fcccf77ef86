package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

const web = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2,
	"selector": {"matchLabels": {"app": "web"}},
	"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}}}`

// leftovers lists what upstream's hollow node would leave in /tmp.
func leftovers(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"/tmp/hollow-kubelet.*", "/tmp/kubelet_remote_*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// startPlane builds and starts a kube-apiserver and the programs beside it.
func startPlane(t *testing.T, version string) (*apiserver.Server, *Plane) {
	t.Helper()
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	o := apiserver.BuildOptions{Version: version, Progress: display}
	built, err := apiserver.BuildPrograms(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := BuildPrograms(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	server, err := apiserver.Start(t.Context(), built, apiserver.StartOptions{Cluster: Cluster()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	before := leftovers(t)
	plane, err := Start(t.Context(), server, beside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(plane.runDir.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("its folder after Stop: %v", err)
		}
		if after := leftovers(t); !slices.Equal(before, after) {
			t.Errorf("in /tmp it has left %q of %q", after, before)
		}
	})
	return server, plane
}

// send sends a request as a user of a kubeconfig. It returns the status, and the answer as
// text.
func send(t *testing.T, s *apiserver.Server, kubeconfig, method, path, body string) (int, string) {
	t.Helper()
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Users []struct {
			User struct {
				Token string `json:"token"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil || len(config.Users) != 1 {
		t.Fatalf("%s: %v, %d users", kubeconfig, err, len(config.Users))
	}
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+config.Users[0].User.Token)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// A podList has the fields of pods that tell who worked on them.
type podList struct {
	Items []struct {
		Metadata struct {
			OwnerReferences []struct{ Kind, Name string }
			ManagedFields   []struct{ Manager, Subresource string }
		}
		Spec struct {
			NodeName           string
			ServiceAccountName string
		}
		Status struct{ Phase string }
	}
}

func pods(t *testing.T, s *apiserver.Server) podList {
	t.Helper()
	status, answer := send(t, s, s.AdminKubeconfig, http.MethodGet, "/api/v1/namespaces/default/pods", "")
	var list podList
	if err := json.NewDecoder(bytes.NewReader([]byte(answer))).Decode(&list); err != nil || status != http.StatusOK {
		t.Fatalf("the pods: %d, %v\n%s", status, err, answer)
	}
	return list
}

// running returns how many pods run on the node.
func (l podList) running() (n int) {
	for _, p := range l.Items {
		if p.Status.Phase == "Running" && p.Spec.NodeName == Node {
			n++
		}
	}
	return n
}

// TestSlowDeploymentGetsPods creates a Deployment of two replicas, which get two running
// pods, and deletes it, which removes them.
func TestSlowDeploymentGetsPods(t *testing.T) {
	testenv.Slow(t)
	testenv.NeedsServer(t)
	deploymentGetsPods(t, "v1.37.1")
}

// TestNightlyDeploymentGetsPods does the same with an older release.
func TestNightlyDeploymentGetsPods(t *testing.T) {
	testenv.Nightly(t)
	testenv.NeedsServer(t)
	deploymentGetsPods(t, "v1.30.4")
}

func deploymentGetsPods(t *testing.T, version string) {
	server, plane := startPlane(t, version)
	checkDeployment(t, server)
	checkRights(t, server)
	checkSockets(t, plane)
	select {
	case <-plane.Done():
		t.Error(plane.Err())
	default:
	}
}

func checkDeployment(t *testing.T, s *apiserver.Server) {
	t.Helper()
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	if status, answer := send(t, s, s.AdminKubeconfig, http.MethodPost, deployments, web); status != http.StatusCreated {
		t.Fatalf("POST %s: %d\n%s", deployments, status, answer)
	}
	testenv.Await(t, "two pods run on "+Node, func() bool { return pods(t, s).running() == 2 })
	for _, p := range pods(t, s).Items {
		if owners := p.Metadata.OwnerReferences; len(owners) != 1 || owners[0].Kind != "ReplicaSet" || !strings.HasPrefix(owners[0].Name, "web-") {
			t.Errorf("a pod belongs to %v", owners)
		}
		if p.Spec.ServiceAccountName != "default" {
			t.Errorf("a pod has the service account %q", p.Spec.ServiceAccountName)
		}
		for _, manager := range []string{"kube-controller-manager", "kubelet"} {
			found := slices.ContainsFunc(p.Metadata.ManagedFields, func(f struct{ Manager, Subresource string }) bool {
				return strings.Contains(f.Manager, manager)
			})
			if !found {
				t.Errorf("%s wrote no field of a pod: %v", manager, p.Metadata.ManagedFields)
			}
		}
	}
	testenv.Await(t, "the Deployment knows that they run", func() bool {
		_, answer := send(t, s, s.AdminKubeconfig, http.MethodGet, deployments+"/web", "")
		return strings.Contains(answer, `"readyReplicas":2`)
	})
	if status, answer := send(t, s, s.AdminKubeconfig, http.MethodDelete, deployments+"/web", ""); status != http.StatusOK {
		t.Errorf("DELETE %s/web: %d\n%s", deployments, status, answer)
	}
	testenv.Await(t, "the pods are gone", func() bool { return len(pods(t, s).Items) == 0 })
}

// checkRights checks that each program may do what its own in a cluster may, and no more.
func checkRights(t *testing.T, s *apiserver.Server) {
	t.Helper()
	for _, test := range []struct {
		user, method, path, body string
		status                   int
		says                     string
	}{
		{controllerManagerUser, http.MethodGet, "/api/v1/namespaces/default/serviceaccounts/default", "", http.StatusOK, ""},
		{controllerManagerUser, http.MethodDelete, "/apis/apps/v1/namespaces/default/deployments/none", "", http.StatusForbidden, "system:kube-controller-manager"},
		{schedulerUser, http.MethodGet, "/api/v1/nodes/" + Node, "", http.StatusOK, ""},
		{schedulerUser, http.MethodGet, "/api/v1/secrets", "", http.StatusForbidden, "system:kube-scheduler"},
		{kubeletUser, http.MethodGet, "/api/v1/nodes/" + Node, "", http.StatusOK, ""},
		// The Node authorizer: no pod of this node has the ConfigMap.
		{kubeletUser, http.MethodGet, "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "", http.StatusForbidden, "no relationship found between node"},
		// NodeRestriction.
		{kubeletUser, http.MethodPost, "/api/v1/nodes", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}}`, http.StatusForbidden, `node \"n1\" is not allowed to modify node \"n2\"`},
	} {
		status, answer := send(t, s, s.KubeconfigOf(test.user), test.method, test.path, test.body)
		if status != test.status || !strings.Contains(answer, test.says) {
			t.Errorf("%s: %s %s: %d, expected %d with %q\n%.1000s", test.user, test.method, test.path, status, test.status, test.says, answer)
		}
	}
}

// checkSockets checks that the probe of each program listens.
func checkSockets(t *testing.T, p *Plane) {
	t.Helper()
	if len(p.Sockets()) != len(Programs()) {
		t.Errorf("the sockets are %v", p.Sockets())
	}
	for name, socket := range p.Sockets() {
		if info, err := os.Stat(socket); err != nil || info.Mode()&os.ModeSocket == 0 {
			t.Errorf("the socket of %s: %v", name, err)
		}
	}
}
