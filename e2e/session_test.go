package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	clients "github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestSessionInformer checks that client-go's informer works through a front, and that
// its watch ends when the front closes.
func TestSessionInformer(t *testing.T) {
	const namespace = "session"
	s := server(t, traced)
	makeNamespace(t, s, namespace)
	traces := map[string]*trace.Request{}
	var rows []clients.Row
	gathered := clients.New(clients.Options{
		Fetch: func(ctx context.Context, sent trace.Sent) (*trace.Request, error) {
			r, _, err := collect.Request(ctx, s.ProbeSockets, sent)
			return r, err
		},
		Keep: func(_ context.Context, r *trace.Request) (trace.Place, error) {
			traces[r.TraceID] = r
			return trace.Place{}, nil
		},
		Done: func(row clients.Row) { rows = append(rows, row) },
	})
	f, err := front.Start(front.Options{Server: s.BaseURL, CAPEM: s.CAPEM, Token: s.AdminToken, Trace: gathered.Admit, Over: gathered.Over})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: f.URL, BearerToken: f.Token, TLSClientConfig: rest.TLSClientConfig{CAData: f.CAPEM}})
	if err != nil {
		t.Fatal(err)
	}
	events := watchDeployments(t, client, namespace)
	if _, err := client.AppsV1().Deployments(namespace).Create(t.Context(), deployment(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "add web 1")
	if err := client.AppsV1().Deployments(namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "delete web 1")

	// An open watch must not keep the session open.
	closed := make(chan error, 1)
	go func() { closed <- errors.Join(f.Close(), gathered.Close()) }()
	if err := testenv.Receive(t, "the session is closed", closed); err != nil {
		t.Error(err)
	}
	events.stop()
	checkInformerRows(t, rows, len(traces))
	for _, r := range traces {
		if _, err := trace.NewTree(r); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
		}
	}
}

func checkInformerRows(t *testing.T, rows []clients.Row, traces int) {
	t.Helper()
	if len(rows) != traces {
		t.Errorf("%d requests and %d traces, want equal numbers", len(rows), traces)
	}
	seen := map[string]int{}
	for _, row := range rows {
		if row.Err != nil {
			t.Error(row.Err)
		}
		switch {
		case strings.Contains(row.Path, "watch=true"):
			seen["watch"]++
			if !row.HungUp || row.Status != 200 {
				t.Errorf("the watch at the end of the session: want the status 200 and HungUp, got %s", row.String())
			}
		case row.Method == "POST":
			seen["POST"]++
			if row.Etcd["Txn"] != 1 || row.Status != 201 {
				t.Errorf("the creation: want the status 201 and one transaction, got %s", row.String())
			}
		case row.Method == "DELETE":
			seen["DELETE"]++
		}
	}
	if seen["watch"] == 0 || seen["POST"] != 1 || seen["DELETE"] != 1 {
		t.Errorf("saw %v, want a watch, one POST and one DELETE", seen)
	}
}

// TestRunTracedOfAStart replays scenarios that trace the start of a server, alone and
// before requests. Each request of the recording must have a message.
func TestRunTracedOfAStart(t *testing.T) {
	testenv.NeedsServer(t)
	t.Parallel()
	sample, err := scenarios.Find("boot-sample")
	if err != nil {
		t.Fatal(err)
	}
	alone := *sample
	alone.Requests = nil
	for name, scenario := range map[string]*scenarios.Scenario{"with its requests": sample, "alone": &alone} {
		o := clients.ServerOptions{Spec: clients.Spec{Version: apiserver.DefaultVersion}, Reuse: clients.ReuseNone}
		recording, messages, err := clients.RunTraced(t.Context(), o, scenario, silent{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(recording.Requests) == 0 || len(messages) != len(recording.Requests) {
			t.Errorf("%s: got %d requests and %d messages, expected equal numbers, at least 1", name, len(recording.Requests), len(messages))
		}
	}
}

type silent struct{}

func (silent) Notice(string, ...any)           {}
func (silent) Building() clients.BuildReporter { return silent{} }
func (silent) Report(program.Event)            {}
func (silent) Close()                          {}
