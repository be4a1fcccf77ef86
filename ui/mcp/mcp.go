// Package mcp offers the recordings as tools of the Model Context Protocol
// (https://modelcontextprotocol.io), so that an assistant that explains Kubernetes
// answers from real runs.
//
// The tools read the embedded recordings and the sources in the cache: they build,
// start, download and change nothing. If the user allows it, two more tools replay
// scenarios and send requests on a server of this machine. Each response is text of a
// limited size; it says how to get the rest.
//
// Package render and the packages below trace search, compare and draw.
package mcp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
)

// most is the maximum size of a response in bytes, without the line that says how to
// get the rest.
const most = 20_000

// A toolServer serves one client, in the language of the printer.
type toolServer struct {
	server  *mcp.Server
	printer message.Printer
}

// Serve serves one client over a transport until the client leaves or ctx is
// done. version is the version of apitrace.
//
// If live is not nil, the client may also use a server with these options,
// which is found or started on first use. If live is nil, Serve offers
// only the tools that read.
func Serve(ctx context.Context, transport mcp.Transport, version string, printer message.Printer, live *session.ServerOptions) (err error) {
	instructions := printer.Sprintf("Recordings of real kube-apiserver releases: which function called which, from which line, for each request of a scenario. " +
		"Start with scenarios or search. All answers come from recordings; other code paths are not known.")
	if live != nil {
		instructions += " " + printer.Sprintf("The tools run and request make recordings now: they use a server of this machine, and may change its objects.")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "apitrace", Title: printer.Sprintf("Code paths of kube-apiserver"), Version: version}, &mcp.ServerOptions{Instructions: instructions})
	f := &toolServer{server: server, printer: printer}
	if err := errors.Join(
		addTool(f, "scenarios", message.Of("List the recorded scenarios and releases"), withoutContext(f.listScenarios)),
		addTool(f, "search", message.Of("Find functions, recorded values and errors by a part of their text"), withoutContext(f.find)),
		addTool(f, "tree", message.Of("Show the call tree of a scenario: the code that its requests ran through, with file and line"), withoutContext(f.showTree)),
		addTool(f, "explain", message.Of("Explain a function: its role, callers and callees, and the recorded values"), withoutContext(f.explainFunction)),
		addTool(f, "source", message.Of("Show upstream's source of a function, with marks on the lines that made recorded calls, or of a type, with the types that were behind an interface"), withoutContext(f.showSource)),
		addTool(f, "diff", message.Of("Compare the path of a scenario's requests between two releases"), withoutContext(f.compare)),
	); err != nil {
		return err
	}
	if live == nil {
		return server.Run(ctx, transport)
	}
	l := &liveServer{options: *live, printer: printer}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := errors.Join(
		addLiveTool(f, "run", message.Of("Replay a scenario now, on a kube-apiserver of this machine, and show its call tree"), l.run(f)),
		addLiveTool(f, "request", message.Of("Send a request of your own to a kube-apiserver of this machine, and show its call tree"), l.request(f)),
	); err != nil {
		return err
	}
	return server.Run(ctx, transport)
}

// inputs describes the inputs of the tools by name. A name means the same in every tool.
var inputs = map[string]message.Message{
	"skip":     message.Of("the number of lines of the answer to leave out, to continue where an earlier answer ended"),
	"text":     message.Of("a part of a function's name, of a recorded value or of an error"),
	"scenario": message.Of("the name of a recorded scenario, such as get-node"),
	"k8s":      message.Of("the release, such as v1.37.1 or 1.30; the newest by default"),
	"view":     message.Of("outline (the story in sentences), path (key steps with notes; the default) or full (every call)"),
	"function": message.Of("a function's name or any end of its full name, such as etcd3.(*store).Get; for source also the name of a type, such as rest.Getter"),
	"from":     message.Of("the first release, such as 1.30"),
	"to":       message.Of("the second release, such as 1.37"),
	"tree":     message.Of("add one tree of both releases, with marks where they differ"),
	"method":   message.Of("the HTTP method: GET, POST, PUT, PATCH or DELETE"),
	"path":     message.Of("the path with the query, such as /api/v1/nodes?limit=2"),
	"headers":  message.Of("headers, each as \"Name: value\""),
	"body":     message.Of("the body, as JSON or YAML"),
	"as":       message.Of("the user that sends the request: admin (may do everything; the default), learner (may do what RBAC objects allow it), anonymous or stranger"),
}

// paged has the input that all tools have in common: the number of lines to skip.
type paged struct {
	Skip int `json:"skip,omitempty"`
}

func (p paged) skipped() int { return p.Skip }

// An answerer answers a tool's input with a text.
type answerer[In any] func(context.Context, In) (string, error)

// withoutContext returns an answerer for a function that needs no
// context, because it is fast.
func withoutContext[In any](answer func(In) (string, error)) answerer[In] {
	return func(_ context.Context, in In) (string, error) { return answer(in) }
}

// addTool adds a tool that only reads.
func addTool[In interface{ skipped() int }](f *toolServer, name string, description message.Message, answer answerer[In]) error {
	return add(f, name, description, &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}, answer)
}

// addLiveTool adds a tool that may change objects of a server.
func addLiveTool[In interface{ skipped() int }](f *toolServer, name string, description message.Message, answer answerer[In]) error {
	changes := true
	return add(f, name, description, &mcp.ToolAnnotations{DestructiveHint: &changes}, answer)
}

func add[In interface{ skipped() int }](f *toolServer, name string, description message.Message, annotations *mcp.ToolAnnotations, answer answerer[In]) error {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return message.Errorf("the inputs of the tool %q: %w", name, err)
	}
	for input, property := range schema.Properties {
		property.Description = inputs[input].Localize(f.printer)
	}
	closed := false
	annotations.OpenWorldHint = &closed
	tool := &mcp.Tool{Name: name, Description: description.Localize(f.printer), InputSchema: schema, Annotations: annotations}
	mcp.AddTool(f.server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := answer(ctx, in)
		if err == nil {
			text, err = f.page(text, in.skipped())
		}
		if err != nil {
			return nil, nil, errors.New(f.printer.Error(err)) // the client gets it as the tool's error
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	return nil
}

// page skips the first skip lines of a text and returns as many whole lines as
// fit into a response, at least one. If lines are left, it adds how to get them.
// It returns an error if skip is negative or leaves no line.
func (f *toolServer) page(text string, skip int) (string, error) {
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
		b.WriteString(f.printer.Plural(left, "(%d more line: call the tool again with \"skip\": %d, or ask for less)\n", "(%d more lines: call the tool again with \"skip\": %d, or ask for less)\n", left, skip+shown))
	}
	return b.String(), nil
}

// cut shortens a line to the maximum size of a response.
func (f *toolServer) cut(line string) string {
	if len(line) <= most {
		return line
	}
	end := most
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + f.printer.Sprintf("… (cut)") + "\n"
}
