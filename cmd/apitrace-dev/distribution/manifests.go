package distribution

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"
)

// krewManifest is the template of the plugin's manifest for krew. formula is the template
// of the program's formula for Homebrew.
//
//go:embed krew.yaml.tmpl
var krewManifest string

//go:embed formula.rb.tmpl
var formula string

// A manifest is the data for the templates krewManifest and formula.
type manifest struct {
	Version  string
	Archives []archive
}

// URL returns an archive's address among the release's files on GitHub.
func (m manifest) URL(a archive) string {
	return fmt.Sprintf("https://%s/releases/download/%s/%s", modulePath, m.Version, a.Name)
}

// Systems maps Go's names of operating systems to Homebrew's names.
func (m manifest) Systems() map[string]string {
	return map[string]string{"darwin": "macos", "linux": "linux"}
}

// Of returns the archives for an operating system.
func (m manifest) Of(system string) (of []archive) {
	for _, a := range m.Archives {
		if a.OS == system {
			of = append(of, a)
		}
	}
	return of
}

func writeManifest(path, text, version string, archives []archive) error {
	t, err := template.New("").Funcs(template.FuncMap{"trimV": func(s string) string { return strings.TrimPrefix(s, "v") }}).Parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, manifest{version, archives}); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
