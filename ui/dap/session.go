package dap

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// A session is one debug session's state. It is not safe for concurrent use.
type session struct {
	ctx     context.Context
	library Library
	out     io.Writer
	// printer formats all texts for the user.
	printer message.Printer
	// seq is the number of the last written message. queue has the messages to
	// write after the next response.
	seq   int
	queue []dap.Message
	over  bool
	// lines and columns are the client's numbers of the first
	// line and column: 0 or 1.
	lines, columns int

	// launch is the launch request until begin answers it, then nil. The client
	// sets its breakpoints in between.
	launch      *dap.LaunchRequest
	stopOnEntry bool

	rec    *trace.Recording
	walker step.Walker
	at     step.Position
	// stopped says why the session has stopped at the position at.
	stopped stop

	threads *threads
	// toldThreads is set after the client was told that not
	// all threads are listed.
	toldThreads bool
	sources     *sources
	breakpoints breakpoints
}

// A stop says why the session has stopped.
type stop struct {
	reason string
	// note is a text for the user. It follows the description of the position.
	note message.Message
	// hit are the ids of the breakpoints at the stop.
	hit []int
}

var errNotLaunched = message.NewError("no recording is open: send a launch request first")

// answer handles a request. It turns a panic into an error. The client gets the
// error, and the session continues. A nil response is sent later.
func (s *session) answer(request dap.RequestMessage, content []byte) (response dap.ResponseMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.queue = nil
			response, err = nil, message.Errorf("internal error in %q: %v", request.GetRequest().Command, r)
		}
	}()
	switch r := request.(type) {
	case *dap.InitializeRequest:
		return s.initialize(r, content)
	case *dap.LaunchRequest:
		return nil, s.open(r)
	case *dap.AttachRequest:
		return nil, message.NewError("a recording cannot be attached to: expected a configuration with \"request\": \"launch\"")
	case *dap.DisconnectRequest:
		s.over = true
		return &dap.DisconnectResponse{}, nil
	}
	if s.rec == nil {
		return nil, errNotLaunched
	}
	if move, ok := s.move(request); ok {
		return move()
	}
	return s.look(request)
}

// look handles requests that do not move the position.
func (s *session) look(request dap.RequestMessage) (dap.ResponseMessage, error) {
	switch r := request.(type) {
	case *dap.ConfigurationDoneRequest:
		return s.begin()
	case *dap.SetBreakpointsRequest:
		return s.setBreakpoints(&r.Arguments), nil
	case *dap.SetFunctionBreakpointsRequest:
		return s.setFunctionBreakpoints(r.Arguments.Breakpoints), nil
	case *dap.SetExceptionBreakpointsRequest:
		return s.setExceptionBreakpoints(&r.Arguments)
	case *dap.BreakpointLocationsRequest:
		return s.breakpointLocations(r.Arguments), nil
	case *dap.ThreadsRequest:
		return s.listThreads(), nil
	case *dap.StackTraceRequest:
		return s.stackTrace(&r.Arguments)
	case *dap.ScopesRequest:
		return s.scopes(r.Arguments.FrameId)
	case *dap.VariablesRequest:
		return s.variables(&r.Arguments)
	case *dap.EvaluateRequest:
		return s.evaluate(&r.Arguments)
	case *dap.ExceptionInfoRequest:
		return s.exceptionInfo(r.Arguments.ThreadId)
	case *dap.SourceRequest:
		return s.source(&r.Arguments)
	case *dap.LoadedSourcesRequest:
		return s.loadedSources(), nil
	case *dap.PauseRequest:
		return nil, message.NewError("nothing runs that could be paused: a recording is always stopped")
	}
	return nil, unsupported(request.GetRequest().Command)
}

