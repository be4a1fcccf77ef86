package commands

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/apiserver"
)

// TestMCPShowsSource asks for a function whose source is in the cache.
func TestMCPShowsSource(t *testing.T) {
	needsServer(t)
	if _, err := apiserver.SourceOf(t.Context(), apiserver.Name, apiserver.BuildOptions{Version: apiserver.DefaultVersion}); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("apitrace", "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "source", Arguments: map[string]any{"function": "etcd3.(*store).Get"}})
	if err != nil || len(result.Content) != 1 {
		t.Fatalf("source: %+v %v", result, err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; result.IsError || !strings.Contains(text, "func (s *store) Get(") {
		t.Errorf("source: %s", text)
	}
}
