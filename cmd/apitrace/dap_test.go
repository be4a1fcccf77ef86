package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-dap"
)

// An editorSession is the editor's side of a debug session.
type editorSession struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	seq int
	// received are all messages of the adapter.
	received []map[string]any
}

// ask sends a request and returns the body of its response. If moves is set, ask also
// returns the body of the stopped event that follows. It skips other events.
func (e *editorSession) ask(command string, arguments map[string]any, moves bool) (body, stop map[string]any) {
	e.t.Helper()
	e.seq++
	content, err := json.Marshal(map[string]any{"seq": e.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := dap.WriteBaseMessage(e.in, content); err != nil {
		e.t.Fatal(err)
	}
	for body == nil || moves && stop == nil {
		message := e.receive()
		switch {
		case message["type"] == "response" && message["request_seq"] == float64(e.seq):
			if message["success"] != true {
				e.t.Fatalf("the request %s %v failed: %v", command, arguments, message["message"])
			}
			if body, _ = message["body"].(map[string]any); body == nil {
				body = map[string]any{}
			}
		case message["event"] == "stopped":
			if body == nil {
				e.t.Fatalf("%s: the stopped event came before the response", command)
			}
			stop = message["body"].(map[string]any)
		}
	}
	return body, stop
}

func (e *editorSession) receive() map[string]any {
	e.t.Helper()
	content, err := dap.ReadBaseMessage(e.out)
	if err != nil {
		e.t.Fatal(err)
	}
	var message map[string]any
	if err := json.Unmarshal(content, &message); err != nil {
		e.t.Fatal(err)
	}
	e.received = append(e.received, message)
	return message
}

// play uses every capability that the adapter announces.
func (e *editorSession) play() {
	e.t.Helper()
	offered, _ := e.ask("initialize", map[string]any{"adapterID": "apitrace", "pathFormat": "path"}, false)
	e.seq++
	launch, err := json.Marshal(map[string]any{"seq": e.seq, "type": "request", "command": "launch", "arguments": map[string]any{
		"type": "apitrace", "request": "launch", "scenario": "get-forbidden", "k8s": "1.37"}})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := dap.WriteBaseMessage(e.in, launch); err != nil {
		e.t.Fatal(err)
	}
	for e.receive()["event"] != "initialized" {
	}
	used := map[string]bool{"supportsConfigurationDoneRequest": true, "exceptionBreakpointFilters": true}
	first := func(body map[string]any, list string) map[string]any {
		e.t.Helper()
		all, _ := body[list].([]any)
		if len(all) == 0 {
			e.t.Fatalf("expected at least one of %s in %v", list, body)
		}
		return all[0].(map[string]any)
	}
	use := func(capability, command string, arguments map[string]any, moves bool) (body, stop map[string]any) {
		e.t.Helper()
		used[capability] = true
		return e.ask(command, arguments, moves)
	}

	use("supportsFunctionBreakpoints", "setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "withAuthorization.func1"}}}, false)
	_, stop := e.ask("configurationDone", nil, true)
	if stop["reason"] != "entry" {
		e.t.Errorf("the first stop is %v, expected the reason \"entry\"", stop)
	}
	on := func() map[string]any { return map[string]any{"threadId": stop["threadId"]} }
	_, stop = e.ask("continue", on(), true)
	if stop["reason"] != "function breakpoint" {
		e.t.Errorf("the second stop is %v, expected the reason \"function breakpoint\"", stop)
	}
	e.ask("setExceptionBreakpoints", map[string]any{"filters": []string{"began", "error", "panic"}}, false)
	e.ask("threads", nil, false)
	stack, _ := use("supportsDelayedStackTraceLoading", "stackTrace", map[string]any{"threadId": stop["threadId"], "levels": 1}, false)
	frame := first(stack, "stackFrames")
	if total, _ := stack["totalFrames"].(float64); total < 10 || frame["name"] != "filters.withAuthorization.func1" {
		e.t.Errorf("the stack is %v, expected filters.withAuthorization.func1 above at least 9 other frames", stack)
	}
	scopes, _ := e.ask("scopes", map[string]any{"frameId": frame["id"]}, false)
	e.ask("variables", map[string]any{"variablesReference": first(scopes, "scopes")["variablesReference"]}, false)
	locations, _ := use("supportsBreakpointLocationsRequest", "breakpointLocations", map[string]any{"source": frame["source"], "line": 1, "endLine": 200}, false)
	line := first(locations, "breakpoints")["line"]
	set, _ := e.ask("setBreakpoints", map[string]any{"source": frame["source"], "breakpoints": []any{map[string]any{"line": line}}}, false)
	if first(set, "breakpoints")["verified"] != true {
		e.t.Errorf("the breakpoint is %v, expected a verified one", set)
	}
	loaded, _ := use("supportsLoadedSourcesRequest", "loadedSources", nil, false)
	first(loaded, "sources")
	_, stop = e.ask("next", on(), true)
	used["supportsStepInTargetsRequest"] = true
	targets, _ := e.ask("stepInTargets", map[string]any{"frameId": frame["id"]}, false)
	_, stop = e.ask("stepIn", map[string]any{"threadId": stop["threadId"], "targetId": first(targets, "targets")["id"]}, true)
	_, stop = e.ask("stepOut", on(), true)
	_, stop = use("supportsStepBack", "stepBack", on(), true)
	_, stop = use("supportsRestartFrame", "restartFrame", map[string]any{"frameId": 1}, true)
	for stop["reason"] != "end" {
		if _, stop = e.ask("continue", on(), true); stop["reason"] == "exception" {
			use("supportsExceptionInfoRequest", "exceptionInfo", on(), false)
		}
	}
	for stop["reason"] != "entry" {
		_, stop = e.ask("reverseContinue", on(), true)
	}
	for capability := range offered {
		if !used[capability] {
			e.t.Errorf("the adapter announces %s, but play does not use it", capability)
		}
	}
	e.ask("disconnect", nil, false)
}

// TestDAPOnStandardStreams plays a session over standard input and output, as an editor
// does.
func TestDAPOnStandardStreams(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir()) // no sources are on this machine
	command := exec.Command("apitrace", "dap")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(out)
	(&editorSession{t: t, in: in, out: reader}).play()
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("after the session, the adapter wrote %q (error: %v), expected nothing", rest, err)
	}
	if err := command.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("the command ended with %v and wrote %q to standard error, expected success and nothing", err, said.String())
	}
}

// TestDAPOnAPort runs a command that listens on a port. It connects twice, and then plays
// a session on each connection. A signal ends the command.
func TestDAPOnAPort(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir())
	command := exec.Command("apitrace", "dap", "--listen", "127.0.0.1:0")
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("the command printed %q (error: %v), expected its address", line, err)
	}
	var sessions []*editorSession
	for range 2 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		sessions = append(sessions, &editorSession{t: t, in: conn, out: bufio.NewReader(conn)})
	}
	for _, s := range sessions {
		s.play()
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); command.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("after SIGTERM the command ended with %v, expected exit status 143", err)
	}
}

func TestDAPListensOnThisMachineAlone(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "x"} {
		if l, err := listenLoopback(address); err == nil {
			_ = l.Close()
			t.Errorf("listenLoopback listens on %s, expected an error", l.Addr())
		}
	}
}
