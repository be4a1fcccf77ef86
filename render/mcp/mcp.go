// Package mcp offers the recordings as tools of the Model Context Protocol
// (https://modelcontextprotocol.io), so that an assistant that explains Kubernetes answers from what
// ran. The tools read the embedded recordings and the sources in the cache: they build, start, fetch and
// change nothing. Each answer is text of a limited size, with a way to get the rest.
package mcp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// most is the maximum size of an answer in bytes, without the line that says how to get the rest.
const most = 20_000

// Serve serves one client over a transport until it leaves or ctx is done. version is that of apitrace.
func Serve(ctx context.Context, transport mcp.Transport, version string) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "apitrace", Title: "Code paths of kube-apiserver", Version: version}, &mcp.ServerOptions{
		Instructions: "Recordings of real kube-apiserver releases: which function called which, at which line, for each request of a scenario. " +
			"Start with scenarios or search. All answers come from recordings; what was not recorded is not known.",
	})
	addTool(server, "scenarios", "List the recorded scenarios and releases", listScenarios)
	addTool(server, "search", "Find functions, recorded values and errors by a part of their text", find)
	addTool(server, "tree", "Show the call tree of a scenario: which code the request ran through, with file and line", showTree)
	addTool(server, "explain", "Tell what a function is for, who called it, what it called, and with which values", explainFunction)
	addTool(server, "source", "Show upstream's source of a function, with the lines from which recorded calls went out", showSource)
	addTool(server, "diff", "Tell how the path of a scenario's request differs between two releases", compare)
	return server.Run(ctx, transport)
}

// paged is the input that all tools accept besides their own.
type paged struct {
	Skip int `json:"skip,omitempty" jsonschema:"lines of the answer to leave out, to read on where an earlier answer ended"`
}

func (p paged) skipped() int { return p.Skip }

// addTool adds a tool whose answer is a text.
func addTool[In interface{ skipped() int }](server *mcp.Server, name, description string, answer func(In) (string, error)) {
	closed := false
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
	mcp.AddTool(server, tool, func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := answer(in)
		if err != nil {
			return nil, nil, err // which the client gets as the tool's
		}
		if text, err = page(text, in.skipped()); err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// page skips the first skip lines of a text, returns as many whole lines as fit into an answer, and says
// how to get the rest.
func page(text string, skip int) (string, error) {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if skip < 0 || skip > 0 && skip >= len(lines) {
		return "", message.Errorf("skip is %d: the answer has %d lines", skip, len(lines))
	}
	var b strings.Builder
	shown := 0
	for _, line := range lines[skip:] {
		if shown > 0 && b.Len()+len(line) > most {
			break
		}
		b.WriteString(cut(line))
		shown++
	}
	if left := len(lines) - skip - shown; left > 0 {
		fmt.Fprintf(&b, "(%d more lines: ask again with \"skip\": %d, or for less)\n", left, skip+shown)
	}
	return b.String(), nil
}

// cut shortens a line that is longer than an answer may be.
func cut(line string) string {
	if len(line) <= most {
		return line
	}
	end := most
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "… (cut)\n"
}
