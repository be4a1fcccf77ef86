package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// TestBrokenLines sends requests, and lines that are not messages. The input ends
// before the responses. Each of these lines must get its response, except the empty
// line, and the session must end without an error.
func TestBrokenLines(t *testing.T) {
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	in := strings.Join([]string{
		"{{{", initialize, strings.Repeat("[", 200_000), strings.Repeat("x", mostLine), "null", `[{"jsonrpc":"2.0","id":3,"method":"ping"}]`, "{}", "", "\xff",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scenarios","arguments":{}}}`,
	}, "\n")
	var out bytes.Buffer
	if err := Serve(t.Context(), Lines{strings.NewReader(in), &out}, "test", message.For("en"), nil); err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{} // by id and code
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID    any
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Error.Code != 0 && answer.Error.Message == "" {
			t.Errorf("got the error %v, expected JSON with a message for each error code, in the response %.300s", err, line)
		}
		answers[fmt.Sprint(answer.ID, " ", answer.Error.Code)]++
	}
	want := map[string]int{"1 0": 1, "2 0": 1, "<nil> -32700": 3, "<nil> -32600": 4}
	if fmt.Sprint(answers) != fmt.Sprint(want) {
		t.Errorf("answers by id and code: %v, expected %v\n%.3000s", answers, want, out.String())
	}
}
