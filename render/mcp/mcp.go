// Package mcp offers the recordings as tools of the Model Context Protocol
// (https://modelcontextprotocol.io), so that an assistant that explains Kubernetes answers from what
// ran. The tools read the embedded recordings and the sources in the cache: they build, start, fetch and
// change nothing. Each answer is text of a limited size, with a way to get the rest.
package mcp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// most is the maximum size of an answer in bytes, without the line that says how to get the rest.
const most = 20_000

// A face speaks to one client, in the language of the printer.
type face struct {
	server  *mcp.Server
	printer message.Printer
}

// Serve serves one client over a transport until it leaves or ctx is done. version is that of apitrace.
func Serve(ctx context.Context, transport mcp.Transport, version string, printer message.Printer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "apitrace", Title: printer.Sprintf("Code paths of kube-apiserver"), Version: version}, &mcp.ServerOptions{
		Instructions: printer.Sprintf("Recordings of real kube-apiserver releases: which function called which, from which line, for each request of a scenario. " +
			"Start with scenarios or search. All answers come from recordings; other code paths are not known."),
	})
	f := &face{server: server, printer: printer}
	if err := errors.Join(
		addTool(f, "scenarios", message.Of("List the recorded scenarios and releases"), f.listScenarios),
		addTool(f, "search", message.Of("Find functions, recorded values and errors by a part of their text"), f.find),
		addTool(f, "tree", message.Of("Show the call tree of a scenario: the code that its requests ran through, with file and line"), f.showTree),
		addTool(f, "explain", message.Of("Explain a function: its role, callers and callees, and the recorded values"), f.explainFunction),
		addTool(f, "source", message.Of("Show upstream's source of a function, and mark the lines that made recorded calls"), f.showSource),
		addTool(f, "diff", message.Of("Compare the path of a scenario's requests between two releases"), f.compare),
	); err != nil {
		return err
	}
	return server.Run(ctx, transport)
}

// inputs describes the inputs of the tools by their names: one name means the same in every tool.
var inputs = map[string]message.Message{
	"skip":     message.Of("the number of lines of the answer to leave out, to continue where an earlier answer ended"),
	"text":     message.Of("a part of a function's name, of a recorded value or of an error"),
	"scenario": message.Of("the name of a recorded scenario, such as get-node"),
	"k8s":      message.Of("the release, such as v1.37.1 or 1.30; the newest by default"),
	"view":     message.Of("outline (the story in sentences), path (key steps with notes; the default) or full (every call)"),
	"function": message.Of("a function's name or any end of its full name, such as etcd3.(*store).Get"),
	"from":     message.Of("the first release, such as 1.30"),
	"to":       message.Of("the second release, such as 1.37"),
	"tree":     message.Of("add the tree of both with marks where they differ"),
}

// paged is the input that all tools accept besides their own.
type paged struct {
	Skip int `json:"skip,omitempty"`
}

func (p paged) skipped() int { return p.Skip }

// addTool adds a tool whose answer is a text.
func addTool[In interface{ skipped() int }](f *face, name string, description message.Message, answer func(In) (string, error)) error {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return message.Errorf("the inputs of the tool %q: %w", name, err)
	}
	for input, property := range schema.Properties {
		property.Description = inputs[input].Localize(f.printer)
	}
	closed := false
	tool := &mcp.Tool{
		Name: name, Description: description.Localize(f.printer), InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
	mcp.AddTool(f.server, tool, func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := answer(in)
		if err == nil {
			text, err = f.page(text, in.skipped())
		}
		if err != nil {
			return nil, nil, errors.New(f.printer.Error(err)) // which the client gets as the tool's
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	return nil
}

// page skips the first skip lines of a text, returns as many whole lines as fit into an answer, and says
// how to get the rest.
func (f *face) page(text string, skip int) (string, error) {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if skip < 0 || skip > 0 && skip >= len(lines) {
		return "", message.Errorf("\"skip\" is %d: the answer has %d lines", skip, len(lines))
	}
	var b strings.Builder
	shown := 0
	for _, line := range lines[skip:] {
		if shown > 0 && b.Len()+len(line) > most {
			break
		}
		b.WriteString(f.cut(line))
		shown++
	}
	if left := len(lines) - skip - shown; left > 0 {
		b.WriteString(f.printer.Plural(left, "(%d more line: ask again with \"skip\": %d, or for less)\n", "(%d more lines: ask again with \"skip\": %d, or for less)\n", left, skip+shown))
	}
	return b.String(), nil
}

// cut shortens a line that is longer than an answer may be.
func (f *face) cut(line string) string {
	if len(line) <= most {
		return line
	}
	end := most
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + f.printer.Sprintf("… (cut)") + "\n"
}
