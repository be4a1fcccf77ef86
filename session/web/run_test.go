package web_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/session/web"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestRunOpensTheBrowserAtAFile starts the server as the command does, with a recording of the user's own.
func TestRunOpensTheBrowserAtAFile(t *testing.T) {
	folder := t.TempDir()
	script, opened := filepath.Join(folder, "browser"), filepath.Join(folder, "opened")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf %s \"$1\" >\""+opened+".new\" && mv \""+opened+".new\" \""+opened+"\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", script)
	run := web.Run{Listen: "0"}
	if err := run.Add([]string{"../../trace/testdata/handmade-get-node.json"}, trace.Load); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	announced, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- run.Serve(ctx, func(address string) { announced <- address }, t.Errorf)
	}()
	address := <-announced
	var got []byte
	for deadline := time.Now().Add(10 * time.Second); len(got) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		got, _ = os.ReadFile(opened) // which the browser has not written yet
	}
	if string(got) != address {
		t.Errorf("the browser opened %q, expected %q", got, address)
	}
	server, _, _ := strings.Cut(address, "/?token=")
	response, body := send(t, http.MethodGet, server+web.Base+"/scenarios", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+run.Token)
	})
	if response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"handmade-get-node.json"`) {
		t.Errorf("%s: the file is not among the scenarios", response.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
