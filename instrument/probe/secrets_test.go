package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// stored is an object with a String method that prints its whole content.
type stored string

func (s stored) String() string           { return string(s) }
func (s stored) Marshal() ([]byte, error) { return []byte(s), nil }

// verbs is a list of words, like metav1.Verbs.
type verbs []string

func (w verbs) String() string           { return fmt.Sprint([]string(w)) }
func (w verbs) Marshal() ([]byte, error) { return []byte(w.String()), nil }

func TestPathsThatHoldSecrets(t *testing.T) {
	for path, want := range map[string]bool{
		"/api/v1/secrets":                                                  true,
		"/api/v1/namespaces/default/secrets":                               true,
		"/api/v1/namespaces/default/secrets/one":                           true,
		"//api//v1/namespaces/default/secrets/one/":                        true,
		"/api/v1/watch/namespaces/default/secrets":                         true,
		"/api/v1/namespaces/default/serviceaccounts/robot/token":           true,
		"/apis/authentication.k8s.io/v1/tokenreviews":                      true,
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/one":      true,
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/x/status": true,
		"/api/v1/namespaces/secrets":                                       false,
		"/api/v1/namespaces/secrets/status":                                false,
		"/api/v1/namespaces/secrets/pods":                                  false,
		"/api/v1/namespaces/default/pods/secrets":                          false,
		"/api/v1/namespaces/default/serviceaccounts/token":                 false,
		"/apis/example.org/v1/secrets":                                     false,
		"/api/v1":                                                          false,
		"/healthz":                                                         false,
		"":                                                                 false,
		"/":                                                                false,
	} {
		if got := HoldsSecrets(path); got != want {
			t.Errorf("%q holds secrets: %t, expected %t", path, got, want)
		}
	}
	if path := "/apis/example.org/v1/namespaces/default/widgets/a/status"; !HoldsSecrets(path, "widgets/status.example.org") || HoldsSecrets(path, "widgets/scale.example.org", "widgets") {
		t.Error("HoldsSecrets does not distinguish a resource that the user names from other resources")
	}
}

// A statusError has the layout of apimachinery's StatusError.
type statusError struct {
	ErrStatus struct{ Code int32 }
}

func (e *statusError) Error() string { return fmt.Sprint("data: ", e.ErrStatus.Code) }

func TestKindOfAnError(t *testing.T) {
	status := &statusError{}
	status.ErrStatus.Code = 422
	for _, test := range []struct {
		err  error
		want string
	}{
		{status, "*" + packagePath + ".statusError 422"},
		{fmt.Errorf("wrapped: %w", status), "*fmt.wrapError"},
		{errors.New(strings.Repeat("formatted", 2)), "*errors.errorString"},
		{errors.New("a constant"), ""},
		{errors.New("a constant that is as long as the sentences that some errors say, with what to do about them"), ""},
	} {
		if got := textOf(test.err).kind; got != test.want {
			t.Errorf("%#v is of kind %q, expected %q", test.err, got, test.want)
		}
	}
}

// TestSecretIsToldToTheNextProcess checks that the traceparent for the next process says
// that a request is on secrets. etcd does not get the URL of the request.
func TestSecretIsToldToTheNextProcess(t *testing.T) {
	listenForTest(t)
	var next string
	root(sampled(traceID(31)), func() {
		fromLabels(Labels()).About("/api/v1/secrets")
		next = Traceparent(Labels())
	})
	traces.remove(traces.get(traceID(31)))
	root(next, func() {}) // in the next process
	trace := traces.get(traceID(31))
	if trace == nil || !trace.secret.Load() {
		t.Fatalf("the trace of the next process, begun by %q, is not marked as one on secrets", next)
	}
	traces.remove(trace)
}
