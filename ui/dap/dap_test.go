package dap_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/ui/dap"
)

// library returns rec or, if rec is nil, the recordings that come with apitrace.
// SourceFolder returns folder, but only if it may download. If folder is "", there
// are no sources.
type library struct {
	rec    *trace.Recording
	folder string
}

func (l library) Recording(launch dap.Launch) (*trace.Recording, error) {
	if l.rec != nil {
		return l.rec, nil
	}
	return recordings.Load(launch.K8s, launch.Scenario)
}

func (l library) SourceFolder(_ context.Context, _ *trace.Recording, _ string, fetch bool) (string, error) {
	if l.folder == "" || !fetch {
		return "", errors.New("no source")
	}
	return l.folder, nil
}

// english is the printer of the sessions.
var english = message.Printer{}

// A client plays the editor's side of a session.
type client struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	seq int
	// received is the number of the last received message.
	received int
	ended    chan error
}

func connect(t *testing.T, lib dap.Library) *client {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &client{t: t, in: in, out: bufio.NewReader(out), ended: make(chan error, 1)}
	go func() {
		err := dap.Serve(t.Context(), fromClient, toClient, lib, english)
		_ = toClient.Close()
		_ = fromClient.Close()
		c.ended <- err
	}()
	t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	return c
}

func (c *client) send(command string, arguments any) {
	c.t.Helper()
	c.seq++
	content, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := protocol.WriteBaseMessage(c.in, content); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next message. Its sequence number must
// be one more than the last.
func (c *client) receive() protocol.Message {
	c.t.Helper()
	message, err := protocol.ReadProtocolMessage(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	c.received++
	if message.GetSeq() != c.received {
		c.t.Fatalf("message %d has the sequence number %d, expected the same number: %#v", c.received, message.GetSeq(), message)
	}
	return message
}

// request sends a request and returns its response, which must be the next
// message and have the type R. It must report success unless R is an error.
func request[R protocol.ResponseMessage](c *client, command string, arguments any) R {
	c.t.Helper()
	c.send(command, arguments)
	message := c.receive()
	r, ok := message.(R)
	if !ok {
		if e, is := message.(*protocol.ErrorResponse); is {
			c.t.Fatalf("%s %v: got the error %q, expected a success", command, arguments, e.Message)
		}
		c.t.Fatalf("%s %v: got another type of response than expected: %#v", command, arguments, message)
	}
	if r.GetResponse().RequestSeq != c.seq || !r.GetResponse().Success && !isError(message) {
		c.t.Fatalf("%s: expected a success with the number of the request, got %#v", command, r.GetResponse())
	}
	return r
}

func isError(m protocol.Message) bool {
	_, is := m.(*protocol.ErrorResponse)
	return is
}

// fail sends a request. Its response must be an error that contains text.
func (c *client) fail(command string, arguments any, text string) {
	c.t.Helper()
	r := request[*protocol.ErrorResponse](c, command, arguments)
	if r.Success || !strings.Contains(r.Message, text) {
		c.t.Errorf("%s %v: got the error %q, expected one with %q", command, arguments, r.Message, text)
	}
}

// stopped returns the next message, which must be a stop.
func (c *client) stopped() protocol.StoppedEventBody {
	c.t.Helper()
	event, ok := c.receive().(*protocol.StoppedEvent)
	if !ok {
		c.t.Fatal("expected the next message to be a stop")
	}
	return event.Body
}

// launch starts a session and returns its first stop. configure may be nil. It
// can set breakpoints before that stop.
func (c *client) launch(arguments map[string]any, configure func()) protocol.StoppedEventBody {
	c.t.Helper()
	request[*protocol.InitializeResponse](c, "initialize", map[string]any{"adapterID": "apitrace"})
	c.send("launch", arguments)
	launched := c.seq
	for {
		switch m := c.receive().(type) {
		case *protocol.OutputEvent:
			continue
		case *protocol.InitializedEvent:
		default:
			c.t.Fatalf("expected the initialized event, got %#v", m)
		}
		break
	}
	if configure != nil {
		configure()
	}
	request[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	received := c.receive()
	if r, ok := received.(*protocol.LaunchResponse); !ok || r.RequestSeq != launched || !r.Success {
		c.t.Fatalf("expected the response to launch, got %#v", received)
	}
	return c.stopped()
}

// move sends a request, and returns the stop. A successful response must come first.
func (c *client) move(command string, thread int) protocol.StoppedEventBody {
	c.t.Helper()
	c.send(command, map[string]any{"threadId": thread})
	received := c.receive()
	if r, ok := received.(protocol.ResponseMessage); !ok || !r.GetResponse().Success {
		c.t.Fatalf("%s: expected a success, got %#v", command, received)
	}
	return c.stopped()
}

// A view has what an editor shows at a stop: all threads, and the stack and the
// variables of the stop's thread.
type view struct {
	Threads   []protocol.Thread
	Frames    []protocol.StackFrame
	Variables [][]protocol.Variable
}

func (c *client) look(at protocol.StoppedEventBody) view {
	c.t.Helper()
	v := view{
		Threads: request[*protocol.ThreadsResponse](c, "threads", nil).Body.Threads,
		Frames:  request[*protocol.StackTraceResponse](c, "stackTrace", map[string]any{"threadId": at.ThreadId}).Body.StackFrames,
	}
	for _, scope := range request[*protocol.ScopesResponse](c, "scopes", map[string]any{"frameId": v.Frames[0].Id}).Body.Scopes {
		v.Variables = append(v.Variables, request[*protocol.VariablesResponse](c, "variables", map[string]any{"variablesReference": scope.VariablesReference}).Body.Variables)
	}
	return v
}

// TestStepInVisitsEveryCall steps into each call of a recording until the end.
func TestStepInVisitsEveryCall(t *testing.T) {
	calls := load(t, "get-not-found").Requests[0].Calls
	c := connect(t, library{})
	at := c.launch(map[string]any{"scenario": "get-not-found"}, nil)
	var entered []string
	stops := 0
	for ; at.Reason != "end"; at = c.move("stepIn", at.ThreadId) {
		stops++
		if name, ok := strings.CutSuffix(at.Description, " begins"); ok {
			entered = append(entered, name)
		}
	}
	var want []string
	for i := range calls {
		want = append(want, calls[i].ShortName())
	}
	if !slices.Equal(entered, want) {
		t.Errorf("entered %d calls, expected the recording's %d, in order", len(entered), len(want))
	}
	if stops != 3*len(want)-1 {
		t.Errorf("%d stops, expected 3 for each of %d calls but the first, which has 2", stops, len(want))
	}
}

// TestForwardAndBack goes forward through a recording, and back. Each stop must
// look the same in both directions.
func TestForwardAndBack(t *testing.T) {
	functions := []map[string]string{}
	for _, call := range load(t, "get-not-found").Requests[0].Calls {
		functions = append(functions, map[string]string{"name": call.Function})
	}
	for _, test := range []struct {
		name, forward, back string
		breakpoints         []map[string]string
	}{
		{"by breakpoints", "continue", "reverseContinue", functions},
		{"by lines", "next", "stepBack", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, library{})
			at := c.launch(map[string]any{"scenario": "get-not-found"}, func() {
				request[*protocol.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints", map[string]any{"breakpoints": test.breakpoints})
			})
			var views []view
			for {
				views = append(views, c.look(at))
				if at = c.move(test.forward, at.ThreadId); at.Reason == "end" {
					break
				}
			}
			if test.breakpoints != nil && len(views) != len(functions) {
				t.Errorf("%d stops, expected %d", len(views), len(functions))
			}
			if test.breakpoints == nil { // the last "next" stayed at the return of the first call
				at = c.move(test.back, at.ThreadId)
				views = views[:len(views)-1]
			} else {
				at = c.move(test.back, at.ThreadId)
			}
			for i, want := range slices.Backward(views) {
				if got := c.look(at); !reflect.DeepEqual(got, want) {
					t.Fatalf("back at stop %d, %s:\n%+v\nexpected\n%+v", i, at.Description, got, want)
				}
				at = c.move(test.back, at.ThreadId)
			}
			if at.Reason != "entry" || !strings.Contains(at.Description, "begins here") {
				t.Errorf(`at the beginning: got %+v, expected the reason "entry" and "begins here"`, at)
			}
		})
	}
}

func load(t *testing.T, scenario string) *trace.Recording {
	t.Helper()
	rec, err := recordings.Load("", scenario)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// small is a recording of two goroutines, with two errors and a panic. For each call,
// there is the function, the line of the caller after "from", and the function's first
// line:
//
//	main 10
//	  read from 12 20, fails
//	    parse from 21 30, fails
//	  work on a goroutine from 14 40
//	    done from a line that is not known 50
//	  store from 16 60, panics
func small() *trace.Recording {
	call := func(n, parent, function string, line, from int, goroutine uint64) trace.Call {
		c := trace.Call{
			ID: "000000000000000" + n, Function: "example.org/m." + function, File: "example.org/m/" + function + ".go",
			Line: line, CallerLine: from, Goroutine: goroutine, Process: "kube-apiserver",
		}
		if parent != "" {
			c.Parent = "000000000000000" + parent
		}
		return c
	}
	calls := []trace.Call{
		call("1", "", "main", 10, 0, 7),
		call("2", "1", "read", 20, 12, 7),
		call("3", "2", "parse", 30, 21, 7),
		call("4", "1", "work", 40, 14, 8),
		call("5", "4", "done", 50, 0, 8),
		call("6", "1", "store", 60, 16, 7),
	}
	for i := range calls {
		calls[i].StartNs = int64(i)
	}
	calls[1].Error, calls[2].Error = "reading: {bad}", "{bad}"
	calls[2].Attributes = map[string]string{"input": "{", "size": "1"}
	calls[3].NewGoroutine = true
	calls[5].Panic = "example.org/m.boom (boom.go:3)"
	return &trace.Recording{Scenario: "small", K8sVersion: "v1.37.1", Requests: []trace.Request{{
		TraceID: "00000000000000000000000000000001", Method: "GET", Path: "/", Status: 500, Calls: calls,
	}}}
}

// sources writes the source files of small, and returns their folder. Each has
// "func" in the first line of its function.
func sources(t *testing.T) string {
	dir := t.TempDir()
	rec := small()
	for _, c := range rec.Requests[0].Calls {
		file := filepath.Join(dir, filepath.FromSlash(c.File))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Repeat("\n", c.Line-1)+"func "+c.ShortName()+"() {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func breakpointsAt(lines ...int) []map[string]int {
	list := []map[string]int{}
	for _, line := range lines {
		list = append(list, map[string]int{"line": line})
	}
	return list
}

func TestBreakpoints(t *testing.T) {
	c := connect(t, library{rec: small(), folder: sources(t)})
	inMain := map[string]any{"path": "/src/vendor/example.org/m/main.go"}
	at := c.launch(map[string]any{"scenario": "small", "stopOnEntry": false}, func() {
		got := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": inMain, "breakpoints": breakpointsAt(13, 16, 17)}).Body.Breakpoints
		if !got[0].Verified || got[0].Line != 14 || got[0].Message == "" || !got[1].Verified || got[1].Line != 16 || got[2].Verified || got[2].Message == "" {
			t.Errorf("breakpoints at 13, 16 and 17: got %+v, expected the first at 14 with a message, the second at 16, the third unverified", got)
		}
		functions := request[*protocol.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints",
			map[string]any{"breakpoints": []map[string]string{{"name": "m.parse"}, {"name": "m.pase"}}}).Body.Breakpoints
		if !functions[0].Verified || functions[1].Verified || !strings.Contains(functions[1].Message, "m.parse") {
			t.Errorf("function breakpoints: got %+v, expected only the first to be verified, and m.parse as a proposal for the second", functions)
		}
		other := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints",
			map[string]any{"source": map[string]any{"path": "/src/vendor/example.org/other.go"}, "breakpoints": breakpointsAt(1)}).Body.Breakpoints
		if other[0].Verified || !strings.Contains(other[0].Message, "example.org/other.go") {
			t.Errorf("breakpoint in a file without recorded calls: got %+v, expected it to be unverified", other)
		}
	})
	want := []struct{ reason, description string }{
		{"function breakpoint", "m.parse begins"}, {"breakpoint", "m.main calls m.work"}, {"breakpoint", "m.main calls m.store"}, {"end", "m.main returns; the recording ends here"},
	}
	for i, w := range want {
		if at.Reason != w.reason || at.Description != w.description || (len(at.HitBreakpointIds) > 0) != (w.reason != "end") {
			t.Errorf("stop %d: got %+v, expected %v", i, at, w)
		}
		at = c.move("continue", at.ThreadId)
	}
	// A new list of breakpoints replaces the old one. A breakpoint
	// on the way ends a step.
	request[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": inMain, "breakpoints": breakpointsAt()})
	if at = c.move("stepBack", at.ThreadId); at.Description != "m.main calls m.store" || at.Reason != "step" {
		t.Errorf(`back over store: got %+v, expected a step to "m.main calls m.store"`, at)
	}
	c.move("stepBack", at.ThreadId)
	if at = c.move("stepBack", at.ThreadId); at.Description != "m.parse begins" || at.Reason != "function breakpoint" {
		t.Errorf("back over read: got %+v, expected to stop at the function breakpoint of m.parse", at)
	}
	locations := request[*protocol.BreakpointLocationsResponse](c, "breakpointLocations", map[string]any{"source": inMain, "line": 11, "endLine": 15}).Body.Breakpoints
	if want := []protocol.BreakpointLocation{{Line: 12}, {Line: 14}}; !slices.Equal(locations, want) {
		t.Errorf("locations of breakpoints %v, expected %v", locations, want)
	}
}

func TestFailures(t *testing.T) {
	wrapped, other := small(), small()
	other.Requests[0].Calls[1].Error = "another error" // does not contain the error of parse
	for _, test := range []struct {
		rec     *trace.Recording
		filters []string
		want    []string
	}{
		{wrapped, []string{"began"}, []string{"m.parse returns"}},
		{other, []string{"began"}, []string{"m.parse returns", "m.read returns"}},
		{wrapped, []string{"error", "panic"}, []string{"m.parse returns", "m.read returns", "m.store returns"}},
		{wrapped, []string{}, nil},
	} {
		c := connect(t, library{rec: test.rec})
		at := c.launch(map[string]any{"scenario": "small", "stopOnEntry": false}, func() {
			request[*protocol.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints", map[string]any{"filters": test.filters})
		})
		var got []string
		for ; at.Reason == "exception"; at = c.move("continue", at.ThreadId) {
			got = append(got, at.Description)
			info := request[*protocol.ExceptionInfoResponse](c, "exceptionInfo", map[string]any{"threadId": at.ThreadId}).Body
			if at.Text == "" || info.Description != at.Text || info.BreakMode != "always" {
				t.Errorf("%s: the stop is %+v, exceptionInfo %+v: expected the same text", at.Description, at, info)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("filters %v: got the stops %q, expected %q", test.filters, got, test.want)
		}
		c.fail("exceptionInfo", map[string]any{"threadId": at.ThreadId}, "not stopped at a failure")
		c.fail("setExceptionBreakpoints", map[string]any{"filters": []string{"x"}}, `expected "began"`)
	}
}

func TestStackAndVariables(t *testing.T) {
	c := connect(t, library{rec: small()})
	at := c.launch(map[string]any{"scenario": "small"}, nil)
	at = c.move("next", at.ThreadId) // main calls read
	at = c.move("stepIn", at.ThreadId)
	at = c.move("next", at.ThreadId)
	at = c.move("stepIn", at.ThreadId)
	v := c.look(at)
	var names []string
	for _, f := range v.Frames {
		names = append(names, f.Name)
	}
	if want := []string{"m.parse", "m.read", "m.main"}; !slices.Equal(names, want) || v.Frames[0].Line != 30 || v.Frames[1].Line != 21 || v.Frames[2].Line != 12 {
		t.Errorf("the stack in parse: got %+v, expected lines 30, 21 and 12 of m.parse, m.read and m.main", v.Frames)
	}
	if got := v.Variables[0]; len(got) != 2 || got[0].Name != "input" || got[0].Value != "{" {
		t.Errorf("values of parse: got %+v, expected two, the first input={", got)
	}
	if got := v.Variables[len(v.Variables)-1][0].Value; got != "not recorded" {
		t.Errorf(`local variables: got %q, expected "not recorded"`, got)
	}
	if got := request[*protocol.EvaluateResponse](c, "evaluate", map[string]any{"expression": " input ", "frameId": v.Frames[0].Id, "context": "repl"}).Body.Result; got != "{" {
		t.Errorf("evaluating input: got %q, expected {", got)
	}
	c.fail("evaluate", map[string]any{"expression": "input", "context": "hover"}, "not recorded")
	c.fail("evaluate", map[string]any{"expression": "1+1"}, `"1+1" is not recorded: the recorded values of m.parse are input, size`)
	c.fail("evaluate", map[string]any{"expression": "input", "frameId": 99}, "frame 99")

	at = c.move("stepOut", at.ThreadId) // read returns
	v = c.look(at)
	if v.Frames[0].Name != "m.read returns (from a line that is not recorded)" || v.Frames[0].Line != 20 {
		t.Errorf("the frame of read at its return: got %+v, expected its first line, 20", v.Frames[0])
	}
	if returned := v.Variables[1]; returned[len(returned)-1].Value != "{bad}" {
		t.Errorf("scope of the values returned from parse: got %+v, expected the error {bad} at the end", returned)
	}
	if own := v.Variables[0]; own[len(own)-1].Value != "reading: {bad}" {
		t.Errorf("recorded values of read at its return: got %+v, expected its error at the end", own)
	}

	at = c.move("stepOut", at.ThreadId) // main calls work
	at = c.move("stepIn", at.ThreadId)
	c.move("next", at.ThreadId)
	at = c.move("stepIn", at.ThreadId) // in done, on the other goroutine
	v = c.look(at)
	if want := []protocol.Thread{{Id: 1, Name: "kube-apiserver goroutine 7: m.main"}, {Id: 2, Name: "kube-apiserver goroutine 8: m.work"}}; !slices.Equal(v.Threads, want) || at.ThreadId != 2 || len(v.Frames) != 4 {
		t.Fatalf("in done: got %+v, expected the threads of main and work, and 4 frames", v)
	}
	if v.Frames[1].Name != "m.work (at a line that is not recorded)" || v.Frames[2].PresentationHint != "label" || !strings.Contains(v.Frames[2].Name, "goroutine 7") {
		t.Errorf("frames in done: got %+v, expected work, then a label with goroutine 7", v.Frames)
	}
	if scopes := request[*protocol.ScopesResponse](c, "scopes", map[string]any{"frameId": v.Frames[2].Id}).Body.Scopes; len(scopes) != 0 {
		t.Errorf("scopes of a label: got %+v, expected none", scopes)
	}
	part := request[*protocol.StackTraceResponse](c, "stackTrace", map[string]any{"threadId": at.ThreadId, "startFrame": 1, "levels": 2}).Body
	if part.TotalFrames != 4 || !reflect.DeepEqual(part.StackFrames, v.Frames[1:3]) {
		t.Errorf("two frames from the second on: got %+v, expected frames 1 and 2 of 4", part)
	}
	// Goroutine 7 waits for goroutine 8. A step over in it goes to its next position
	// after the calls of goroutine 8.
	if at = c.move("next", 1); at.Description != "m.main calls m.store" {
		t.Errorf(`step over in the outer goroutine: got %+v, expected "m.main calls m.store"`, at)
	}
	c.send("restartFrame", map[string]any{"frameId": c.look(at).Frames[0].Id})
	c.receive()
	if at = c.stopped(); at.Description != "m.main begins" || at.Reason != "restart" {
		t.Errorf("restarting the frame of main: got %+v, expected its beginning", at)
	}
}

// TestThreadsBesideTheStack looks at a goroutine before its first call and after
// its last call, and steps in it.
func TestThreadsBesideTheStack(t *testing.T) {
	c := connect(t, library{rec: small()})
	at := c.launch(map[string]any{"scenario": "small"}, nil)
	absent := func(why string) {
		t.Helper()
		threads := request[*protocol.ThreadsResponse](c, "threads", nil).Body.Threads
		if want := "kube-apiserver goroutine 8: m.work (" + why + ")"; len(threads) != 2 || threads[1].Name != want {
			t.Errorf("got the threads %+v, expected the second to be %q", threads, want)
		}
		stack := request[*protocol.StackTraceResponse](c, "stackTrace", map[string]any{"threadId": 2}).Body
		if stack.TotalFrames != 1 || len(stack.StackFrames) != 1 || stack.StackFrames[0].Name != why || stack.StackFrames[0].PresentationHint != "label" || stack.StackFrames[0].Source != nil {
			t.Errorf("got the stack %+v, expected only the label %q", stack, why)
		}
		if scopes := request[*protocol.ScopesResponse](c, "scopes", map[string]any{"frameId": stack.StackFrames[0].Id}).Body.Scopes; len(scopes) != 0 {
			t.Errorf("scopes of the label: got %+v, expected none", scopes)
		}
	}
	absent("its recorded calls begin later")
	c.fail("stepBack", map[string]any{"threadId": 2}, "kube-apiserver goroutine 8 makes no recorded call in this direction")
	if at = c.move("next", 2); at.Description != "m.work begins" || at.ThreadId != 2 {
		t.Errorf("the first step in the other goroutine: got %+v, expected the beginning of m.work", at)
	}
	for at.Description != "m.main calls m.store" {
		at = c.move("stepOut", at.ThreadId)
	}
	absent("its recorded calls are over")
	c.fail("next", map[string]any{"threadId": 2}, "makes no recorded call")
	if at = c.move("stepBack", 2); at.Description != "m.work returns" {
		t.Errorf("a step back in the other goroutine: got %+v, expected the return of m.work", at)
	}
	c.fail("next", map[string]any{"threadId": 3}, "no thread 3")
	c.fail("stackTrace", map[string]any{"threadId": 3}, "no thread 3")
}

// TestManyThreads lists the threads of a request with more
// goroutines than mostThreads.
func TestManyThreads(t *testing.T) {
	rec := load(t, "boot")
	c := connect(t, library{rec: rec})
	at := c.launch(map[string]any{"scenario": "boot"}, nil)
	c.send("threads", nil)
	received := c.receive()
	listed, ok := received.(*protocol.ThreadsResponse)
	if !ok || len(listed.Body.Threads) != 1024 || listed.Body.Threads[0].Id != at.ThreadId {
		t.Fatalf("threads at the first stop: got %+v, expected 1024 threads, first the stop's thread", received)
	}
	received = c.receive()
	notice, ok := received.(*protocol.OutputEvent)
	if !ok || !strings.Contains(notice.Body.Output, "The 1024 around the position") {
		t.Errorf("message after the threads: got %+v, expected a notice that only 1024 are listed", received)
	}
	at = c.move("reverseContinue", at.ThreadId)
	if at = c.move("continue", at.ThreadId); at.Reason != "end" {
		t.Errorf(`continuing without breakpoints: got %+v, expected the reason "end"`, at)
	}
	if again := request[*protocol.ThreadsResponse](c, "threads", nil).Body.Threads; again[0].Id != at.ThreadId {
		t.Errorf("threads at the end: the first of %d is not the stop's thread", len(again))
	}
}

// TestLeaf stops in a call with only its entry recorded. The
// call's duration is not known.
func TestLeaf(t *testing.T) {
	rec := small()
	rec.Requests[0].Calls[4].Leaf = true
	c := connect(t, library{rec: rec})
	at := c.launch(map[string]any{"scenario": "small"}, nil)
	for range 2 * len(rec.Requests[0].Calls) {
		v := c.look(at)
		if v.Frames[0].Name == "m.done" {
			facts := map[string]string{}
			for _, group := range v.Variables[:3] {
				for _, f := range group {
					facts[f.Name] = f.Value
				}
			}
			if facts["took"] != "not recorded" {
				t.Errorf(`facts of m.done: got %+v, expected took to be "not recorded"`, facts)
			}
			return
		}
		at = c.move("stepIn", at.ThreadId)
	}
	t.Error("no step leads to m.done")
}

func TestStepInTargets(t *testing.T) {
	rec := small()
	for _, i := range []int{3, 5} {
		rec.Requests[0].Calls[i].CallerLine = 12 // main calls all three from one line
	}
	c := connect(t, library{rec: rec})
	at := c.launch(map[string]any{"scenario": "small"}, nil)
	at = c.move("next", at.ThreadId)
	frame := c.look(at).Frames[0].Id
	targets := request[*protocol.StepInTargetsResponse](c, "stepInTargets", map[string]any{"frameId": frame}).Body.Targets
	if len(targets) != 3 || targets[2].Label != "m.store" {
		t.Fatalf("targets: got %+v, expected three, the last m.store", targets)
	}
	request[*protocol.StepInResponse](c, "stepIn", map[string]any{"threadId": at.ThreadId, "targetId": targets[2].Id})
	if at = c.stopped(); at.Description != "m.store begins" {
		t.Errorf("stepping into the third target: got %+v, expected the beginning of m.store", at)
	}
	c.fail("stepIn", map[string]any{"threadId": at.ThreadId, "targetId": 2}, "no target")
}

func TestSources(t *testing.T) {
	c := connect(t, library{rec: small(), folder: sources(t)}) // the sources must be downloaded
	at := c.launch(map[string]any{"scenario": "small"}, nil)
	shown := c.look(at).Frames[0].Source
	if shown.SourceReference == 0 {
		t.Fatalf("source of a file that is not on this machine: got %+v, expected a reference", shown)
	}
	text := request[*protocol.SourceResponse](c, "source", map[string]any{"sourceReference": shown.SourceReference, "source": shown}).Body.Content
	if !strings.Contains(text, "func m.main") {
		t.Errorf("source by its reference: got %q, expected the text of m.main", text)
	}
	byPath := request[*protocol.SourceResponse](c, "source", map[string]any{"source": map[string]any{"path": shown.Path}}).Body.Content
	if byPath != text {
		t.Errorf("source by its path: got %q, expected the same as by its reference", byPath)
	}
	c.fail("source", map[string]any{"sourceReference": 99}, "no source 99")
	loaded := request[*protocol.LoadedSourcesResponse](c, "loadedSources", nil).Body.Sources
	if len(loaded) != 6 {
		t.Errorf("loaded sources: got %+v, expected 6", loaded)
	}
	// A breakpoint can be set in a file that the client has requested.
	got := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": shown, "breakpoints": breakpointsAt(14)}).Body.Breakpoints
	if !got[0].Verified {
		t.Errorf("breakpoint by the file's reference: got %+v, expected it to be verified", got)
	}
	// Neovim puts its working folder before the path.
	below := map[string]any{"path": "/home/me/" + shown.Path}
	got = request[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": below, "breakpoints": breakpointsAt(14)}).Body.Breakpoints
	if !got[0].Verified {
		t.Errorf("breakpoint by a path that ends with the path sent: got %+v, expected it to be verified", got)
	}
}

// TestCheckout checks that a file of a checkout is shown only if functions
// begin at its recorded lines.
func TestCheckout(t *testing.T) {
	checkout := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(checkout, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rec := small()
	calls := rec.Requests[0].Calls
	calls[0].File = "k8s.io/kubernetes/pkg/main.go"
	calls[1].File = "k8s.io/apiserver/pkg/read.go"
	write("go.mod", "module k8s.io/kubernetes\n")
	write("pkg/main.go", strings.Repeat("\n", 9)+"func main() {}\n")
	write("staging/src/k8s.io/apiserver/pkg/read.go", "package another\n")
	c := connect(t, library{rec: rec})
	at := c.launch(map[string]any{"scenario": "small", "checkout": checkout}, func() {
		got := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints",
			map[string]any{"source": map[string]any{"path": filepath.Join(checkout, "pkg", "main.go")}, "breakpoints": breakpointsAt(14)}).Body.Breakpoints
		if !got[0].Verified {
			t.Errorf("breakpoint in the checkout: got %+v, expected it to be verified", got)
		}
	})
	if source := c.look(at).Frames[0].Source; source.Path != filepath.Join(checkout, "pkg", "main.go") || source.SourceReference != 0 {
		t.Errorf("source of main: got %+v, expected the file in the checkout", source)
	}
	at = c.move("next", at.ThreadId)
	at = c.move("stepIn", at.ThreadId)
	if source := c.look(at).Frames[0].Source; source.SourceReference == 0 {
		t.Errorf("source of read: got %+v, expected a reference, because the checkout has another version", source)
	}
}

// TestCountingFromZero uses a client that counts lines from 0.
func TestCountingFromZero(t *testing.T) {
	c := connect(t, library{rec: small()})
	request[*protocol.InitializeResponse](c, "initialize", map[string]any{"linesStartAt1": false, "columnsStartAt1": false})
	c.send("launch", map[string]any{"scenario": "small"})
	for !isInitialized(c.receive()) {
	}
	got := request[*protocol.SetBreakpointsResponse](c, "setBreakpoints",
		map[string]any{"source": map[string]any{"path": "example.org/m/main.go"}, "lines": []int{11}}).Body.Breakpoints
	if !got[0].Verified || got[0].Line != 11 {
		t.Errorf("breakpoint at line 11 from 0: got %+v, expected it to be verified there", got)
	}
	request[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	c.receive()
	at := c.stopped()
	if at = c.move("continue", at.ThreadId); at.Reason != "breakpoint" || c.look(at).Frames[0].Line != 11 {
		t.Errorf("continuing: got the stop %+v, expected the breakpoint at line 11", at)
	}
}

func isInitialized(m protocol.Message) bool {
	_, is := m.(*protocol.InitializedEvent)
	return is
}

// TestRefusals sends requests that the session must refuse. It
// must continue each time.
func TestRefusals(t *testing.T) {
	c := connect(t, library{rec: small()})
	c.fail("threads", nil, "launch request first")
	c.fail("initialize", map[string]any{"pathFormat": "uri"}, `expected "path"`)
	c.fail("attach", nil, `"request": "launch"`)
	c.fail("launch", map[string]any{}, `either "scenario"`)
	c.fail("launch", map[string]any{"scenario": "small", "file": "x"}, `either "scenario"`)
	c.fail("launch", map[string]any{"scenario": "small", "requestNumber": 2}, "the recording has 1 request")
	c.fail("launch", map[string]any{"scenario": 1}, "reading the configuration")
	at := c.launch(map[string]any{"scenario": "small"}, func() {
		c.fail("next", map[string]any{"threadId": 1}, `before "configurationDone"`)
	})
	c.fail("launch", map[string]any{"scenario": "small"}, "already has a recording")
	c.fail("configurationDone", nil, "done already")
	c.fail("pause", map[string]any{"threadId": 1}, "nothing runs")
	c.fail("setVariable", map[string]any{"name": "x", "value": "1", "variablesReference": 1}, "not supported")
	c.fail("goThere", nil, `"goThere" is not supported`)
	c.fail("next", map[string]any{"threadId": "x"}, "reading the request")
	c.fail("variables", map[string]any{"variablesReference": 0}, "no variables 0")
	c.fail("variables", map[string]any{"variablesReference": -5}, "no variables -5")
	c.fail("variables", map[string]any{"variablesReference": 1, "start": -1}, "negative")
	c.fail("stackTrace", map[string]any{"threadId": at.ThreadId, "startFrame": -1}, "negative")
	c.fail("scopes", map[string]any{"frameId": 5}, "frame 5")
	if at = c.move("next", at.ThreadId); at.Description != "m.main calls m.read" {
		t.Errorf(`a step after the refusals: got %+v, expected "m.main calls m.read"`, at)
	}
	request[*protocol.DisconnectResponse](c, "disconnect", nil)
	if err := <-c.ended; err != nil {
		t.Errorf("end of the session: got the error %v, expected none", err)
	}
}

// TestErrorTextsAreNotFormats checks that an error's text is a variable of the
// format, and not part of it.
func TestErrorTextsAreNotFormats(t *testing.T) {
	c := connect(t, library{rec: small()})
	c.launch(map[string]any{"scenario": "small"}, nil)
	e := request[*protocol.ErrorResponse](c, "evaluate", map[string]any{"expression": "{x}"}).Body.Error
	if e.Format != "{error}" || !strings.Contains(e.Variables["error"], "{x}") {
		t.Errorf("got the error %+v, expected the format {error} with the text as its variable", e)
	}
}

// FuzzServe sends messages that no editor sends. Serve must return without a
// panic, and each response must follow the protocol.
func FuzzServe(f *testing.F) {
	message := func(content string) string {
		var b strings.Builder
		_ = protocol.WriteBaseMessage(&b, []byte(content))
		return b.String()
	}
	start := message(`{"seq":1,"type":"request","command":"initialize"}`) + message(`{"seq":2,"type":"request","command":"launch","arguments":{"scenario":"small"}}`) +
		message(`{"seq":3,"type":"request","command":"configurationDone"}`)
	for _, text := range []string{
		"", "Content-Length: 5\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		message(`null`), message(`[1]`), message(`{"type":"request"}`), message(`{"type":"event","event":"stopped"}`),
		start, start + message(`{"seq":4,"type":"request","command":"variables","arguments":{"variablesReference":-1}}`),
		start + message(`{"seq":4,"type":"request","command":"stackTrace","arguments":{"threadId":1,"startFrame":9,"levels":9}}`),
		start + message(`{"seq":4,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"example.org/m/main.go"},"breakpoints":[{"line":-1}]}}`),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		_ = dap.Serve(t.Context(), strings.NewReader(text), &out, library{rec: small()}, english)
		answers := bufio.NewReader(strings.NewReader(out.String()))
		for n := 1; ; n++ {
			m, err := protocol.ReadProtocolMessage(answers)
			if err == io.EOF {
				return
			}
			if field := new(protocol.DecodeProtocolMessageFieldError); errors.As(err, &field) {
				continue // the response to a command that the protocol does not have
			}
			if err != nil || m.GetSeq() != n {
				t.Fatalf("message %d: got %v and the error %v, expected this sequence number and no error, in %q", n, m, err, out.String())
			}
			if e, is := m.(*protocol.ErrorResponse); is && strings.Contains(e.Message, "internal error") {
				t.Fatalf("got an internal error: %s", e.Message)
			}
		}
	})
}
