package scenarios

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A watch is a request with an endless answer: a line for each event until either side
// hangs up.

// watch sends h, then the requests of h.During, each after the event of the previous one.
// It waits for the events of h.Events, then for the time h.HangUp, and hangs up. It adds
// the events to sent.Body.
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
	if err := awaitEvents(h, events, sent); err != nil || h.HangUp == 0 {
		return err
	}
	return quiet(h, events, hangUp)
}

// quiet hangs up after h.HangUp. If an event comes before that, or the server ends the
// watch, it returns an error.
func quiet(h *HTTP, events *bufio.Reader, hangUp func()) error {
	timer := time.AfterFunc(h.HangUp, hangUp)
	event, err := events.ReadBytes('\n')
	if !timer.Stop() { // the timer's hangUp has ended the reading
		return nil
	}
	if err != nil {
		return message.Errorf("the watch ended before hangUp, %s: %w", h.HangUp, err)
	}
	return message.Errorf("the watch sent an event before hangUp, %s, expected none: %s", h.HangUp, excerpt(h, event))
}

// during sends the requests of h.During and reads their events.
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

// change sends a request during a watch. It adds a traced request to watch.during.
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

// excerpt returns an event's beginning for messages, unless it may hold secrets.
func excerpt(h *HTTP, event []byte) string {
	if (collect.Secrets{}).Hold(h.Path) {
		return "(not shown: the watch is on secrets)"
	}
	return beginning(event)
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
			return message.Errorf("the watch sent an event %s, expected %s: %s", got.Type, want, excerpt(h, event))
		}
		sent.Body = append(sent.Body, event...)
	}
	return nil
}
