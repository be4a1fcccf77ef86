package session

import (
	"context"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// ending returns two functions for a player to call if the scenario traces a server's
// end. stop tells the server to end. ending adds the trace of the end before the
// requests' traces, and calls traced.
func (s *replay) ending(traced func() error) (stop, ending func(context.Context) error) {
	terminate, program := s.server.Terminate, apiserver.Name
	if s.own {
		terminate, program = s.server.TerminateAggregated, s.server.Aggregated.Name
	}
	var stopped time.Time
	stop = func(context.Context) error {
		stopped = time.Now()
		return terminate()
	}
	ending = func(ctx context.Context) error {
		end, err := s.fetcher.calls(ctx, trace.Sent{TraceID: s.life, Method: trace.MethodStop, Path: program, Boot: true, Stop: stopped})
		if err != nil {
			return err
		}
		s.add(end, "", &s.scenario.Stop.Expect)
		last := len(s.recording.Requests) - 1
		s.recording.Requests = slices.Insert(s.recording.Requests[:last], 0, s.recording.Requests[last])
		s.messages = slices.Insert(s.messages[:last], 0, s.messages[last])
		return traced()
	}
	return stop, ending
}

// reachOwn prepares the player if the scenario traces the end of the user's own server.
// The player then sends its requests to that server, not to the aggregator, and holds a
// watch of one of its resources.
func (s *replay) reachOwn(ctx context.Context, player *scenarios.Player) error {
	url, ca, ok := s.server.AggregatedAddress()
	if !ok || s.scenario.Stop == nil {
		return nil
	}
	player.BaseURL, player.CAPEM = url, ca
	own := s.server.Aggregated
	for _, version := range own.GroupVersions {
		var list metav1.APIResourceList
		if err := s.server.ReadAggregated(ctx, "/apis/"+version, &list); err != nil {
			return message.Errorf("asking %s for its resources: %w", own.Name, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "watch") {
				player.Held = "/apis/" + version + "/" + resource.Name + "?watch=true"
				return nil
			}
		}
	}
	return message.Errorf("the end of %s cannot be traced: it has no resource that can be watched, and only an open watch makes an ending server wait until its calls are collected", own.Name)
}
