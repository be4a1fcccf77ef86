package room

import (
	"bytes"
	"embed"
	"path/filepath"
	"runtime"
	"text/template"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// texts are the instructions in the folder, in both languages.
//
//go:embed README.md README.zh.md
var texts embed.FS

var instructions = template.Must(template.ParseFS(texts, "*.md"))

// writeInstructions writes the instructions for the machines into the folder.
func (o *Preparation) writeInstructions() error {
	made, err := readMark(o.Folder)
	if err != nil {
		return message.Errorf("reading %s: %w", markFile, err)
	}
	for _, page := range instructions.Templates() {
		var out bytes.Buffer
		values := map[string]any{
			"K8s": o.K8s, "Go": made.Go, "OS": runtime.GOOS, "Arch": runtime.GOARCH, "Servers": serversFile(), "Programs": o.programNames(),
		}
		if err := page.Execute(&out, values); err != nil {
			return message.Errorf("writing the instructions: %w", err)
		}
		if err := write(filepath.Join(o.Folder, page.Name()), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
