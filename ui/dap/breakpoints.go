package dap

import (
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// breakpoints are the breakpoints that the client has set.
type breakpoints struct {
	// last is the last breakpoint id that was assigned.
	last int
	// lines has the line breakpoints of each file, by trace.Call.File. functions
	// has the ids of the function breakpoints, by the full name of the function.
	// filters has the exception filters that are on.
	lines     map[string][]lineBreakpoint
	functions map[string][]int
	filters   map[string]bool
}

type lineBreakpoint struct{ id, line int }

func (b *breakpoints) next() int {
	b.last++
	return b.last
}

// hit returns the stop at a position, if a breakpoint or an
// exception filter matches there.
func (s *session) hit(p step.Position) (stop, bool) {
	c := s.walker.Tree.Call(p.Call)
	if ids := s.breakpoints.functions[c.Function]; p.Kind == step.Entered && len(ids) > 0 {
		return stop{reason: "function breakpoint", hit: ids}, true
	}
	if line := s.walker.Line(p); line > 0 {
		var ids []int
		for _, b := range s.breakpoints.lines[c.File] {
			if b.line == line {
				ids = append(ids, b.id)
			}
		}
		// StartsLine is slow, so it is the last condition.
		if ids != nil && s.walker.StartsLine(p) {
			return stop{reason: "breakpoint", hit: ids}, true
		}
	}
	if s.failed(p) {
		return stop{reason: "exception"}, true
	}
	return stop{}, false
}

// setBreakpoints replaces the breakpoints of a file. lineWithCalls chooses
// the line where each of them stops.
func (s *session) setBreakpoints(r *dap.SetBreakpointsArguments) dap.ResponseMessage {
	wanted := make([]int, 0, len(r.Breakpoints))
	for _, b := range r.Breakpoints {
		wanted = append(wanted, b.Line)
	}
	if r.Breakpoints == nil {
		wanted = append(wanted, r.Lines...)
	}
	file, problem := s.sources.find(&r.Source)
	delete(s.breakpoints.lines, file)
	list := make([]dap.Breakpoint, 0, len(wanted))
	for _, line := range wanted {
		b := dap.Breakpoint{Id: s.breakpoints.next(), Line: line, Source: &r.Source}
		if problem != nil {
			b.Message = s.printer.Error(problem)
			list = append(list, b)
			continue
		}
		at, why := s.sources.lineWithCalls(file, line+1-s.lines)
		b.Message = why.Localize(s.printer)
		if at > 0 {
			b.Verified, b.Line = true, s.line(at)
			s.breakpoints.lines[file] = append(s.breakpoints.lines[file], lineBreakpoint{b.Id, at})
		}
		list = append(list, b)
	}
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}
}

// breakpointLocations lists the lines of a range where a breakpoint can stop.
func (s *session) breakpointLocations(r *dap.BreakpointLocationsArguments) dap.ResponseMessage {
	list := []dap.BreakpointLocation{}
	first, last := r.Line, max(r.Line, r.EndLine)
	if file, err := s.sources.find(&r.Source); err == nil {
		for _, line := range s.sources.lines[file] {
			if line = s.line(line); line >= first && line <= last {
				list = append(list, dap.BreakpointLocation{Line: line})
			}
		}
	}
	return &dap.BreakpointLocationsResponse{Body: dap.BreakpointLocationsResponseBody{Breakpoints: list}}
}

// setFunctionBreakpoints replaces all function breakpoints. A name can be a full
// name or its end, as in trace.FindFunctions. It may match several functions.
func (s *session) setFunctionBreakpoints(wanted []dap.FunctionBreakpoint) dap.ResponseMessage {
	s.breakpoints.functions = map[string][]int{}
	called := s.functions()
	list := make([]dap.Breakpoint, 0, len(wanted))
	for _, w := range wanted {
		b := dap.Breakpoint{Id: s.breakpoints.next()}
		found := trace.FindFunctions(strings.TrimSpace(w.Name), called)
		for _, name := range found {
			s.breakpoints.functions[name] = append(s.breakpoints.functions[name], b.Id)
		}
		b.Verified = len(found) > 0
		switch {
		case len(found) == 0:
			unknown := &trace.UnknownFunctionError{Query: w.Name, Where: message.Of("this request"), Near: trace.NearFunctions(w.Name, called)}
			b.Message = s.printer.Error(unknown)
		case len(found) > 1:
			b.Message = s.printer.Sprintf("%d functions have this name: %s", len(found), message.List(found))
		}
		list = append(list, b)
	}
	return &dap.SetFunctionBreakpointsResponse{Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: list}}
}

// functions returns the names of the request's functions, sorted.
func (s *session) functions() []string {
	var names []string
	for i := range s.walker.Tree.Len() {
		names = append(names, s.walker.Tree.Call(i).Function)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
