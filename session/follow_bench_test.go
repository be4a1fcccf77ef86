package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// BenchmarkDeploymentToRunning compares the time from the POST of a Deployment until its two
// pods run: in a control plane of upstream's own builds, in one of traced builds that traces
// nothing, and in one that traces all that the POST causes. The control planes take turns. Each
// deletes its Deployment, and waits until the pods are gone, before the next turn.
func BenchmarkDeploymentToRunning(b *testing.B) {
	testenv.NeedsServer(b)
	theirs := startPlain(b)
	o := ServerOptions{Spec: Spec{Version: apiserver.DefaultVersion, ControlPlane: true}, Edits: EditsIn(b.TempDir()), Reuse: ReuseNone}
	ctx, ours, err := o.Obtain(b.Context(), &noted{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ours.Close() })
	const turns, warmUps = 15, 2
	var plain, untraced, traced []time.Duration
	calls := 0
	for i := range warmUps + turns {
		theirTime := untilRunning(b, theirs, fmt.Sprintf("plain-%d", i), posted(b, theirs))
		idleTime := untilRunning(b, ours.Server, fmt.Sprintf("untraced-%d", i), posted(b, ours.Server))
		ourTime := untilRunning(b, ours.Server, fmt.Sprintf("traced-%d", i), func(name string) func() {
			over := make(chan error, 1)
			go func() {
				caused, err := followed(ctx, ours, name)
				calls = 0
				for i := range caused {
					calls += len(caused[i].Calls)
				}
				over <- err
			}()
			return func() {
				if err := <-over; err != nil {
					b.Fatal(err)
				}
			}
		})
		if i >= warmUps {
			plain, untraced, traced = append(plain, theirTime), append(untraced, idleTime), append(traced, ourTime)
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return all[len(all)/2].Seconds()
	}
	b.ReportMetric(1e3*median(plain), "plain-ms")
	b.ReportMetric(median(untraced)/median(plain), "untraced/plain")
	b.ReportMetric(median(traced)/median(plain), "traced/plain")
	b.ReportMetric(float64(calls), "calls")
	b.ReportMetric(0, "ns/op")
}

// startPlain builds and starts a control plane of upstream's own programs.
func startPlain(b *testing.B) *apiserver.Server {
	o := apiserver.BuildOptions{Version: apiserver.DefaultVersion, Plain: true}
	built, err := apiserver.BuildPrograms(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	beside, err := controlplane.BuildPrograms(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	server, err := apiserver.Start(b.Context(), built, apiserver.StartOptions{Cluster: controlplane.Cluster()})
	if err != nil {
		b.Fatal(err)
	}
	stop := func(stop func(context.Context) error) {
		b.Cleanup(func() {
			if err := stop(context.Background()); err != nil {
				b.Error(err)
			}
		})
	}
	stop(server.Stop)
	plane, err := controlplane.Start(b.Context(), server, beside)
	if err != nil {
		b.Fatal(err)
	}
	stop(plane.Stop)
	return server
}

// posted returns a function that posts a Deployment without tracing it.
func posted(b *testing.B, server *apiserver.Server) func(name string) func() {
	return func(name string) func() {
		ask(b, server, http.MethodPost, "/apis/apps/v1/namespaces/default/deployments", fmt.Sprintf(deploymentToFollow, name)).Close()
		return func() {}
	}
}

// followed posts a Deployment, and traces all that this causes.
func followed(ctx context.Context, server *Running, name string) ([]trace.Request, error) {
	var body scenarios.Document
	if err := yaml.Unmarshal(fmt.Appendf(nil, deploymentToFollow, name), &body); err != nil {
		return nil, err
	}
	h := &scenarios.HTTP{Method: http.MethodPost, Path: "/apis/apps/v1/namespaces/default/deployments", Body: &body, As: scenarios.Admin}
	return server.Follow(ctx, time.Minute, func() ([]trace.Request, error) {
		recording, _, err := server.Request(ctx, h, time.Minute, &noted{})
		if err != nil {
			return nil, err
		}
		return recording.Requests, nil
	})
}

// untilRunning returns the time from the call of post until both pods of the Deployment run.
// post returns a function that waits for its end. Then untilRunning deletes the Deployment, and
// waits until its pods are gone.
func untilRunning(b *testing.B, server *apiserver.Server, name string, post func(name string) (wait func())) time.Duration {
	watch := ask(b, server, http.MethodGet, "/api/v1/namespaces/default/pods?watch=true&resourceVersion=0&labelSelector=app%3D"+name, "")
	defer watch.Close()
	events := json.NewDecoder(watch)
	phases := map[string]string{} // of the pods that exist, by name
	until := func(reached func() bool) {
		for !reached() {
			var event struct {
				Type   string
				Object struct {
					Metadata struct{ Name string }
					Status   struct{ Phase string }
				}
			}
			if err := events.Decode(&event); err != nil {
				b.Fatalf("the watch of the pods: %v", err)
			}
			phases[event.Object.Metadata.Name] = event.Object.Status.Phase
			if event.Type == "DELETED" {
				delete(phases, event.Object.Metadata.Name)
			}
		}
	}
	begun := time.Now()
	wait := post(name)
	until(func() bool {
		running := 0
		for _, phase := range phases {
			if phase == "Running" {
				running++
			}
		}
		return running == 2
	})
	took := time.Since(begun)
	wait()
	ask(b, server, http.MethodDelete, "/apis/apps/v1/namespaces/default/deployments/"+name, "").Close()
	until(func() bool { return len(phases) == 0 })
	return took
}

// ask sends a request and returns the body of its answer.
func ask(b *testing.B, server *apiserver.Server, method, path, body string) io.ReadCloser {
	client, err := server.Client()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.CloseIdleConnections)
	req, err := http.NewRequestWithContext(b.Context(), method, server.BaseURL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+server.AdminToken)
	req.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		b.Fatalf("%s %s: %s", method, path, answer.Status)
	}
	return answer.Body
}
