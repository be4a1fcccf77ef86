package scenarios

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func parseStop(t *testing.T, more string) (*Scenario, error) {
	t.Helper()
	return parse("mine.yaml", []byte("name: mine\ntitle: {en: mine}\nstop: {}\n"+more), nil)
}

func TestStopRefused(t *testing.T) {
	for more, want := range map[string]string{
		"boot: {program: kube-apiserver}":                               "a scenario traces the start of a server or its end, not both",
		"setup: {aggregated: true}":                                     "could not be removed afterwards",
		"requests: [{method: DELETE, path: /x, status: 200}]":           "a scenario that ends the server only reads",
		"requests: [{method: GET, path: '/${namespace}', status: 200}]": "could not be removed afterwards",
	} {
		if _, err := parseStop(t, more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", more, err, want)
		}
	}
}

// Player.Stop is called before the requests are sent. Player.Ending is called after the
// requests, while the watch is still open.
func TestStop(t *testing.T) {
	s, err := parseStop(t, "requests: [{method: GET, path: /readyz, status: 500, as: admin, traced: true, warmup: []}]")
	if err != nil {
		t.Fatal(err)
	}
	server := newFakeServer(t)
	var did []string
	closed := make(chan struct{}) // closed when the watch has ended
	server.refuse = func(r *http.Request) int {
		if r.URL.Path == "/readyz" {
			did = append(did, "readyz")
			return http.StatusInternalServerError
		}
		return 0
	}
	server.hold = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") == "" {
			return false
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(closed)
		return true
	}
	player := server.player()
	if err := player.Play(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), "which this command does not do") {
		t.Errorf("without Player.Stop: got %v, expected that this command does not end the server", err)
	}
	player.Stop = func(context.Context) error { did = append(did, "stop"); return nil }
	player.Ending = func(context.Context) error {
		select {
		case <-closed:
			t.Error("the player closed the watch before it called Player.Ending")
		default:
		}
		did = append(did, "ending")
		return nil
	}
	after := func(context.Context, *Request, *Sent) error {
		did = append(did, "traced")
		go func() { _ = server.Config.Shutdown(context.Background()) }() // waits for the watch, like kube-apiserver
		return nil
	}
	if err := player.Play(t.Context(), s, after); err != nil {
		t.Fatal(err)
	}
	<-closed
	if want := []string{"stop", "readyz", "traced", "ending"}; !slices.Equal(did, want) {
		t.Errorf("the steps were %q, expected %q", did, want)
	}
}
