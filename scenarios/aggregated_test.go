package scenarios

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// An aggregated server starts before the first object is created, and stops after the last
// object is gone.
func TestAggregatedServerOutlivesTheObjects(t *testing.T) {
	server := newFakeServer(t)
	player := server.player()
	note := func(what string) {
		server.mu.Lock()
		defer server.mu.Unlock()
		server.log = append(server.log, what)
	}
	player.Aggregate = func(context.Context) (func(context.Context) error, error) {
		note("start")
		return func(ctx context.Context) error { note("stop"); return ctx.Err() }, nil
	}
	s := find(t, "get-node")
	s.Setup.Aggregated = true
	if err := player.Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	log := server.sent()
	if log[0] != "start" || log[len(log)-1] != "stop" || len(log) < 10 {
		t.Errorf("the log is %q, expected at least 10 lines, \"start\" as the first and \"stop\" as the last", log)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err := player.Play(ctx, s, func(context.Context, *Request, *Sent) error { cancel(); return ctx.Err() })
	if log := server.sent(); err == nil || log[len(log)-1] != "stop" {
		t.Errorf("after a Ctrl-C: got the error %v and the log %q, expected an error, and \"stop\" as the last line", err, log)
	}
}

func TestAggregatedServerThatDoesNotStart(t *testing.T) {
	server := newFakeServer(t)
	s := find(t, "get-node")
	s.Setup.Aggregated = true
	player := server.player()
	if err := player.Play(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), `"get-node" needs an aggregated server`) {
		t.Errorf("without Player.Aggregate: got %v, expected that the scenario needs an aggregated server", err)
	}
	broken := errors.New("no port stayed free")
	player.Aggregate = func(context.Context) (func(context.Context) error, error) { return nil, broken }
	if err := player.Play(t.Context(), s, nil); !errors.Is(err, broken) {
		t.Errorf("got %v, expected the error of Player.Aggregate", err)
	}
	if sent := server.sent(); slices.ContainsFunc(sent, func(line string) bool { return strings.Contains(line, "POST") }) {
		t.Errorf("the player sent %q, expected no POST without the aggregated server", sent)
	}
}
