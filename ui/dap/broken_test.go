package dap_test

import (
	"io"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/ui/dap"
)

// TestBrokenMessages sends messages that are not requests. The session sends a
// notice about each of them to the editor, and continues.
func TestBrokenMessages(t *testing.T) {
	c := connect(t, library{rec: small()})
	for _, content := range []string{"{{{{{", "null", "[]", "", `{"type":"event","event":"x"}`, `{"type":5}`} {
		if err := protocol.WriteBaseMessage(c.in, []byte(content)); err != nil {
			t.Fatal(err)
		}
		received := c.receive()
		event, ok := received.(*protocol.OutputEvent)
		if !ok || event.Body.Category != "stderr" || !strings.Contains(event.Body.Output, "not a request") {
			t.Errorf(`after %q: got %#v, expected output on stderr with "not a request"`, content, received)
		}
	}
	if at := c.launch(map[string]any{"scenario": "small"}, nil); at.Reason != "entry" {
		t.Errorf(`the session after the broken messages: got the stop %+v, expected the reason "entry"`, at)
	}
}

// TestEndlessHeader sends a header that does not end. The session must end
// without reading all of the header into memory.
func TestEndlessHeader(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("Content-Length: "), forever('1'))
	err := dap.Serve(t.Context(), endless, io.Discard, library{rec: small()}, english)
	if err == nil || !strings.Contains(err.Error(), "its header does not end") {
		t.Errorf("an endless header: got the error %v, expected \"its header does not end\"", err)
	}
}

// forever is an endless reader. All its bytes are the same.
type forever byte

func (f forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}
