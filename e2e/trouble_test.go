package e2e

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestSilentWebhook checks that the player's error names a webhook that never answers,
// and that the player leaves no goroutine behind.
func TestSilentWebhook(t *testing.T) {
	s := server(t, traced)
	scenario, err := scenarios.Find("testdata/silent-webhook.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	r, err := playTrouble(t, s, scenario)
	const want = `answered 500, expected 201: Internal error occurred: failed calling webhook "guard.example.com"`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if r == nil || r.Status != 500 || len(r.Calls) == 0 {
		t.Errorf("expected the trace of the request that failed with 500, got %+v", r)
	}
	testenv.Await(t, "the player's goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// playTrouble plays a scenario that may fail. It returns the trace of the scenario's
// one traced request.
func playTrouble(t *testing.T, s *apiserver.Server, scenario *scenarios.Scenario) (*trace.Request, error) {
	player := scenarios.Player{
		BaseURL: s.BaseURL, CAPEM: s.CAPEM, AdminToken: s.AdminToken, UserTokens: s.PlayerTokens,
		LockFile: filepath.Join(s.RunDir, "play.lock"),
	}
	var r *trace.Request
	err := player.Play(t.Context(), scenario, func(ctx context.Context, _ *scenarios.Request, sent *scenarios.Sent) (err error) {
		r, _, err = collect.Request(ctx, s.ProbeSockets, trace.Sent{TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status})
		return err
	})
	return r, err
}
