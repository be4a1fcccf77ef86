package commands

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// planted returns the i-th value that must not leave the server.
func planted(i int) string { return fmt.Sprintf("planted-value-%02d!", i) }

// plantedValues is the number of planted values.
const plantedValues = 20

// plantedForms returns the forms of a planted value in a text: plain, base64, and
// escaped or quoted slices of bytes.
func plantedForms() []string {
	const part = "planted-valu" // 12 bytes, so that the base64 does not depend on the next bytes
	var decimal, hex []string
	for _, b := range []byte(part) {
		decimal, hex = append(decimal, fmt.Sprint(b)), append(hex, fmt.Sprintf("0x%x", b))
	}
	forms := []string{
		part, base64.StdEncoding.EncodeToString([]byte(part)), base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(part)))),
		strings.Join(decimal, " "), strings.Join(decimal, ", "), strings.Join(decimal, ","), strings.Join(hex, ", "), fmt.Sprintf("%x", part),
	}
	// In base64 of a longer text, the value begins at one of three offsets.
	for _, before := range []string{"x", "xx"} {
		encoded := base64.StdEncoding.EncodeToString([]byte(before + part))
		forms = append(forms, encoded[4:12])
	}
	return forms
}

// leaked returns a planted value with the text around it, or "" if the text has no
// planted value.
func leaked(text string) string {
	for _, form := range plantedForms() {
		if i := strings.Index(text, form); i >= 0 {
			return fmt.Sprintf("%.300q", text[max(0, i-150):min(len(text), i+150)])
		}
	}
	return ""
}

// A secretRequest is a request with a planted value in its body or object.
type secretRequest struct {
	method, path, contentType, body string
	// token replaces the client's own token, if it is not "".
	token string
}

