package collect

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Following collects the consequences of requests in programs that work because of events.
type Following struct {
	traceID string
	// clients and servers are the sockets of the probes. Clients take events from watches.
	clients, servers map[string]string
	secrets          Secrets
	// givenUp counts the calls that the probes had given up before.
	givenUp map[string]int64
	// waited is how long Await has waited, if not all was over then.
	waited time.Duration
}

// Follow begins to follow in the clients. The caller must call End. traceID is the id of
// the trace that all chains belong to.
func Follow(ctx context.Context, clients, servers map[string]string, traceID string, secrets Secrets) (*Following, error) {
	f := &Following{traceID: traceID, clients: clients, servers: servers, secrets: secrets}
	all, err := f.ask(ctx, probe.Query{Pending: true})
	if err != nil {
		return nil, err
	}
	f.givenUp = all.givenUp
	for _, process := range inOrder(clients, "") {
		if _, err := query(ctx, clients[process], probe.Query{Trace: traceID, Follow: true}); err != nil {
			return nil, message.Errorf("asking the probe of %s to follow: %w", process, err)
		}
	}
	return f, nil
}

// followPoll is how often the programs are asked how far they are.
const followPoll = 100 * time.Millisecond

// followQuiet is how long nothing may begin or end in any program until the work that requests
// cause counts as complete. It is longer than a request and the way of its event take.
const followQuiet = 500 * time.Millisecond

// followOpen is the same time while calls that the requests caused are running. Such a call
// may wait for work that is done once a second, as a kubelet looks at its containers. Others run
// on as long as the program, such as a watch.
const followOpen = 3 * time.Second

// Await waits until nothing that the requests caused is running or about to run, but no
// longer than limit. Timers that are due later do not count.
func (f *Following) Await(ctx context.Context, requests []trace.Request, limit time.Duration) error {
	begun := time.Now()
	end := begun.Add(limit)
	var last progress
	since, peeked := begun, begun // the last change, and the last look at the calls
	for {
		now, err := f.progress(ctx)
		if err != nil {
			return err
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) >= followQuiet && time.Since(peeked) >= followQuiet {
			all, err := f.ask(ctx, probe.Query{Peek: true})
			if err != nil {
				return err
			}
			caused := all.reachable(f.traceID, requests)
			due := slices.ContainsFunc(caused.pending, func(p trace.Pending) bool { return p.Due.Before(end) })
			if !due && (time.Since(since) >= followOpen || !caused.running()) {
				f.waited = 0
				return nil
			}
			peeked = time.Now()
		}
		f.waited = time.Since(begun)
		if !time.Now().Before(end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(followPoll, time.Until(end))):
		}
	}
}

// progress counts the calls in all programs.
type progress struct{ begun, over int64 }

func (f *Following) progress(ctx context.Context) (p progress, err error) {
	for _, sockets := range []map[string]string{f.clients, f.servers} {
		for _, process := range inOrder(sockets, "") {
			a, err := query(ctx, sockets[process], probe.Query{Trace: f.traceID, Pending: true})
			if err != nil {
				return p, message.Errorf("asking the probe of %s how far it is: %w", process, err)
			}
			if a.Progress != nil {
				p.begun, p.over = p.begun+a.Progress.Begun, p.over+a.Progress.Over
			}
		}
	}
	return p, nil
}

// End stops to follow. It returns the events that the requests caused, and the requests that
// programs sent because of these events, in the order of their start. The first of them says
// which parts may be missing.
func (f *Following) End(ctx context.Context, requests []trace.Request) ([]trace.Request, *Check, error) {
	queued, err := f.ask(ctx, probe.Query{Pending: true})
	if err != nil {
		return nil, nil, err
	}
	// A probe does not know which of the calls in its one trace are about secrets. So it is
	// asked twice, the first time without the texts of errors.
	cut := &everything{}
	if !f.secrets.Show {
		if cut, err = f.ask(ctx, probe.Query{Peek: true, Secrets: probe.SecretsCut}); err != nil {
			return nil, nil, err
		}
	}
	all, err := f.ask(ctx, untilSettled(probe.Query{Secrets: probe.SecretsShow}))
	if err != nil {
		return nil, nil, err
	}
	all.queued = queued.queued
	for _, process := range slices.Sorted(maps.Keys(all.givenUp)) {
		if n := all.givenUp[process] - f.givenUp[process]; n > 0 {
			all.incomplete = append(all.incomplete, trace.LacksGivenUp(process, n))
		}
	}
	if f.waited > 0 {
		all.incomplete = append(all.incomplete, trace.LacksLater(f.waited.Round(100*time.Millisecond).String()))
	}
	caused, err := all.reachable(f.traceID, requests).split(f.traceID)
	if err != nil {
		return nil, nil, message.Errorf("the calls that the requests caused are not trees: %w", err)
	}
	for i := range caused {
		if caused[i].IsEvent() {
			continue
		}
		if err := f.finish(ctx, &caused[i], f.secrets.query(caused[i].Path)); err != nil {
			return nil, nil, err
		}
	}
	if !f.secrets.Show {
		f.hide(requests, caused, cut)
	}
	if len(caused) > 0 {
		caused[0].Incomplete = append(caused[0].Incomplete, all.incomplete...)
	}
	return caused, &all.check, nil
}

// finish adds the calls that follow the writes of a caused request in the servers.
func (f *Following) finish(ctx context.Context, r *trace.Request, secrets string) error {
	if err := addTails(ctx, f.servers, r, secrets); err != nil {
		return err
	}
	if err := r.Sort(); err != nil {
		return message.Errorf("the calls of %s %s are not one tree: %w", r.Method, r.Path, err)
	}
	return nil
}

// An everything holds the answers of all programs.
type everything struct {
	calls      []call
	clients    map[string]bool
	queued     []trace.Pending
	incomplete []string
	givenUp    map[string]int64
	check      Check
}

// ask sends a query for the trace to all programs, the clients first.
func (f *Following) ask(ctx context.Context, q probe.Query) (*everything, error) {
	q.Trace = f.traceID
	all := &everything{clients: map[string]bool{}, givenUp: map[string]int64{}}
	for _, sockets := range []map[string]string{f.clients, f.servers} {
		for _, process := range inOrder(sockets, "") {
			_, isClient := f.clients[process]
			all.clients[process] = isClient
			a, err := query(ctx, sockets[process], q)
			if err != nil {
				return nil, message.Errorf("asking the probe of %s what the requests caused: %w", process, err)
			}
			all.add(process, a)
		}
	}
	all.calls = withoutLateCalls(all.calls)
	alignClocks(all.calls)
	return all, nil
}

func (all *everything) add(process string, a *answer) {
	all.incomplete = append(all.incomplete, a.incomplete(process)...)
	all.givenUp[process] = a.Undelivered
	all.check.Calls += a.Checked
	all.check.Mismatches = append(all.check.Mismatches, a.Mismatches...)
	for _, record := range a.records {
		all.calls = append(all.calls, call{process, record})
	}
	if a.Progress == nil {
		return
	}
	for _, w := range a.Progress.Queued {
		p := trace.Pending{Process: process, Queue: w.Queue, Item: trace.KeepableText(w.Key), By: w.By.String()}
		if w.Due != 0 {
			p.Due = time.Unix(0, w.Due)
		}
		all.queued = append(all.queued, p)
	}
}
