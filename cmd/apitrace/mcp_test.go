package main

import (
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPCommand starts "apitrace mcp" as a client does, and calls a tool.
func TestMCPCommand(t *testing.T) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("apitrace", "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tree", Arguments: map[string]any{"scenario": "get-node"}})
	if err != nil || result.IsError || len(result.Content) != 1 {
		t.Errorf("the tool \"tree\" returned %+v and the error %v, expected one content and no error", result, err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("closing the session: %v", err)
	}
}
