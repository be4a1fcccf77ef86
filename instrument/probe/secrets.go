//go:build go1.26

package probe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// An error of a request on a Secret may quote the Secret. For example, an invalid patch
// quotes all keys. So the text of an error in such a trace stays in the process, unless
// the text is a constant. The error's type and the call that returned the error leave the
// process. See Query.Secrets for the exception.

// secretKinds are the resources with secrets in their objects; see HoldsSecrets.
var secretKinds = []string{
	"secrets", "serviceaccounts/token", "*.authentication.k8s.io",
	"certificatesigningrequests.certificates.k8s.io", "podcertificaterequests.certificates.k8s.io",
}

// About records the URL path of the trace's request. If the path names a resource that
// holds secrets, error texts are withheld, except in the trace of the program's start.
func (c *Call) About(path any) {
	if path, ok := path.(string); ok && !c.trace().boot && HoldsSecrets(path) {
		c.trace().secret.Store(true)
	}
}

// HoldsSecrets reports whether the URL path of a request names a resource with secrets in
// its objects, such as secrets or token requests.
//
// more lists further such resources in the form RESOURCE, RESOURCE.GROUP or
// RESOURCE/SUBRESOURCE.GROUP. "*" stands for any resource of a group.
func HoldsSecrets(path string, more ...string) bool {
	resource, subresource, group := resourceOf(path)
	return resource != "" && slices.ContainsFunc(slices.Concat(secretKinds, more), func(kind string) bool {
		name, ofGroup, _ := strings.Cut(kind, ".")
		return ofGroup == group && (name == "*" || name == resource || name == resource+"/"+subresource)
	})
}

// resourceOf parses the path of a request as kube-apiserver does
// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go): /api/VERSION or
// /apis/GROUP/VERSION, then [watch/][namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]].
// For a path of another kind, resource is "".
func resourceOf(path string) (resource, subresource, group string) {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group, parts = parts[1], parts[3:]
	default:
		return "", "", ""
	}
	if len(parts) > 1 && (parts[0] == "watch" || parts[0] == "proxy") {
		parts = parts[1:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		subresource = parts[2]
	}
	return parts[0], subresource, group
}

// A text is the recorded text of an error or of another value.
type text struct {
	full string
	// kind is the type of an error. It is "" for another value, and for an error with a
	// constant text.
	kind string
}

// shown returns the text as it may leave the process. cut withholds the text of an error.
func (t text) shown(cut bool) string {
	if !cut || t.kind == "" {
		return t.full
	}
	return t.kind + " (text not shown: it may quote a secret)"
}

// textOf returns the text of an error.
func textOf(err error) text {
	full, ok := Value(func() any { return bounded(err.Error(), maxError) }).(string)
	if !ok {
		return text{full: fmt.Sprintf("(%T, whose Error method panicked)", err)}
	}
	if isConstant(full) {
		return text{full: full}
	}
	return text{full, kindOf(err)}
}

// kindOf returns the type of an error. For a StatusError of
// k8s.io/apimachinery/pkg/api/errors, it adds the HTTP status code.
func kindOf(err error) string {
	kind := Type(err)
	v := reflect.Indirect(reflect.ValueOf(err))
	if v.Kind() != reflect.Struct {
		return kind
	}
	status := v.FieldByName("ErrStatus")
	if !status.IsValid() || status.Kind() != reflect.Struct {
		return kind
	}
	if code := status.FieldByName("Code"); code.IsValid() && code.CanInt() {
		kind += fmt.Sprintf(" %d", code.Int())
	}
	return kind
}

// isObject reports whether a value can be stored or sent as a whole. Such a value could
// contain a Secret. A list of words that can be sent, such as metav1.Verbs, does not
// count.
func isObject(v any) bool {
	if _, ok := v.(interface{ Marshal() ([]byte, error) }); !ok {
		return false
	}
	t := reflect.TypeOf(v)
	return t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.String
}
