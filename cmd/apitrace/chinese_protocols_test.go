package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestDAPSpeaksChinese plays a debug session with --lang zh. All texts that an editor
// shows must be Chinese.
func TestDAPSpeaksChinese(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir()) // no sources are on this machine
	command := exec.Command("apitrace", "dap", "--lang", "zh")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	editor := &editorSession{t: t, in: in, out: bufio.NewReader(out)}
	editor.play()
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	var shown []string
	for _, message := range editor.received {
		shown = append(shown, shownTexts(message)...)
	}
	if len(shown) < 50 {
		t.Errorf("an editor shows %d texts, expected at least 50: the names and values of a whole session", len(shown))
	}
	isChinese(t, strings.Join(shown, "\n"))
}

// shownTexts returns the strings of a message that an editor shows.
func shownTexts(value any) []string {
	var all []string
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			all = append(all, shownTexts(v)...)
		}
	case map[string]any:
		for key, v := range value {
			switch key {
			case "message", "description", "label", "text", "output", "name", "value", "result", "origin":
				if text, ok := v.(string); ok {
					all = append(all, text)
				}
			case "variables", "body", "error", "details", "breakpoints", "exceptionBreakpointFilters", "threads", "stackFrames", "scopes", "targets", "sources", "source":
				all = append(all, shownTexts(v)...)
			}
		}
	}
	return all
}

// TestMCPSpeaksChinese lists the tools of "apitrace mcp" with --lang zh, and calls each
// of them, also with wrong arguments. All texts must be Chinese.
func TestMCPSpeaksChinese(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir()) // no sources are on this machine
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("apitrace", "mcp", "--lang", "zh")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	served := session.InitializeResult()
	isChinese(t, served.Instructions+"\n"+served.ServerInfo.Title)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, tool := range tools.Tools {
		called[tool.Name] = false
		isChinese(t, tool.Description)
		for _, input := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			isChinese(t, fmt.Sprint(input.(map[string]any)["description"]), "outline|path|full")
		}
	}
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"scenarios", nil},
		{"search", map[string]any{"text": "corruptObjectDeleter"}},
		{"search", map[string]any{"text": "etcd3.(*store).Get"}},
		{"search", map[string]any{"text": "corruptObjectDeletre"}},
		{"search", map[string]any{"text": " "}},
		{"tree", map[string]any{"scenario": "get-node"}},
		{"tree", map[string]any{"scenario": "get-node", "view": "outline"}},
		{"tree", map[string]any{"scenario": "get-node", "view": "full"}},
		{"tree", map[string]any{"scenario": "get-node", "view": "x"}},
		{"tree", map[string]any{"scenario": "get-node", "skip": -1}},
		{"tree", map[string]any{"scenario": "get-nodes"}},
		{"explain", map[string]any{"function": "etcd3.(*store).Get"}},
		{"explain", map[string]any{"function": "Get"}},
		{"source", map[string]any{"function": "etcd3.(*store).Get"}},
		{"diff", map[string]any{"scenario": "get-node", "from": "1.30", "to": "1.37", "tree": true}},
	} {
		called[call.tool] = true
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: call.arguments})
		if err != nil {
			t.Fatalf("%s %v: %v", call.tool, call.arguments, err)
		}
		for _, content := range result.Content {
			isChinese(t, content.(*mcp.TextContent).Text, "object not decodable .*") // an error of a recording
		}
	}
	for name, is := range called {
		if !is {
			t.Errorf("the test does not call the tool %s", name)
		}
	}
}

// recorded matches upstream's errors and values in recordings, and Go's word "panic".
const recorded = `(?m)"[^"]*" is forbidden: .*|invalid bearer token|StorageError: .*|^ *apitrace\.resource = .*|^panic$`

// isChinese reports the lines with English words as an error. Known names and texts that
// match a pattern in upstream are allowed.
func isChinese(t *testing.T, text string, upstream ...string) {
	t.Helper()
	o := testenv.Output{Names: knownNames(t), Commands: commandNames(), Upstream: append(upstream, recorded, goSource, rbacReason, quotedSource)}
	if english := o.English(t, text); len(english) > 0 {
		t.Errorf("English in the text:\n%s", strings.Join(english, "\n"))
	}
}
