package web_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestRunOpensTheBrowserAtAFile starts the server as
// the command does, with a recording from a file.
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
	said := make(chan string, 10)
	announced, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- run.Serve(ctx, func(address string) { announced <- address }, func(format string, args ...any) { said <- fmt.Sprintf(format, args...) })
	}()
	address := <-announced
	var got []byte
	testenv.Await(t, "the browser is opened", func() bool {
		got, _ = os.ReadFile(opened)
		return len(got) > 0
	})
	server, _, _ := strings.Cut(address, "/?token=")
	// Other users of the machine can see the address that a browser is opened with.
	if !strings.HasPrefix(string(got), server+"/?code=") || strings.Contains(string(got), run.Token) {
		t.Errorf("the browser opened %q, expected an address with a code and without the token %q", got, run.Token)
	}
	checkCode(t, server, string(got), said)
	response, body := send(t, http.MethodGet, server+web.Base+"/scenarios", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+run.Token)
	})
	if response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"handmade-get-node.json"`) {
		t.Errorf("got the status %s: the file is not among the scenarios", response.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// checkCode uses the code in the address of the opened browser:
// once, again as the same browser, and then as another user.
func checkCode(t *testing.T, server, address string, said <-chan string) {
	t.Helper()
	without := func(r *http.Request) { r.Header.Del("Authorization") }
	status := func(address string, edit func(*http.Request)) (*http.Response, int) {
		response, _ := send(t, http.MethodGet, address, edit)
		return response, response.StatusCode
	}
	if _, is := status(server+"/?code=x", without); is != http.StatusUnauthorized {
		t.Errorf("a wrong code: got the status %d, expected 401", is)
	}
	response, is := status(address, without)
	if is != http.StatusSeeOther || len(response.Cookies()) != 1 {
		t.Fatalf("the code: got the status %d and the cookies %v, expected a redirection with one cookie", is, response.Cookies())
	}
	mine := func(r *http.Request) { without(r); r.AddCookie(response.Cookies()[0]) }
	for _, path := range []string{address, server + web.Base + "/releases"} {
		if _, is := status(path, mine); is != http.StatusSeeOther && is != http.StatusOK {
			t.Errorf("%s with the cookie of the code: got the status %d, expected access", path, is)
		}
	}
	if _, is := status(address, without); is != http.StatusUnauthorized {
		t.Errorf("the code, used again by somebody else: got the status %d, expected 401", is)
	}
	if _, is := status(server+web.Base+"/releases", mine); is != http.StatusUnauthorized {
		t.Errorf("the cookie of a code that was used twice: got the status %d, expected 401", is)
	}
	if notice := <-said; !strings.Contains(notice, "used twice") {
		t.Errorf("the user gets the notice %q, expected that the code was used twice", notice)
	}
}
