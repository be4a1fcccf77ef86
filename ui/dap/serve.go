// Package dap presents a recording as a debug session. An editor that speaks the Debug Adapter
// Protocol (https://microsoft.github.io/debug-adapter-protocol/) steps through the calls of a
// recorded request, forward and backward, in upstream's source.
//
// Nothing is executed during a session. A session handles one request of the protocol after
// another. Each command that moves leads at once to exactly one stop, even at either end of
// the recording.
//
// Package trace/step has the rules of stepping.
package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Library provides the recordings and sources of sessions.
type Library interface {
	// Recording returns the recording that the launch request names.
	Recording(Launch) (*trace.Recording, error)
	// SourceFolder returns the folder with the source of a program of the
	// recording. Paths in trace.Call.File are below it. If the source is not
	// on this machine, SourceFolder downloads it if fetch is set, and
	// otherwise returns an error.
	SourceFolder(ctx context.Context, rec *trace.Recording, process string, fetch bool) (string, error)
}

// Launch has the arguments of the launch request. The JSON names are those in an
// editor's configuration. Either Scenario or File must be set.
type Launch struct {
	// Scenario is the name of a recorded scenario. K8s is its
	// release, as in --k8s.
	Scenario string `json:"scenario"`
	K8s      string `json:"k8s"`
	// File is the path of a saved recording.
	File string `json:"file"`
	// Request is the request's number in the recording, from 1. 0 is the first.
	Request int `json:"requestNumber"`
	// StopOnEntry is whether to stop where the request begins. nil means true.
	StopOnEntry *bool `json:"stopOnEntry"`
	// Checkout is the folder of a checkout of Kubernetes, or "". Its files are
	// shown if functions begin at the recorded lines.
	Checkout string `json:"checkout"`
}

// Serve runs one session, with texts in the printer's language. It returns when
// the client has disconnected or has closed in, or when ctx is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, library Library, printer message.Printer) error {
	s := &session{ctx: ctx, library: library, out: out, printer: printer}
	messages, failed := make(chan []byte), make(chan error, 1)
	done, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		failed <- read(done, in, messages)
	}()
	for !s.over {
		select {
		case content := <-messages:
			if err := s.receive(content); err != nil {
				return message.Errorf("debug adapter: %w", err)
			}
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return message.Errorf("debug adapter: reading a message: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// mostMessage is the maximum size of a message with its header, in bytes. The
// go-dap package refuses contents of more than 4 MiB.
const mostMessage = 5 << 20

// read sends the messages from in to the channel. It returns when
// reading fails or ctx is done.
func read(ctx context.Context, in io.Reader, messages chan<- []byte) error {
	limited := &io.LimitedReader{R: in}
	buffered := bufio.NewReader(limited)
	for {
		limited.N = mostMessage
		content, err := dap.ReadBaseMessage(buffered)
		if err != nil && limited.N <= 0 {
			return message.Errorf("the message has more than %d MiB, or its header does not end", mostMessage>>20)
		}
		if err != nil {
			return err
		}
		select {
		case messages <- content:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Listen serves each connection as a session of its own until ctx is done. It
// reports the errors of sessions to report.
func Listen(ctx context.Context, listener net.Listener, library Library, printer message.Printer, report func(error)) error {
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return message.Errorf("debug adapter: waiting for an editor on %s: %w", listener.Addr(), err)
		}
		go func() {
			defer func() { _ = conn.Close() }()
			if err := Serve(ctx, conn, conn, library, printer); err != nil && ctx.Err() == nil {
				report(err)
			}
		}()
	}
}

// receive handles a message. It returns an error only if writing fails.
func (s *session) receive(content []byte) error {
	message, err := dap.DecodeProtocolMessage(content)
	request, ok := message.(dap.RequestMessage)
	if err != nil || !ok {
		return s.refuse(content, err)
	}
	response, err := s.answer(request, content)
	if err != nil {
		response = s.errorResponse(err)
	}
	if err := s.respond(request.GetRequest(), response); err != nil {
		return err
	}
	for _, next := range s.queue {
		if err := s.write(next); err != nil {
			return err
		}
	}
	s.queue = nil
	return nil
}

// refuse answers a message that is not a request of the protocol. An
// unknown or invalid request gets an error response. For any other message,
// the client gets a notice.
func (s *session) refuse(content []byte, reason error) error {
	var request dap.Request
	if json.Unmarshal(content, &request) != nil || request.Type != "request" {
		ignored := s.printer.Sprintf("ignored a message of the editor that is not a request: %.100q", content)
		return s.write(&dap.OutputEvent{
			Event: dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: "output"},
			Body:  dap.OutputEventBody{Category: "stderr", Output: ignored + "\n"},
		})
	}
	if errors.As(reason, new(*dap.DecodeProtocolMessageFieldError)) {
		reason = unsupported(request.Command)
	} else {
		reason = message.Errorf("reading the request %q: %w", request.Command, reason)
	}
	return s.respond(&request, s.errorResponse(reason))
}

func unsupported(command string) error {
	return message.Errorf("the request %q is not supported: a recording can be looked at, not changed", command)
}

func (s *session) errorResponse(err error) dap.ResponseMessage {
	text := s.printer.Error(err)
	return &dap.ErrorResponse{
		Response: dap.Response{Message: text},
		// Clients replace names in braces in the format. An error's text may
		// contain braces, so it is a variable.
		Body: dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: "{error}", Variables: map[string]string{"error": text}, ShowUser: true}},
	}
}

// respond writes the response to a request. A nil response is written later.
func (s *session) respond(request *dap.Request, response dap.ResponseMessage) error {
	if response == nil {
		return nil
	}
	return s.write(fill(request, response))
}

// fill sets the header fields of a response.
func fill(request *dap.Request, response dap.ResponseMessage) dap.ResponseMessage {
	r := response.GetResponse()
	_, failed := response.(*dap.ErrorResponse)
	r.Type, r.Command, r.RequestSeq, r.Success = "response", request.Command, request.Seq, !failed
	return response
}

// after queues an event. It is written after the response to the current request.
func (s *session) after(name string, event dap.EventMessage) {
	e := event.GetEvent()
	e.Type, e.Event = "event", name
	s.queue = append(s.queue, event)
}

// write gives a message the next number, and writes it.
func (s *session) write(said dap.Message) error {
	s.seq++
	switch m := said.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq = s.seq
	case dap.EventMessage:
		m.GetEvent().Seq = s.seq
	}
	if err := dap.WriteProtocolMessage(s.out, said); err != nil {
		return message.Errorf("writing a message: %w", err)
	}
	return nil
}
