package terminal

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/trace"
)

// slow is a testLibrary with replays that end only when their
// context is cancelled.
type slow struct{ testLibrary }

func (slow) Replay(ctx context.Context, _, _ string) (*trace.Recording, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// key sends one key to a model and returns its command.
func key(m *Model, code rune) tea.Cmd {
	msg := tea.KeyPressMsg{Code: code}
	if code < tea.KeyExtended && code >= ' ' {
		msg.Text = string(code)
	}
	_, cmd := m.Update(msg)
	return cmd
}

func lastLine(m *Model) string {
	screen := m.screen()
	return strings.TrimSpace(screen[strings.LastIndex(screen, "\n")+1:])
}

// TestReplayInTheBackground checks that a replay shows its time, does not block
// keys, and ends when it is cancelled.
func TestReplayInTheBackground(t *testing.T) {
	m := open(t, "get-node", 80, 24)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.options.Now = func() time.Time { return now }
	m.lib = slow{}
	batch, ok := key(m, 'r')().(tea.BatchMsg)
	if !ok {
		t.Fatal("the key r starts no commands, expected a replay and its clock")
	}
	results := make(chan tea.Msg)
	go func() { results <- batch[0]() }()
	if got := lastLine(m); got != "replaying get-node … 0.0 s, esc cancels" {
		t.Errorf("at first the status is %q, expected the scenario and 0.0 s", got)
	}
	now = now.Add(1300 * time.Millisecond)
	if _, next := m.Update(ticked{m.job}); next == nil {
		t.Error("the clock stops after the first tick of a running replay")
	}
	if got := lastLine(m); got != "replaying get-node … 1.3 s, esc cancels" {
		t.Errorf("after 1.3 s the status is %q, expected the scenario and 1.3 s", got)
	}
	before := m.cursor
	if key(m, 'j'); m.cursor != before+1 {
		t.Error("the key j does not move the cursor during a replay")
	}
	cancelled := m.job
	if key(m, tea.KeyEscape); m.job != nil || lastLine(m) != "cancelled" {
		t.Errorf("after esc the status is %q, expected \"cancelled\" and no job", lastLine(m))
	}
	result := <-results // comes only because the context is cancelled
	if _, next := m.Update(ticked{cancelled}); next != nil {
		t.Error("the clock goes on after the replay was cancelled")
	}
	if m.Update(result); lastLine(m) != "cancelled" {
		t.Errorf("the result of a cancelled replay changes the status to %q", lastLine(m))
	}
}

// TestLateResultsAreDropped checks that a result is not shown after another job
// was started.
func TestLateResultsAreDropped(t *testing.T) {
	m := open(t, "get-node", 80, 24)
	first, _ := m.load("get-forbidden", "v1.37.1")().(tea.BatchMsg)
	second, _ := m.load("create-deployment", "v1.37.1")().(tea.BatchMsg)
	if len(first) == 0 || len(second) == 0 {
		t.Fatal("load returns no commands")
	}
	settle(m, second[0])
	settle(m, first[0])
	if m.rec.Scenario != "create-deployment" {
		t.Errorf("%s is shown, expected create-deployment, which was loaded last", m.rec.Scenario)
	}
}
