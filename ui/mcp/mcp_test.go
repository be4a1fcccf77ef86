package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	face "github.com/kubeapitrace/apitrace/ui/mcp"
)

// connect returns the SDK's client, connected to the tools in English.
func connect(t *testing.T) *mcp.ClientSession { return connectIn(t, "en") }

func connectIn(t *testing.T, lang string) *mcp.ClientSession { return connectTo(t, lang, nil) }

func connectTo(t *testing.T, lang string, live *session.ServerOptions) *mcp.ClientSession {
	t.Setenv("APITRACE_CACHE", t.TempDir()) // no sources are on this machine
	here, there := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- face.Serve(t.Context(), there, "test", message.For(lang), live) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return client
}

// call calls a tool and returns its text, and whether that is an error.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	var b strings.Builder
	for _, content := range result.Content {
		b.WriteString(content.(*mcp.TextContent).Text)
	}
	if b.Len() > 21_000 {
		t.Errorf("%s %v: got %d bytes, expected at most 21000", tool, arguments, b.Len())
	}
	return b.String(), result.IsError
}

func TestToolsAreReadOnly(t *testing.T) {
	tools, err := connect(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		for name, input := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if input.(map[string]any)["description"] == nil {
				t.Errorf("%s: the input %q has no description", tool.Name, name)
			}
		}
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s: got the annotations %+v, expected a description and the hint that the tool only reads", tool.Name, tool.Annotations)
		}
	}
	slices.Sort(names)
	if want := []string{"diff", "explain", "scenarios", "search", "source", "tree"}; !slices.Equal(names, want) {
		t.Errorf("tools %q, expected %q", names, want)
	}
}

// TestLiveTools checks that the tools that use a server are offered if the user
// allows it, and say that they change objects. They must refuse wrong input
// before they start a server, and read no file that a client chooses.
func TestLiveTools(t *testing.T) {
	client := connectTo(t, "en", &session.ServerOptions{Spec: session.Spec{Version: "v1.37.1"}})
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var live []string
	for _, tool := range tools.Tools {
		for name, input := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if input.(map[string]any)["description"] == nil {
				t.Errorf("%s: the input %q has no description", tool.Name, name)
			}
		}
		if !tool.Annotations.ReadOnlyHint {
			live = append(live, tool.Name)
			if tool.Annotations.DestructiveHint == nil || !*tool.Annotations.DestructiveHint {
				t.Errorf("%s does not say that it changes objects", tool.Name)
			}
		}
	}
	slices.Sort(live)
	if want := []string{"request", "run"}; !slices.Equal(live, want) {
		t.Errorf("the live tools are %q, expected %q", live, want)
	}
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"request", map[string]any{"method": "GET", "path": "api"}, "expected one that begins with a slash"},
		{"request", map[string]any{"method": "GET", "path": "/api", "view": "all"}, "expected outline, path or full"},
		{"run", map[string]any{"scenario": "../scenarios/library/get-node.yaml"}, "no scenario is called"},
		{"run", map[string]any{"scenario": "nosuch"}, "no scenario is called"},
	} {
		if text, failed := call(t, client, test.tool, test.arguments); !failed || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: got %q, expected an error with %q", test.tool, test.arguments, text, test.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	session := connect(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
		isError   bool
	}{
		{"scenarios", nil, "get-node: ", false},
		{"scenarios", nil, "v1.30.4", false},
		{"search", map[string]any{"text": "corruptObjectDeleter"}, "etcd3.(*corruptObjectDeleter).Get\n  in ", false},
		{"search", map[string]any{"text": "corruptObjectDeletre"}, "no function", true},
		{"search", map[string]any{"text": "CreateNodeDialer"}, "in the released sources (read, not run):\nk8s.io/kubernetes/cmd/kube-apiserver/app.CreateNodeDialer\n  from ", false},
		{"search", map[string]any{"text": " "}, "empty", true},
		{"tree", map[string]any{"scenario": "get-node", "k8s": "1.30"}, "etcd3.(*store).Get", false},
		{"tree", map[string]any{"scenario": "get-node", "view": "outline"}, "GET /api/v1/nodes/n1", false},
		{"tree", map[string]any{"scenario": "get-node", "view": "full"}, "\"skip\": ", false},
		{"tree", map[string]any{"scenario": "get-node", "view": "x"}, "expected outline, path or full", true},
		{"tree", map[string]any{"scenario": "get-nodes"}, "no recording of scenario", true},
		{"tree", map[string]any{"scenario": "get-node", "k8s": "1.3"}, "the recorded releases are", true},
		{"tree", map[string]any{"scenario": "get-node", "skip": -1}, `"skip" is -1`, true},
		{"explain", map[string]any{"function": "etcd3.(*store).Get"}, "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get", false},
		{"explain", map[string]any{"function": "Get"}, "matches ", true},
		{"explain", map[string]any{"function": "stroe.Get"}, "no function", true},
		{"source", map[string]any{"function": "etcd3.(*store).Get"}, "this tool fetches nothing", true},
		{"source", map[string]any{"function": "rest.Getter"}, "source of k8s.io/apiserver/pkg/registry/rest.Getter: ", true},
		{"source", map[string]any{"function": "rest.Exporter"}, "is in the sources from v1.10.13", true},
		{"source", map[string]any{"function": "rest.Gettr"}, "no function or type \"rest.Gettr\" in the recordings of the release: did you mean one of these?\n  k8s.io/apiserver/pkg/registry/rest.Getter", true},
		{"diff", map[string]any{"scenario": "get-node", "from": "1.30", "to": "1.37"}, "v1.37.1", false},
		{"diff", map[string]any{"scenario": "get-node", "from": "1.30", "to": "1.37", "tree": true}, "ServeHTTP", false},
	} {
		text, isError := call(t, session, test.tool, test.arguments)
		if isError != test.isError || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: got an error: %t, expected %t and the text %q in\n%.600s", test.tool, test.arguments, isError, test.isError, test.want, text)
		}
	}
}

// TestPagesMakeTheWhole reads a long answer page by page.
func TestPagesMakeTheWhole(t *testing.T) {
	session := connect(t)
	skip, lines := 0, 0
	for {
		text, isError := call(t, session, "tree", map[string]any{"scenario": "get-not-found", "view": "full", "skip": skip})
		if isError {
			t.Fatal(text)
		}
		n := strings.Count(text, "\n")
		if !strings.Contains(text, "more lines: call the tool again") {
			break
		}
		skip += n - 1
		lines += n - 1
	}
	if lines < 500 {
		t.Errorf("got %d lines on the pages before the last, expected at least 500", lines)
	}
}
