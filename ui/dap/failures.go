package dap

import (
	"strings"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

const (
	filterBegan = "began"
	filterError = "error"
	filterPanic = "panic"
)

// exceptionFilters returns the kinds of failures that can stop the session. The client selects
// some of them.
func (s *session) exceptionFilters() []dap.ExceptionBreakpointsFilter {
	p := s.printer
	return []dap.ExceptionBreakpointsFilter{
		{Filter: filterBegan, Label: p.Sprintf("Errors where they begin"), Description: p.Sprintf("Stop where a call returns an error that no call inside it returned")},
		{Filter: filterError, Label: p.Sprintf("All returned errors"), Description: p.Sprintf("Stop where a call returns an error")},
		{Filter: filterPanic, Label: p.Sprintf("Panics"), Description: p.Sprintf("Stop where a panic passes through a call")},
	}
}

func (s *session) setExceptionBreakpoints(r *dap.SetExceptionBreakpointsArguments) (dap.ResponseMessage, error) {
	filters := map[string]bool{}
	for _, name := range r.Filters {
		switch name {
		case filterBegan, filterError, filterPanic:
			filters[name] = true
		default:
			return nil, message.Errorf("exception filter %q: expected %q, %q or %q", name, filterBegan, filterError, filterPanic)
		}
	}
	s.breakpoints.filters = filters
	return &dap.SetExceptionBreakpointsResponse{}, nil
}

// failed reports whether a position is the end of a call with a
// failure that a filter selects.
func (s *session) failed(p step.Position) bool {
	filters := s.breakpoints.filters
	if p.Kind != step.Returning || len(filters) == 0 {
		return false
	}
	c := s.walker.Tree.Call(p.Call)
	switch {
	case c.Panic != "" && filters[filterPanic]:
		return true
	case c.Error == "":
		return false
	case filters[filterError]:
		return true
	}
	return filters[filterBegan] && !s.isPassedOn(p.Call)
}

// isPassedOn reports whether a direct callee returned the error of a call. The text of a
// wrapped error contains the text of the error inside.
func (s *session) isPassedOn(call int) bool {
	for child := range s.walker.Tree.Children(call) {
		if err := s.walker.Tree.Call(child).Error; err != "" && strings.Contains(s.walker.Tree.Call(call).Error, err) {
			return true
		}
	}
	return false
}

// failure describes a call's panic or error. It returns "" if
// the call has neither.
func (s *session) failure(c *trace.Call) string {
	if c.Panic != "" {
		return s.printer.Sprintf("a panic, raised in %s", c.Panic)
	}
	return c.Error
}

// exceptionInfo returns the details of the failure that stopped the session.
func (s *session) exceptionInfo(thread int) (dap.ResponseMessage, error) {
	c := s.walker.Tree.Call(s.at.Call)
	if s.stopped.reason != "exception" || s.threads.of(c) != thread {
		return nil, message.Errorf("thread %d has not stopped at a failure", thread)
	}
	id := filterError
	if c.Panic != "" {
		id = filterPanic
	}
	return &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{
		ExceptionId: id, Description: s.failure(c), BreakMode: "always",
		Details: &dap.ExceptionDetails{Message: s.failure(c), TypeName: id},
	}}, nil
}
