package learner

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/workshop"
)

// play returns the recording that judges the answer to a live exercise. For a Change, it
// replays the scenario on the changed server. Otherwise args are a method and a path, a
// scenario's file, or a recording's file. For a method and a path, play sends a request,
// and takes its other properties from request.
func (l *Learner) play(ctx context.Context, e *workshop.Exercise, args []string, request *scenarios.TypedRequest) (*trace.Recording, error) {
	if e.Change != nil {
		if err := l.mustHaveEdited(ctx, e); err != nil {
			return nil, err
		}
		return l.replayChanged(ctx, e, "")
	}
	if len(args) == 1 && strings.HasSuffix(args[0], ".yaml") {
		scenario, err := scenarios.ReadFile(args[0])
		if err != nil {
			return nil, err
		}
		return l.replay(ctx, scenario, "")
	}
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); err != nil {
			return nil, message.UsageErrorf("expected METHOD and PATH, such as GET /api/v1/nodes/n1, or a file: there is no file %q", args[0])
		}
		return trace.LoadStream(args[0])
	}
	if len(args) != 2 || !strings.HasPrefix(args[1], "/") {
		return nil, message.UsageErrorf("expected METHOD and PATH, such as GET /api/v1/nodes/n1, or a file: found %q", strings.Join(args, " "))
	}
	typed := *request
	typed.Method, typed.Path = strings.ToUpper(args[0]), args[1]
	h, err := typed.HTTP()
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	return l.replay(ctx, ownRequest(e, h), "")
}

// mustHaveEdited returns an error if the file of the exercise is unchanged, even if
// other files are changed.
func (l *Learner) mustHaveEdited(ctx context.Context, e *workshop.Exercise) error {
	dir, err := session.Edits{}.Dir()
	if err != nil {
		return err
	}
	all, err := apiserver.ListEdits(program.Edits{Dir: dir, Version: l.k8s})
	if err != nil {
		return err
	}
	var changed []string
	mine := ""
	for _, edit := range all {
		if edit.Changed() {
			changed = append(changed, edit.Name)
		}
		if edit.Name == e.Change.File {
			mine = edit.Path
		}
	}
	if len(changed) == 0 && mine == "" {
		if _, err := program.FindToolchain(ctx); err != nil {
			return whatIsLacking(message.Errorf("this exercise changes a server, which must then be compiled: %w", err))
		}
	}
	switch {
	case len(changed) == 0 && mine != "":
		return message.UsageErrorf("your copy does not differ from upstream's file: change %s, save it, and check again", mine)
	case len(changed) == 0:
		return message.UsageErrorf("the server is not changed yet: \"apitrace edit %s\" makes a copy of the file; change the copy, and check again", e.Change.File)
	case !slices.Contains(changed, e.Change.File):
		return message.UsageErrorf("%s is not changed, but the exercise is about it; you changed %s (apitrace edit --list)", e.Change.File, message.List(changed))
	}
	return nil
}

// traceFile returns the file with the last trace for a live exercise.
func (l *Learner) traceFile(e *workshop.Exercise) string {
	return filepath.Join(l.dir, "traces", e.Name+".jsonl")
}

// keepTrace saves an exercise's trace for "apitrace workshop trace".
func (l *Learner) keepTrace(ctx context.Context, e *workshop.Exercise, recording *trace.Recording) error {
	file := l.traceFile(e)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return message.Errorf("keeping the trace: %w", err)
	}
	return trace.Save(ctx, file, recording)
}

// replayChanged replays the scenario of an exercise on a server built with the edits in
// a folder. "" is the learner's own folder.
func (l *Learner) replayChanged(ctx context.Context, e *workshop.Exercise, edits string) (*trace.Recording, error) {
	scenario, err := scenarios.Find(e.Scenario)
	if err != nil {
		return nil, err
	}
	scenario = scenario.AnyAnswer()
	for i := range scenario.Requests {
		if r := &scenario.Requests[i]; r.Traced && e.Change.Body != nil {
			r.Body = e.Change.Body
		}
	}
	for i := range e.Change.Then {
		then := e.Change.Then[i]
		then.Status = nil
		scenario.Requests = append(scenario.Requests, scenarios.Request{HTTP: then, Traced: true, Warmup: []scenarios.HTTP{}})
	}
	return l.replay(ctx, scenario, edits)
}

// ownRequest returns a scenario with the setup and the first requests of an exercise, and
// then the traced request h. It expects no particular status.
func ownRequest(e *workshop.Exercise, h *scenarios.HTTP) *scenarios.Scenario {
	own := *h
	own.Status = nil
	var requests []scenarios.Request
	for _, before := range e.Make.Before {
		requests = append(requests, scenarios.Request{HTTP: before})
	}
	return &scenarios.Scenario{
		Name: e.Name, Setup: e.Make.Setup,
		Requests: append(requests, scenarios.Request{HTTP: own, Traced: true, Warmup: []scenarios.HTTP{}}),
	}
}

// replay sends a scenario's requests to a server of the learner's version, and reports
// the responses. The server is built with the edits in a folder; "" is the learner's
// own folder.
func (l *Learner) replay(ctx context.Context, scenario *scenarios.Scenario, edits string) (*trace.Recording, error) {
	server := session.ServerOptions{Spec: session.Spec{Version: l.k8s}, Edits: session.EditsIn(edits)}
	recording, messages, err := session.RunTraced(ctx, server, scenario, l.reporter)
	if err != nil {
		return nil, whatIsLacking(err)
	}
	for i, r := range recording.Requests {
		l.reporter.Notice("%s %s → %d, %d calls", r.Method, r.Path, r.Status, len(r.Calls))
		if messages[i] != "" {
			l.reporter.Notice("%s", l.p.Sprintf("the answer: ")+messages[i])
		}
	}
	return recording, nil
}

// requestFlags returns the flags of "apitrace workshop check" for a request, without method
// and path.
func requestFlags(h *scenarios.HTTP) string {
	var flags strings.Builder
	if h.As != "" {
		flags.WriteString(" --as " + h.As)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		fmt.Fprintf(&flags, " -H '%s: %s'", name, h.Headers[name])
	}
	if h.Body != nil {
		flags.WriteString(" --file body.yaml")
	}
	return flags.String()
}

func (l *Learner) printBody(h *scenarios.HTTP) {
	if h.Body != nil {
		l.sayf("\nbody.yaml:\n%s", h.Body.JSON())
	}
}

// printReplacement prints a change like a diff.
func printReplacement(out io.Writer, r workshop.Replacement) {
	for _, part := range []struct{ sign, text string }{{"-", r.Old}, {"+", r.New}} {
		for line := range strings.Lines(part.text) {
			fmt.Fprintf(out, "%s %s\n", part.sign, strings.TrimRight(line, "\n"))
		}
	}
}
