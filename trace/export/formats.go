package export

import (
	"io"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Formats are the names of the formats that Write knows, in the order in which messages name them.
var Formats = []string{"yaml", "chrome", "folded", "mermaid"}

// Write writes a recording in one of the Formats. The guide is for the diagram.
func Write(w io.Writer, format string, recording *trace.Recording, guide Guide) error {
	switch format {
	case "yaml":
		return writeYAML(w, recording)
	case "chrome":
		return writeChrome(w, recording)
	case "folded":
		return writeFolded(w, recording)
	case "mermaid":
		return writeMermaid(w, recording, guide)
	}
	return message.Errorf("unknown format %q: expected one of %q", format, Formats)
}
