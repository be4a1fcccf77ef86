package commands

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsStayInside: requests on Secrets that fail in every way quote them in their errors; none
// of the values is in anything that is printed or saved.
func TestSecretsStayInside(t *testing.T) {
	needsServer(t)
	start(t, "serve")
	dir := t.TempDir()
	var planted []string
	plant := func() string {
		value := fmt.Sprintf("planted-value-%02d!", len(planted))
		planted = append(planted, value)
		return value
	}
	data := map[string]string{}
	for i := range 16 {
		data[fmt.Sprintf("key%d", i)] = base64.StdEncoding.EncodeToString([]byte(plant()))
	}
	var fields []string
	for name, value := range data {
		fields = append(fields, fmt.Sprintf("%q:%q", name, value))
	}
	const secrets = "/api/v1/namespaces/default/secrets"
	secret := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"planted"},"data":{` + strings.Join(fields, ",") + `}}`
	for i, r := range []struct{ method, path, contentType, body string }{
		{"POST", secrets, "application/json", secret},
		{"POST", secrets, "application/json", secret}, // there is one already
		{"PATCH", secrets + "/planted", "application/strategic-merge-patch+json", `{"data":{"q":"` + plant() + `"}}`},
		{"PATCH", secrets + "/planted", "application/merge-patch+json", `{"data":{"q":"` + plant() + `"}}`},
		{"PATCH", secrets + "/planted", "application/json-patch+json", `[{"op":"add","path":"/data/q","value":"` + plant() + `"}]`},
		{"PATCH", secrets + "/planted?fieldManager=me", "application/apply-patch+yaml", "apiVersion: v1\nkind: Secret\nstringData: {q: [" + plant() + "]}\n"},
		{"PUT", secrets + "/planted", "application/json", strings.Replace(secret, `"data":{`, `"type":"changed","data":{`, 1)},
		{"PUT", secrets + "/planted", "application/json", secret[:len(secret)-20]},
		{"GET", secrets + "/planted", "", ""},
		{"GET", secrets, "", ""},
		{"DELETE", secrets + "/planted", "", ""},
	} {
		saved := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		args := []string{"request", r.method, r.path, "--save", saved, "-o", "json"}
		if r.body != "" {
			file := filepath.Join(dir, "body")
			if err := os.WriteFile(file, []byte(r.body), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "-f", file, "-H", "Content-Type: "+r.contentType)
		}
		out, said, status := apitrace(t, args...)
		if status != 0 {
			t.Errorf("%s %s: exit status %d: %s", r.method, r.path, status, said)
			continue
		}
		recorded, err := os.ReadFile(saved)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range planted {
			for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
				for where, text := range map[string]string{"standard output": out, "standard error": said, "the recording": string(recorded)} {
					if strings.Contains(text, form) {
						t.Errorf("%d. %s %s: %q is in %s", i+1, r.method, r.path, form, where)
					}
				}
			}
		}
	}
	if len(planted) != 20 {
		t.Errorf("%d values were planted, expected 20", len(planted))
	}
}
