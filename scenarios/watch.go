package scenarios

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"time"
)

// A watch is a request whose answer has no end: the server sends a line for each
// event until one of the two hangs up.

// watch sends h, then what h.During lists, one after the other, each when the event of
// the one before has come; and hangs up. The body is those events.
func (r *run) watch(ctx context.Context, h *HTTP, traceID string) *Sent {
	sent := &Sent{TraceID: traceID, Method: h.Method, Path: h.Path, Start: time.Now()}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	answer, err := r.wire.begin(ctx, h, sent)
	if err != nil {
		sent.Err = err
		return sent
	}
	defer answer.Body.Close()
	if sent.Status == http.StatusOK {
		sent.Err = r.during(ctx, h, bufio.NewReader(answer.Body), sent)
	}
	sent.Duration = time.Since(sent.Start)
	return sent
}

// during sends what h.During lists and reads the events.
func (r *run) during(ctx context.Context, h *HTTP, events *bufio.Reader, sent *Sent) error {
	for i := range h.During {
		change := &h.During[i]
		if _, err := r.do(ctx, change); err != nil {
			return fmt.Errorf("while it is watched: %w", err)
		}
		event, err := events.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("waiting for the event of %s %s: %w", change.Method, change.Path, err)
		}
		sent.Body = append(sent.Body, event...)
	}
	return nil
}
