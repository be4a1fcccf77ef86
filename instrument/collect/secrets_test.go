package collect

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/trace"
)

func TestSecretsHold(t *testing.T) {
	s := Secrets{Kinds: []string{"configmaps", "widgets/status.example.org", "*.vault.example.org"}}
	for path, want := range map[string]bool{
		"/api/v1/namespaces/default/secrets?limit=1":                       true,
		"/api/v1/namespaces/default/%73ecrets/a":                           true,
		"/api/v1/secrets":                                                  true,
		"/api/v1/namespaces/default/serviceaccounts/a/token":               true,
		"/apis/authentication.k8s.io/v1/tokenreviews":                      true,
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/a/status": true,
		"/api/v1/namespaces/default/configmaps/a":                          true,
		"/apis/example.org/v1/namespaces/default/widgets/a/status":         true,
		"/apis/vault.example.org/v1/keys":                                  true,
		"/apis/example.org/v1/namespaces/default/widgets/a":                false,
		"/api/v1/namespaces/secrets/pods":                                  false,
		"/api/v1/nodes":                                                    false,
		"/secrets":                                                         false,
		"":                                                                 false,
	} {
		if got := s.Hold(path); got != want {
			t.Errorf("%q holds secrets: %t, expected %t", path, got, want)
		}
	}
	if got := (Secrets{Show: true}).query("/api/v1/secrets"); got != probe.SecretsShow {
		t.Errorf("with Show, the query for secrets is %q, expected SecretsShow", got)
	}
	if got := s.query("/api/v1/nodes"); got != "" {
		t.Errorf("the query for a request that is not on secrets is %q, expected \"\"", got)
	}
}

func TestSecretValues(t *testing.T) {
	for name, body := range map[string]string{
		"JSON":            `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"public"},"data":{"a":"cGxhbnRlZC1vbmU="},"type":"Opaque"}`,
		"YAML":            "kind: Secret\nmetadata: {name: public}\nstringData:\n  a: planted-one\n",
		"JSON patch":      `[{"op":"replace","path":"/metadata/name","value":"public"},{"op":"add","path":"/data/a","value":"cGxhbnRlZC1vbmU="}]`,
		"broken JSON":     `{"data":{"a":"planted-one"`,
		"broken YAML":     "data:\n  a: planted-one\n b: [",
		"a token's check": `{"kind":"TokenReview","spec":{"token":"planted-one"}}`,
	} {
		if got := SecretValues([]byte(body)); !slices.Contains(got, "planted-one") || slices.Contains(got, "public") {
			t.Errorf("%s: the values are %q, expected planted-one in them, and not public", name, got)
		}
	}
	if got := SecretValues([]byte(`{"stringData":{"a":"with \"quotes\""}}`)); !slices.Contains(got, `with \"quotes\"`) {
		t.Errorf("the values are %q, expected also the escaped form", got)
	}
	// kube-apiserver parses YAML with sigs.k8s.io/yaml, which reads a date as text.
	// go.yaml.in/yaml/v3 reads it as a time.
	if got := SecretValues([]byte("stringData: {born: 2001-01-01}")); !slices.Contains(got, "2001-01-01") {
		t.Errorf("the values are %q, expected the date", got)
	}
	for _, body := range []string{"", "null", "{}", "[]", `{"kind":"Pod","spec":{"nodeName":"n"}}`} {
		if got := SecretValues([]byte(body)); len(got) != 0 {
			t.Errorf("%q has the values %q, expected none", body, got)
		}
	}
}

func TestWithhold(t *testing.T) {
	r := &trace.Request{Path: "/api/v1/namespaces/default/secrets/public-name", Calls: []trace.Call{{
		Error: "cannot decode planted-one of public-name, 1234", Panic: "planted-one",
		Attributes: map[string]string{"apitrace.error": "planted-one", "apitrace.etcd.revision": "1234567", "name": "public-name"},
	}}}
	redactValues(r, []string{"public-name", "planted-one", "123456", "1234", "e"})
	c := r.Calls[0]
	if c.Error != "cannot decode (secret) of public-name, (secret)" || c.Panic != "(secret)" {
		t.Errorf("expected (secret) in place of the values in the error and the panic, got %+v", c)
	}
	if c.Attributes["apitrace.error"] != "(secret)" || c.Attributes["apitrace.etcd.revision"] != "1234567" || c.Attributes["name"] != "public-name" {
		t.Errorf("expected (secret) only in place of planted-one, got %v", c.Attributes)
	}
}
