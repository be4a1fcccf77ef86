package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// tape is a Recorder. For every request, it returns the recording of get-node.
type tape struct{}

func (tape) Environment() []string { return []string{"KUBECONFIG=/tmp/kubeconfig"} }

func (tape) Read(_ context.Context, rows []session.Row) (*trace.Recording, error) {
	if len(rows) != 1 {
		return nil, fmt.Errorf("Read got %d requests, expected one", len(rows))
	}
	return recordings.Load("v1.37.1", "get-node")
}

// sent returns a request that was sent at a second of a fixed minute.
func sent(second, status int, path string, err error) session.Row {
	return session.Row{Method: "GET", Path: path, Status: status, Calls: 100 * second, Duration: time.Duration(second) * time.Millisecond,
		Start: time.Date(2026, 1, 2, 3, 4, second, 0, time.Local), Err: err}
}

func newList(t *testing.T) (*Requests, *Feed) {
	feed := NewFeed()
	r := NewRequests(testLibrary{}, feed, tape{}, Options{Lang: "en", Steps: 48})
	r.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return r, feed
}

// typeKeys sends keys to the list and runs their commands.
func typeKeys(r *Requests, keys string) {
	for _, key := range strings.Fields(keys) {
		msg := tea.KeyPressMsg{Text: key, Code: []rune(key)[0]}
		if len(key) > 1 {
			msg = tea.KeyPressMsg{Code: map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape}[key]}
		}
		if _, cmd := r.Update(msg); cmd != nil {
			if opened, ok := cmd().(read); ok {
				r.Update(opened)
			}
		}
	}
}

func TestRequestsAreListedOpenedAndLeft(t *testing.T) {
	r, feed := newList(t)
	if screen := r.screen(); !strings.Contains(screen, "export KUBECONFIG=/tmp/kubeconfig") {
		t.Errorf("an empty list does not say how to send requests:\n%s", screen)
	}
	feed.Add(sent(2, 403, "/second", nil))
	feed.Add(sent(1, 200, "/first", nil))
	r.Update(feed.wait())
	feed.Add(sent(3, 0, "/third", errors.New("the probe is gone")))
	r.Update(feed.wait())
	golden(t, "requests", r.screen())

	typeKeys(r, "enter")
	if r.model != nil || !strings.Contains(r.screen(), "no trace: the probe is gone") {
		t.Errorf("a request without a trace was opened:\n%s", r.screen())
	}
	typeKeys(r, "g enter j j")
	if r.model == nil || r.model.cursor != r.model.firstRow()+2 {
		t.Fatalf("after enter j j, expected the first request to be open, with the cursor two rows below its firstRow:\n%s", r.screen())
	}
	feed.Add(sent(4, 200, "/fourth", nil))
	r.Update(feed.wait()) // while another request is open
	typeKeys(r, "q")
	if r.model != nil || r.cursor != 0 || len(r.rows) != 4 {
		t.Errorf("after q, expected the list with request 0 of 4 selected; got request %d of %d:\n%s", r.cursor, len(r.rows), r.screen())
	}
	typeKeys(r, "e")
	if got := r.shown()[r.cursor].Path; got != "/second" {
		t.Errorf("the key e leads to the request %s, expected /second", got)
	}
	typeKeys(r, "/ t h i r")
	golden(t, "requests-filter", r.screen())
	typeKeys(r, "esc ?")
	golden(t, "requests-help", r.screen())
	if _, cmd := r.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd != nil || r.help {
		t.Error("the key q in the help must close the help and do nothing else")
	}
	if _, cmd := r.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd == nil || cmd() != tea.Quit() {
		t.Error("the key q in the list must quit")
	}
}

// TestRequestsFollow checks that the last request stays selected when requests
// arrive. Any other selected request stays selected, too.
func TestRequestsFollow(t *testing.T) {
	r, feed := newList(t)
	for second := range 50 {
		feed.Add(sent(second+1, 200, fmt.Sprint("/", second+1), nil))
		r.Update(feed.wait())
	}
	if r.cursor != 49 || !strings.Contains(r.screen(), "/50") {
		t.Errorf("the last request is not selected:\n%s", r.screen())
	}
	typeKeys(r, "g j")
	feed.Add(sent(0, 200, "/0", nil)) // sent before the others, but ended after them
	r.Update(feed.wait())
	if got := r.shown()[r.cursor].Path; got != "/2" {
		t.Errorf("%s is selected after another request has arrived, expected /2 as before", got)
	}
}
