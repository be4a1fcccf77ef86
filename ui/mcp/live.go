package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// requestTimeout is the maximum duration of a request, as in "apitrace request".
const requestTimeout = 20 * time.Second

// A liveServer is the server of the tools run and request. It is a server that
// runs already, or a server that the first call of such a tool starts. Serve
// stops the started server when the client leaves.
type liveServer struct {
	options session.ServerOptions
	printer message.Printer

	mu   sync.Mutex
	live *session.Live
}

// use returns the server. The first call finds or starts one, and so does
// the first call after the server has ended. The caller must hold l.mu
// while it uses the server.
func (l *liveServer) use(ctx context.Context, to session.Reporter) (*session.Live, error) {
	if l.live != nil {
		select {
		case <-l.live.Done():
			_ = l.live.Close() // the last call has reported why the server ended
			l.live = nil
		default:
			return l.live, nil
		}
	}
	var err error
	l.live, err = l.options.OpenLive(ctx, session.LiveOptions{
		As: scenarios.Admin, Kept: func(session.Row, *trace.Recording) {}, Untraced: func(session.Row) {},
	}, to)
	return l.live, err
}

func (l *liveServer) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == nil {
		return nil
	}
	return l.live.Close()
}

type runInput struct {
	paged
	Scenario string `json:"scenario"`
	View     string `json:"view,omitempty"`
}

// run returns the answerer of the tool "run", which replays a
// scenario and draws its tree.
func (l *liveServer) run(f *toolServer) answerer[runInput] {
	return func(ctx context.Context, in runInput) (string, error) {
		version, err := apiserver.ParseVersion(l.options.Version)
		if err != nil {
			return "", err
		}
		scenario, err := session.KnownScenario(in.Scenario, version)
		if errors.As(err, new(*scenarios.UnknownError)) {
			return "", message.Errorf("no scenario is called %q: the tool \"scenarios\" lists them", in.Scenario)
		}
		if err != nil {
			return "", err
		}
		return l.draw(ctx, f, in.View, func(live *session.Live, to session.Reporter) (made *trace.Recording, err error) {
			err = live.Replay(ctx, scenario, to, func(r *trace.Recording) error {
				made = r
				return nil
			})
			return made, err
		})
	}
}

type requestInput struct {
	paged
	Method  string   `json:"method"`
	Path    string   `json:"path"`
	Headers []string `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
	As      string   `json:"as,omitempty"`
	View    string   `json:"view,omitempty"`
}

// request returns the answerer of the tool "request", which sends a
// request and draws its tree.
func (l *liveServer) request(f *toolServer) answerer[requestInput] {
	return func(ctx context.Context, in requestInput) (string, error) {
		typed := scenarios.TypedRequest{Method: strings.ToUpper(in.Method), Path: in.Path, Headers: in.Headers, As: cmp.Or(in.As, scenarios.Admin), BodyFile: "body"}
		if in.Body != "" {
			typed.Body = []byte(in.Body)
		}
		h, err := typed.HTTP()
		if err != nil {
			return "", err
		}
		return l.draw(ctx, f, in.View, func(live *session.Live, to session.Reporter) (*trace.Recording, error) {
			rec, _, err := live.Request(ctx, h, requestTimeout, to)
			return rec, err
		})
	}
}

// draw lets record make a recording on the server, and draws the recording. The
// session's notices come first.
func (l *liveServer) draw(ctx context.Context, f *toolServer, view string, record func(*session.Live, session.Reporter) (*trace.Recording, error)) (string, error) {
	if !slices.Contains([]string{"", "outline", "path", "full"}, view) {
		return "", unknownView(view)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	to := &notices{printer: l.printer}
	live, err := l.use(ctx, to)
	if err != nil {
		return "", err
	}
	recording, err := record(live, to)
	if err != nil {
		return "", err
	}
	text, err := f.treeOf(recording, view)
	return to.String() + text, err
}

// notices collects the notices of a session.
type notices struct {
	printer message.Printer

	mu   sync.Mutex
	text strings.Builder
}

// Notice implements session.Reporter.
func (n *notices) Notice(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Fprintln(&n.text, n.printer.Sprintf(format, args...))
}

// Building implements session.Reporter.
func (n *notices) Building() session.BuildReporter {
	return program.NewDisplay(io.Discard, false, n.printer)
}

func (n *notices) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.text.Len() == 0 {
		return ""
	}
	return n.text.String() + "\n"
}
