package export

import (
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/trace"
)

// Formats are the names of the formats that Write knows, in the order in which messages name them.
var Formats = []string{"yaml", "chrome", "folded", "mermaid"}

// Write writes a recording in one of the Formats. The options are those of the diagram.
func Write(w io.Writer, format string, recording *trace.Recording, o DiagramOptions) error {
	switch format {
	case "yaml":
		return WriteYAML(w, recording)
	case "chrome":
		return WriteChrome(w, recording)
	case "folded":
		return WriteFolded(w, recording)
	case "mermaid":
		return WriteMermaid(w, recording, o)
	}
	return fmt.Errorf("unknown format %q: expected one of %q", format, Formats)
}
