package commands

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// TestMCPShowsSource calls the tool "source" for a function. The source is in the cache.
func TestMCPShowsSource(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if _, err := apiserver.SourceOf(t.Context(), apiserver.Name, apiserver.BuildOptions{Version: apiserver.DefaultVersion}); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: m.command("mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "source", Arguments: map[string]any{"function": "etcd3.(*store).Get"}})
	if err != nil || len(result.Content) != 1 {
		t.Fatalf("the tool source returned %+v and the error %v, expected one text", result, err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; result.IsError || !strings.Contains(text, "func (s *store) Get(") {
		t.Errorf("the tool source returned %s\nexpected the function", text)
	}
}

// TestMCPReplaysLive replays a scenario through the tools of "mcp --live", which a
// client starts. The server must end with the client.
func TestMCPReplaysLive(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: m.command("mcp", "--live")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		wants     []string
	}{
		{"run", map[string]any{"scenario": "get-node"}, []string{"GET /api/v1/nodes/n1 → 200", "etcd3.(*store).Get", "v3rpc.(*kvServer).Range"}},
		{"request", map[string]any{"method": "GET", "path": "/api/v1/nodes/nobody"}, []string{"GET /api/v1/nodes/nobody → 404", "errors.InterpretGetError"}},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: call.arguments})
		if err != nil || len(result.Content) != 1 {
			t.Fatalf("the tool %s returned %+v and the error %v, expected one text", call.tool, result, err)
		}
		text := result.Content[0].(*mcp.TextContent).Text
		for _, want := range call.wants {
			if result.IsError || !strings.Contains(text, want) {
				t.Errorf("%s: the answer lacks %q:\n%s", call.tool, want, text)
			}
		}
	}
	if err := session.Close(); err != nil {
		t.Errorf("closing the session: %v", err)
	}
}
