package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestStop traces the end of kube-apiserver. It checks that the trace has no calls of the
// start, and that the server then ends by itself.
func TestStop(t *testing.T) {
	t.Parallel()
	scenario, err := scenarios.Find("shutdown")
	if err != nil {
		t.Fatal(err)
	}
	id := trace.NewTraceID()
	s, err := apiserver.Start(t.Context(), buildKind(t, traced), apiserver.StartOptions{Boot: trace.Traceparent(id), Extra: scenario.Setup.Server})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var asked time.Time
	var end *trace.Request
	player := scenarios.Player{
		BaseURL: s.BaseURL, CAPEM: s.CAPEM, AdminToken: s.AdminToken, UserTokens: s.PlayerTokens,
		Stop: func(context.Context) error {
			asked = time.Now()
			return s.Terminate()
		},
		Ending: func(ctx context.Context) (err error) {
			end, _, err = collect.Request(ctx, s.ProbeSockets, trace.Sent{TraceID: id, Method: trace.MethodStop, Path: apiserver.Name, Boot: true, Stop: asked})
			return err
		},
	}
	err = player.Play(t.Context(), scenario, func(ctx context.Context, r *scenarios.Request, sent *scenarios.Sent) error {
		request, _, err := collect.Request(ctx, s.ProbeSockets, trace.Sent{TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status})
		if err != nil {
			return err
		}
		return r.Expect.Check(*request)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := scenario.Stop.Expect.Check(*end); err != nil {
		t.Error(err)
	}
	for _, c := range end.Calls {
		if c.Function == "k8s.io/apiserver/pkg/endpoints.(*APIInstaller).registerResourceHandlers" {
			t.Error("the trace has calls that had returned before the signal")
			break
		}
	}
	testenv.Receive(t, "the server ends after its last connection was closed", s.Done())
}
