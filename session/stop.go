package session

import (
	"context"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/trace"
)

// ending returns how the player ends the server of a scenario that traces that, and adds the trace of its end to the
// recording, before those of the requests.
func (s *replay) ending(traced func() error) (stop, ending func(context.Context) error) {
	var asked time.Time
	stop = func(context.Context) error {
		asked = time.Now()
		return s.server.Terminate()
	}
	ending = func(ctx context.Context) error {
		end, err := s.fetcher.calls(ctx, trace.Sent{TraceID: s.life, Method: trace.MethodStop, Path: apiserver.Name, Boot: true, Stop: asked})
		if err != nil {
			return err
		}
		s.add(end, &s.scenario.Stop.Expect)
		last := len(s.recording.Requests) - 1
		s.recording.Requests = slices.Insert(s.recording.Requests[:last], 0, s.recording.Requests[last])
		s.messages = slices.Insert(s.messages, 0, "")
		return traced()
	}
	return stop, ending
}
