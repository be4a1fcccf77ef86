package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostLine is the maximum size of a message in bytes.
const mostLine = 4 << 20

// Lines is a transport to one client with one message per line, as MCP requires
// for standard input and output.
//
// A line that is not a message, or is longer than 4 MiB, gets an error as its
// response, and the session continues. When the input ends, the session ends as
// soon as all requests have their responses.
type Lines struct {
	In  io.Reader
	Out io.Writer
}

// Connect starts to read lines. It never returns an error.
func (l Lines) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{out: l.Out, incoming: make(chan incoming), closed: make(chan struct{}), open: map[jsonrpc.ID]int{}, answered: make(chan struct{}, 1)}
	go c.readAll(bufio.NewReader(l.In))
	return c, nil
}

type connection struct {
	incoming chan incoming
	close    sync.Once
	closed   chan struct{}

	mu  sync.Mutex
	out io.Writer
	// open counts the requests without a response, by id.
	open map[jsonrpc.ID]int
	// answered has a value after a response was written.
	answered chan struct{}
}

// An incoming is a line of the input, or an error. After any error except
// errLong, no line follows.
type incoming struct {
	line []byte
	err  error
}

// errLong reports that a line is too long.
var errLong = fmt.Errorf("the message has more than %d MiB", mostLine>>20)

func (c *connection) readAll(in *bufio.Reader) {
	for {
		line, err := readLine(in)
		select {
		case c.incoming <- incoming{line, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, errLong) {
			return
		}
	}
}

// readLine reads a line. It skips a line of more than mostLine bytes, without
// keeping it in memory, and returns errLong.
func readLine(in *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > mostLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong:
			return nil, errLong
		// The last line may lack its line break. The next call then reports io.EOF.
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		default:
			return line, err
		}
	}
}

// Read returns the next message. It skips empty lines, and sends an error for any
// other line that is not a message. At the end of the input, it waits until all
// requests have their responses.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case in := <-c.incoming:
			if in.err != nil && !errors.Is(in.err, errLong) {
				return nil, errors.Join(in.err, c.allAnswered(ctx))
			}
			received, refusal := decoded(in)
			if refusal != nil {
				c.mu.Lock()
				err := c.writeLine(refusal)
				c.mu.Unlock()
				if err != nil {
					return nil, err
				}
				continue
			}
			if received == nil {
				continue
			}
			c.note(received)
			return received, nil
		}
	}
}

// decoded returns the message of a line, or the response that refuses it. For an empty
// line, both are nil.
func decoded(in incoming) (received jsonrpc.Message, refusal []byte) {
	line := bytes.TrimSpace(in.line)
	switch {
	case in.err != nil:
		return nil, refuse(jsonrpc.CodeInvalidRequest, in.err)
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		var value any
		return nil, refuse(jsonrpc.CodeParseError, fmt.Errorf("the line is not JSON: %w", json.Unmarshal(line, &value)))
	case line[0] != '{':
		return nil, refuse(jsonrpc.CodeInvalidRequest, errors.New("expected one message on a line, an object of JSON"))
	}
	received, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, refuse(jsonrpc.CodeInvalidRequest, err)
	}
	return received, nil
}

// refuse returns the response to a line that is not a message. JSON-RPC requires
// the id null, which the types of package jsonrpc cannot hold.
func refuse(code int64, err error) []byte {
	text, _ := json.Marshal(err.Error()) // a string can always be encoded
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, text)
}

// note counts a request that waits for a response. A request that the client cancels is
// not counted any more, because it may get no response.
func (c *connection) note(received jsonrpc.Message) {
	request, ok := received.(*jsonrpc.Request)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if request.IsCall() {
		c.open[request.ID]++
		return
	}
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if request.Method == "notifications/cancelled" && json.Unmarshal(request.Params, &cancelled) == nil {
		if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil {
			delete(c.open, id)
		}
	}
}

// allAnswered waits until all requests have a response.
func (c *connection) allAnswered(ctx context.Context) error {
	for {
		c.mu.Lock()
		open := len(c.open)
		c.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Write sends a message.
func (c *connection) Write(_ context.Context, sent jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(sent)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writeLine(line); err != nil {
		return err
	}
	answer, ok := sent.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	if c.open[answer.ID]--; c.open[answer.ID] <= 0 {
		delete(c.open, answer.ID)
	}
	select {
	case c.answered <- struct{}{}:
	default:
	}
	return nil
}

// writeLine writes a line. The caller must hold c.mu.
func (c *connection) writeLine(line []byte) error {
	_, err := c.out.Write(append(line, '\n'))
	return err
}

// Close ends the session. It leaves input and output open.
func (c *connection) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// SessionID returns "", because the session ends with the process.
func (c *connection) SessionID() string { return "" }
