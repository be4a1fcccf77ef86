package collect

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// SecretValues returns the values in a request's body, in JSON or YAML, that
// must stay secret: tokens, certificates, and the values of a Secret. The
// result has each value in all forms that a text could quote. The longest
// values come first.
//
// Errors may quote a body that cannot be parsed; from such a body, SecretValues
// returns everything that looks like a value.
func SecretValues(body []byte) []string {
	if len(body) == 0 {
		return nil
	}
	found := map[string]bool{}
	var parsed any
	if err := yaml.Unmarshal(body, &parsed); err == nil && !isText(parsed) {
		findSecrets(parsed, false, found)
	} else {
		for _, m := range looksLikeValue.FindAllSubmatch(body, -1) {
			addForms(strings.TrimSpace(string(m[1])+string(m[2])), found)
		}
	}
	var all []string
	for value := range found {
		all = append(all, value)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return all
}

func isText(v any) bool {
	_, is := v.(string)
	return is
}

// looksLikeValue matches the text after a colon: a quoted text, or the rest of
// the line.
var looksLikeValue = regexp.MustCompile(`:[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^\s"{\[|>][^\n,}\]]*))`)

// secretFields are the fields with secret values, in any object and in a JSON patch.
var secretFields = []string{"data", "stringData", "token", "password", "certificate", "request", "privateKey"}

// findSecrets walks through a body. secret is set below a field that holds secrets.
func findSecrets(v any, secret bool, found map[string]bool) {
	switch v := v.(type) {
	case string:
		if secret {
			addForms(v, found)
		}
	case []any:
		for _, item := range v {
			findSecrets(item, secret, found)
		}
	case map[string]any:
		path, _ := v["path"].(string) // of an operation of a JSON patch
		for name, item := range v {
			isField := slices.Contains(secretFields, name)
			isPatch := name == "value" && slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return slices.Contains(secretFields, part) })
			findSecrets(item, secret || isField || isPatch, found)
		}
	}
}

// addForms adds a value unchanged, decoded, encoded, and in the form of JSON.
func addForms(value string, found map[string]bool) {
	forms := []string{value, base64.StdEncoding.EncodeToString([]byte(value))}
	if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
		forms = append(forms, string(decoded))
	}
	for _, form := range forms {
		if form = strings.TrimSpace(form); form == "" {
			continue
		}
		found[form] = true
		if quoted, err := json.Marshal(form); err == nil {
			found[string(quoted[1:len(quoted)-1])] = true
		}
	}
}
