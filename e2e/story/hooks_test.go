package story

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/internal/authority"
)

// hooks serves the webhooks, and records their calls in reviews.
type hooks struct {
	url   string
	caPEM []byte

	mu      sync.Mutex
	reviews []review
}

// A review is a call of a webhook. answer is "accepted", "refused", or "" if the webhook
// hung up.
type review struct{ hook, answer string }

// answers are the answers of the webhooks, as in review.answer, by the path of the
// webhook.
var answers = map[string]string{"accept": "accepted", "mutate": "accepted", "refuse": "refused", "broken": "", "ignored": ""}

func serveHooks(t *testing.T) *hooks {
	t.Helper()
	ca, err := authority.New("apitrace webhooks")
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Issue("webhooks")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	h := &hooks{caPEM: ca.CertPEM}
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// ServeHTTP answers one admission review.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	answer := answers[name]
	h.mu.Lock()
	h.reviews = append(h.reviews, review{name, answer})
	h.mu.Unlock()
	var asked admissionv1.AdmissionReview
	if name == "broken" {
		time.Sleep(100 * time.Millisecond) // so that the refusal of another webhook comes first
	}
	if answer == "" || json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Request == nil {
		panic(http.ErrAbortHandler) // hangs up
	}
	response := &admissionv1.AdmissionResponse{UID: asked.Request.UID, Allowed: answer == "accepted"}
	if answer == "refused" {
		response.Result = &metav1.Status{Code: http.StatusForbidden, Message: "the webhook says no"}
	}
	if kind := admissionv1.PatchTypeJSONPatch; name == "mutate" && asked.Request.Operation != admissionv1.Delete {
		response.PatchType, response.Patch = &kind, []byte(`[{"op":"add","path":"/metadata/labels/mutated","value":"yes"}]`)
	}
	asked.Response, asked.Request = response, nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(asked) // an error means that the server has hung up
}

func (h *hooks) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.reviews)
}

// since returns the reviews without the first n.
func (h *hooks) since(n int) []review {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]review(nil), h.reviews[n:]...)
}