func (s *session) initialize(r *dap.InitializeRequest, content []byte) (dap.ResponseMessage, error) {
	if format := r.Arguments.PathFormat; format != "" && format != "path" {
		return nil, message.Errorf("path format %q: expected \"path\"", format)
	}
	var counts struct {
		Arguments struct {
			LinesStartAt1, ColumnsStartAt1 *bool // true if they are missing
		}
	}
	if err := json.Unmarshal(content, &counts); err != nil {
		return nil, message.Errorf("reading the request \"initialize\": %w", err)
	}
	s.lines, s.columns = first(counts.Arguments.LinesStartAt1), first(counts.Arguments.ColumnsStartAt1)
	return &dap.InitializeResponse{Body: dap.Capabilities{
		SupportsConfigurationDoneRequest:   true,
		SupportsFunctionBreakpoints:        true,
		SupportsStepBack:                   true,
		SupportsRestartFrame:               true,
		SupportsStepInTargetsRequest:       true,
		SupportsExceptionInfoRequest:       true,
		SupportsDelayedStackTraceLoading:   true,
		SupportsLoadedSourcesRequest:       true,
		SupportsBreakpointLocationsRequest: true,
		ExceptionBreakpointFilters:         s.exceptionFilters(),
	}}, nil
}

func first(startAt1 *bool) int {
	if startAt1 != nil && !*startAt1 {
		return 0
	}
	return 1
}

// open opens the recording of a launch request. The client then sets
// its breakpoints, so begin can make the first stop at one. begin
// also answers the request.
func (s *session) open(r *dap.LaunchRequest) error {
	if s.rec != nil {
		return message.NewError("this session already has a recording: start another session to open another recording")
	}
	var launch Launch
	if err := json.Unmarshal(r.Arguments, &launch); err != nil {
		return message.Errorf("reading the configuration: %w", err)
	}
	if (launch.Scenario == "") == (launch.File == "") {
		return message.NewError("nothing to open: expected either \"scenario\", the name of a recorded scenario, or \"file\", the path of a recording, in the configuration")
	}
	rec, err := s.library.Recording(launch)
	if err != nil {
		return err
	}
	n := cmp.Or(launch.Request, 1)
	if n < 1 || n > len(rec.Requests) {
		return message.Errorf("\"requestNumber\" is %d: the recording has %s", n, requests(len(rec.Requests)))
	}
	request := &rec.Requests[n-1]
	tree, err := trace.NewTree(request)
	if err != nil {
		return message.Errorf("request %d: %w", n, err)
	}
	s.rec, s.launch = rec, r
	s.walker = step.Walker{Tree: tree}
	s.threads = newThreads(s.walker)
	s.sources = s.newSources(launch.Checkout)
	s.breakpoints = breakpoints{lines: map[string][]lineBreakpoint{}}
	s.stopOnEntry = launch.StopOnEntry == nil || *launch.StopOnEntry
	s.introduce(n)
	s.after("initialized", &dap.InitializedEvent{})
	return nil
}

// introduce prints a summary of the request to the client's console. It also
// lists the parts that the recording lacks, and the edited files.
func (s *session) introduce(n int) {
	request := s.walker.Tree.Request
	s.printf("%s %s → %d, request %d of %d, kube-apiserver %s: %s", request.Method, request.Path, request.Status,
		n, len(s.rec.Requests), s.rec.K8sVersion, calls(s.walker.Tree.Len()))
	s.printf("A recording knows calls and the lines that make them. Other lines and local variables are not recorded.")
	for _, lack := range request.Incomplete {
		s.printf("Incomplete: %s", lack)
	}
	for _, file := range s.rec.Edited {
		s.printf("Edited when it was recorded, so lines may differ from upstream's: %s", file)
	}
}

func (s *session) printf(format string, args ...any) {
	s.after("output", &dap.OutputEvent{Body: dap.OutputEventBody{Category: "console", Output: s.printer.Sprintf(format, args...) + "\n"}})
}

// begin makes the first stop. The client gets the response to this request, then
// the response to the launch request, then the stop.
func (s *session) begin() (dap.ResponseMessage, error) {
	if s.launch == nil {
		return nil, message.NewError("the configuration is done already")
	}
	s.queue = append(s.queue, fill(s.launch.GetRequest(), &dap.LaunchResponse{}))
	s.launch = nil
	hit, ok := s.hit(s.walker.First())
	switch {
	case s.stopOnEntry:
		s.stopAt(s.walker.First(), stop{reason: "entry"})
	case ok:
		s.stopAt(s.walker.First(), hit)
	default:
		s.resume(step.Forward)
	}
	return &dap.ConfigurationDoneResponse{}, nil
}

func calls(n int) message.Message { return message.Plural(n, "%d call", "%d calls", n) }

func requests(n int) message.Message { return message.Plural(n, "%d request", "%d requests", n) }
