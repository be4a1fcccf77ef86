package scenarios

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A fakeServer keeps posted objects by path and answers with the status codes of a
// kube-apiserver. It can do nothing else: the end-to-end tests use the real server.
type fakeServer struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string]map[string]any
	log     []string // "learner GET /path traced"
	version int
	// forgetful is the number of reviews that are answered as if the RBAC objects had not been
	// seen yet.
	forgetful int
	// refuse answers a request with a status; it returns 0 for a normal answer.
	refuse func(r *http.Request) int
	// hold answers a request itself and may take any time; it returns false for a normal
	// answer.
	hold func(w http.ResponseWriter, r *http.Request) bool
}

func newFakeServer(t *testing.T) *fakeServer {
	s := &fakeServer{objects: map[string]map[string]any{}}
	s.Server = httptest.NewUnstartedServer(s)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *fakeServer) player() *Player {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &Player{BaseURL: s.URL, CAPEM: ca, AdminToken: "admin-token", UserTokens: []string{"learner-token"}}
}

// sent returns the log without the reviews of rights.
func (s *fakeServer) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.log), func(line string) bool { return strings.Contains(line, "subjectaccessreviews") })
}

func (s *fakeServer) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for p := range s.objects {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.hold != nil && s.hold(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "-token") + " " + r.Method + " " + r.URL.Path
	if r.Header.Get("traceparent") != "" {
		line += " traced"
	}
	s.log = append(s.log, line)
	if s.refuse != nil {
		if status := s.refuse(r); status != 0 {
			answer(w, status, map[string]any{"message": fmt.Sprintf("refused with %d", status)})
			return
		}
	}
	status, body := s.serve(r)
	answer(w, status, body)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

var resources = map[string][]map[string]any{
	"/api/v1":                            {{"name": "nodes/status", "kind": "Node"}, {"name": "nodes", "kind": "Node"}, {"name": "pods", "kind": "Pod", "namespaced": true}},
	"/apis/apps/v1":                      {{"name": "deployments", "kind": "Deployment", "namespaced": true}},
	"/apis/rbac.authorization.k8s.io/v1": {{"name": "roles", "kind": "Role", "namespaced": true}, {"name": "rolebindings", "kind": "RoleBinding", "namespaced": true}, {"name": "clusterroles", "kind": "ClusterRole"}, {"name": "clusterrolebindings", "kind": "ClusterRoleBinding"}},
}

func (s *fakeServer) serve(r *http.Request) (int, any) {
	switch {
	case resources[r.URL.Path] != nil:
		return http.StatusOK, map[string]any{"resources": resources[r.URL.Path]}
	case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews"):
		return http.StatusCreated, map[string]any{"status": map[string]any{"allowed": s.allows()}}
	case r.Method == http.MethodPost:
		return s.post(r)
	case r.URL.Path == "/api/v1/nodes":
		return http.StatusOK, map[string]any{"kind": "List", "type": "ADDED", "items": []any{}}
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/pods"):
		return http.StatusOK, map[string]any{"kind": "List", "items": s.below(r.URL.Path)}
	case s.objects[r.URL.Path] == nil:
		return http.StatusNotFound, map[string]any{"message": "not found"}
	case r.Method == http.MethodDelete:
		delete(s.objects, r.URL.Path)
		return http.StatusOK, map[string]any{"status": "Success"}
	default:
		return http.StatusOK, s.objects[r.URL.Path]
	}
}

// below lists the objects of a collection.
func (s *fakeServer) below(collection string) []any {
	items := []any{}
	for at, o := range s.objects {
		if path.Dir(at) == collection {
			items = append(items, o)
		}
	}
	return items
}

func (s *fakeServer) post(r *http.Request) (int, any) {
	var object map[string]any
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &object); err != nil {
		return http.StatusBadRequest, map[string]any{"message": err.Error()}
	}
	if strings.Contains(string(text), "apache") {
		return http.StatusUnprocessableEntity, map[string]any{"message": "invalid"}
	}
	metadata := object["metadata"].(map[string]any)
	at := path.Join(r.URL.Path, metadata["name"].(string))
	if s.objects[at] != nil {
		return http.StatusConflict, map[string]any{"message": at + " already exists"}
	}
	s.version++
	metadata["resourceVersion"] = strconv.Itoa(s.version)
	s.objects[at] = object
	return http.StatusCreated, object
}

// allows reports whether there is a role. Every role in the tests is the learner's.
func (s *fakeServer) allows() bool {
	if s.forgetful > 0 {
		s.forgetful--
		return false
	}
	for at := range s.objects {
		if strings.Contains(at, "roles/") {
			return true
		}
	}
	return false
}
