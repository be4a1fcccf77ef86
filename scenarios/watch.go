package scenarios

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A watch is a request with an endless answer. The server sends a line for each event until
// either side hangs up.

// watch sends h and then the requests of h.During. It sends each of them after the event of the
// previous one has come. It then waits for the events of h.Events and hangs up. The body has all
// these events.
func (r *run) watch(ctx context.Context, h *HTTP, sent *Sent) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	answer, err := r.wire.begin(ctx, h, sent)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if sent.Status != http.StatusOK {
		return nil
	}
	events := bufio.NewReader(answer.Body)
	if err := r.during(ctx, h, events, sent); err != nil {
		return err
	}
	return awaitEvents(h, events, sent)
}

// during sends the requests of h.During and reads the events.
func (r *run) during(ctx context.Context, h *HTTP, events *bufio.Reader, sent *Sent) error {
	for i := range h.During {
		change := &h.During[i]
		if err := r.change(ctx, change, sent); err != nil {
			return message.Errorf("during the watch: %w", err)
		}
		if change.Unseen {
			continue
		}
		event, err := events.ReadBytes('\n')
		if err != nil {
			return message.Errorf("waiting for the event of %s %s: %w", change.Method, change.Path, err)
		}
		sent.Body = append(sent.Body, event...)
	}
	return nil
}

// change sends one of the requests during a watch. It adds a traced request to watch.
func (r *run) change(ctx context.Context, change *Request, watch *Sent) error {
	if !change.Traced {
		_, err := r.do(ctx, &change.HTTP)
		return err
	}
	h := r.kept.fill(&change.HTTP)
	sent := r.send(ctx, h, trace.NewTraceID())
	sent.Path = change.Path
	watch.during = append(watch.during, duringSent{change, sent})
	return r.accept(ctx, h, sent)
}

// awaitEvents reads the events that h.Events lists.
func awaitEvents(h *HTTP, events *bufio.Reader, sent *Sent) error {
	for _, want := range h.Events {
		event, err := events.ReadBytes('\n')
		if err != nil {
			return message.Errorf("waiting for an event %s: %w", want, err)
		}
		var got struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(event, &got); err != nil {
			return message.Errorf("reading an event of the watch: expected %s: %w", want, err)
		}
		if got.Type != want {
			return message.Errorf("the watch sent an event %s, expected %s: %s", got.Type, want, beginning(event))
		}
		sent.Body = append(sent.Body, event...)
	}
	return nil
}
