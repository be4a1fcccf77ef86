package terminal

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// colours matches the escape sequences of colours and links.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\]8;;[!-~]*(?:\a|\x1b\\\\)")

const evil = "evil\x1b]0;owned\a\x1b[2J\u009b31m\u202egpj\u2066\u2028\r\x7f"

// TestHostileRecording checks that hostile texts of a recording are escaped, on
// the screen in each mode and in the window's title.
func TestHostileRecording(t *testing.T) {
	rec, err := recordings.Load("v1.37.1", "create-invalid")
	if err != nil {
		t.Fatal(err)
	}
	rec.Scenario, rec.K8sVersion, rec.EtcdVersion, rec.Edited = evil, "v1.37.1"+evil, evil, []string{evil}
	for i := range rec.Requests {
		r := &rec.Requests[i]
		r.Method, r.Path, r.Incomplete = evil, "/"+evil, []string{evil}
		for j := range r.Calls {
			c := &r.Calls[j]
			if c.Error != "" || j%7 == 0 {
				c.Error, c.Panic = evil, evil
			}
			if j%5 == 0 {
				c.Function, c.File, c.Process = c.Function+evil, evil+c.File, c.Process+evil
			}
			for name := range c.Attributes {
				c.Attributes[name] = evil
			}
			if c.Attributes == nil {
				c.Attributes = map[string]string{evil: evil}
			}
		}
		for j := range r.Stored {
			r.Stored[j].Key = evil
		}
	}
	checkHarmless(t, rec, "?", "esc", "enter", "right", "a", "f", "e", "n", "v", "s", "c", "w", "l", "o", "y", "r", "k", "j", "end", "enter", "i", "d", "b", "esc", "E", "F", "N", "V", "S", "C", "W", "L", "esc", "u", "p", "t", "x", "g", "G", "m", "h")
}

// TestHostileStory checks that hostile texts of a story are escaped, and those of the list of
// requests.
func TestHostileStory(t *testing.T) {
	rec := viewtest.FollowedDeployment()
	rec.Scenario, rec.K8sVersion = evil, "v1.37.1"+evil
	for i := range rec.Requests {
		r := &rec.Requests[i]
		r.Path, r.Incomplete = r.Path+evil, []string{evil}
		for j := range r.Pending {
			r.Pending[j].Item += evil
		}
		for j := range r.Calls {
			c := &r.Calls[j]
			c.Process += evil
			for name := range c.Attributes {
				if name != trace.AttrEtcdTxnSucceeded { // otherwise there would be no write
					c.Attributes[name] += evil
				}
			}
		}
	}
	story := newStoryList(rec, viewtest.ByName{}, "en")
	if told := fmt.Sprint(story.CausalStory); strings.Count(told, evil) < 10 {
		t.Fatalf("the story has too few hostile texts: %q", told)
	}
	checkHarmless(t, rec, "j", "e", "?", "esc", "/", "o", "w", "n", "enter", "N", "L", "enter", "H", "P", "1", "enter", "esc", "G", "enter")
}

// checkHarmless checks the screens of a recording, at the beginning and after each key.
func checkHarmless(t *testing.T, rec *trace.Recording, keys ...string) {
	t.Helper()
	m, err := New(testLibrary{}, rec, Options{Lang: "en", Steps: 48, Now: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	_, cmd := m.Update(tea.WindowSizeMsg{Width: 120, Height: 50})
	settle(m, cmd)
	check := func(what string) {
		t.Helper()
		if lines := strings.Count(m.screen(), "\n") + 1; lines != 50 {
			t.Errorf("%s: the screen has %d lines, expected 50", what, lines)
		}
		view := m.View()
		for name, shown := range map[string]string{"screen": view.Content, "title": view.WindowTitle} {
			plain := colours.ReplaceAllString(shown, "")
			for i, r := range plain {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%s: the %s has a character that is not printable: %q", what, name, plain[max(0, i-40):min(len(plain), i+20)])
					break
				}
			}
		}
	}
	check("at the beginning")
	for _, key := range keys {
		press(m, key)
		check("after " + key)
	}
}