// secretRequests are requests on Secrets, tokens and certificates. Most of them fail,
// and their errors quote the contents. The first request creates the Secret, the last
// one deletes it.
func secretRequests() []secretRequest {
	const (
		secrets  = "/api/v1/namespaces/default/secrets"
		mine     = secrets + "/mine"
		inJSON   = "application/json"
		inYAML   = "application/yaml"
		inProto  = "application/vnd.kubernetes.protobuf"
		apply    = "application/apply-patch+yaml"
		merge    = "application/merge-patch+json"
		strategy = "application/strategic-merge-patch+json"
		byJSON   = "application/json-patch+json"
	)
	encoded := func(i int) string { return base64.StdEncoding.EncodeToString([]byte(planted(i))) }
	secret := func(more string) string {
		return `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"mine"},` + more + `}`
	}
	data := `"data":{"a":"` + encoded(0) + `","b":"` + encoded(1) + `"},"stringData":{"c":"` + planted(2) + `"}`
	lastApplied, err := json.Marshal(secret(`"data":{"a":"` + encoded(3) + `"}`))
	if err != nil {
		panic(err)
	}
	annotated := `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":` + string(lastApplied) + `}},"data":{"q":"` + planted(4) + `"}}`
	typed := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Data: map[string][]byte{"a": []byte(planted(5))}, Type: "changed"}
	proto := inProtobuf(typed, corev1.SchemeGroupVersion.String(), "Secret")
	review := inProtobuf(&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: planted(6)}}, authenticationv1.SchemeGroupVersion.String(), "TokenReview")
	const (
		reviews    = "/apis/authentication.k8s.io/v1/tokenreviews"
		selfReview = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
		tokens     = "/api/v1/namespaces/default/serviceaccounts/default/token"
		csrs       = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	)
	csr := func(request string) string {
		return `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"mine"},"spec":{"signerName":"example.org/x","usages":["client auth"],"request":` + request + `}}`
	}
	large := strings.Repeat(planted(7), 100_000)
	return []secretRequest{
		{method: "POST", path: secrets, contentType: inJSON, body: secret(data)},
		{method: "POST", path: secrets, contentType: inJSON, body: secret(data)}, // it exists already
		{method: "POST", path: secrets, contentType: inYAML, body: "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData:\n  k: [" + planted(8) + "]\n"},
		{method: "POST", path: secrets, contentType: inYAML, body: "apiVersion: v1\nkind: Secret\nstringData:\n  k: " + planted(8) + "\n bad: indent: " + planted(8) + "\n"},
		{method: "POST", path: secrets, contentType: inJSON, body: secret(`"data":{"k":"` + planted(9) + `"}`)}, // not base64
		{method: "POST", path: secrets, contentType: inJSON, body: secret(`"data":{"k":{"` + planted(9) + `":1}}`)},
		{method: "POST", path: secrets + "?fieldValidation=Strict", contentType: inJSON, body: secret(data + `,"data":{"a":"` + encoded(9) + `"},"unknown":"` + planted(9) + `"`)},
		{method: "POST", path: secrets, contentType: inJSON, body: secret(`"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{` + planted(10) + `"}`)},
		{method: "POST", path: secrets, contentType: inJSON, body: secret(`"stringData":{"large":"` + large + `"}`)},                 // more than the limit of a Secret
		{method: "POST", path: secrets, contentType: inJSON, body: secret(`"stringData":{"large":"` + large + large + large + `"}`)}, // more than the limit of a request
		{method: "POST", path: "/api/v1/namespaces/default/%73ecrets", contentType: inJSON, body: secret(`"data":{"k":"` + planted(11) + `"}`)},
		{method: "POST", path: "/api/v1/namespaces/none/secrets", contentType: inJSON, body: secret(data)},
		{method: "POST", path: secrets + "?dryRun=All", contentType: inProto, body: proto},
		{method: "PUT", path: mine, contentType: inProto, body: proto},
		{method: "PUT", path: mine, contentType: inProto, body: proto[:len(proto)-9]},
		{method: "PUT", path: mine, contentType: inJSON, body: secret(`"type":"changed",` + data)},
		{method: "PUT", path: mine, contentType: inJSON, body: secret(data)[:80]},
		{method: "PUT", path: mine, contentType: inJSON, body: strings.Replace(secret(data), `"name":"mine"`, `"name":"mine","resourceVersion":"1"`, 1)},
		{method: "PATCH", path: mine, contentType: strategy, body: `{"data":{"q":"` + planted(12) + `"}}`},
		{method: "PATCH", path: mine, contentType: strategy, body: annotated},
		{method: "PATCH", path: mine, contentType: merge, body: `{"data":{"q":"` + planted(13) + `"}}`},
		{method: "PATCH", path: mine, contentType: merge, body: `{"data":"` + planted(13) + `"}`},
		{method: "PATCH", path: mine, contentType: byJSON, body: `[{"op":"add","path":"/data/q","value":"` + planted(14) + `"}]`},
		{method: "PATCH", path: mine, contentType: byJSON, body: `[{"op":"test","path":"/data/a","value":"` + encoded(14) + `"}]`},
		{method: "PATCH", path: mine + "?fieldManager=me", contentType: apply, body: "apiVersion: v1\nkind: Secret\nstringData: {q: [" + planted(15) + "]}\n"},
		{method: "PATCH", path: mine + "?fieldManager=me", contentType: apply, body: "apiVersion: v1\nkind: Secret\ndata: {a: " + encoded(15) + "}\n"}, // a conflict
		{method: "GET", path: mine}, {method: "GET", path: secrets}, {method: "GET", path: secrets + "?watch=1&timeoutSeconds=1"},
		{method: "POST", path: reviews, contentType: inJSON, body: `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"` + planted(16) + `"}}`},
		{method: "POST", path: reviews, contentType: inJSON, body: `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":["` + planted(16) + `"]}}`},
		{method: "POST", path: reviews, contentType: inProto, body: review},
		{method: "POST", path: reviews, contentType: inProto, body: review[:len(review)-6]},
		{method: "POST", path: selfReview, contentType: inJSON, body: `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview","status":"` + planted(16) + `"}`},
		{method: "POST", path: tokens, contentType: inJSON, body: `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":"` + planted(17) + `"}}`},
		{method: "POST", path: tokens, contentType: inJSON, body: `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{},"status":{"token":"` + planted(17) + `"}}`},
		{method: "POST", path: csrs, contentType: inJSON, body: csr(`"` + encoded(18) + `"`)},
		{method: "POST", path: csrs, contentType: inJSON, body: csr(`"` + planted(18) + `"`)},
		{method: "POST", path: csrs, contentType: inJSON, body: csr(`{"x":"` + planted(18) + `"}`)},
		{method: "GET", path: "/api/v1/namespaces/default/configmaps", token: planted(19)},
		{method: "GET", path: secrets, token: planted(19) + ".a.b"},
		{method: "DELETE", path: mine, contentType: inJSON, body: `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"none"}}`},
		{method: "DELETE", path: mine},
	}
}

// inProtobuf encodes an object in kube-apiserver's protobuf format.
func inProtobuf(object runtime.Object, version, kind string) string {
	object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(version, kind))
	var b strings.Builder
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &b); err != nil {
		panic(err)
	}
	return b.String()
}
