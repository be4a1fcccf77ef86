package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// TestStoryOpensItsCalls opens each line of a story. The request of the line must be shown with
// the proving call selected in a visible row, and H and esc must lead back to the line.
func TestStoryOpensItsCalls(t *testing.T) {
	for _, scenario := range []string{"deployment-to-pod", "pod-unschedulable"} {
		m := open(t, scenario, 80, 24)
		if !m.inStory {
			t.Fatalf("%s does not begin with its story:\n%s", scenario, m.screen())
		}
		for i, l := range m.story.Lines {
			press(m, "enter")
			r := m.row()
			if m.inStory || m.request != l.Request-1 || r.kind != rowStep || int(r.call) != l.Call || m.cursor < m.top || m.cursor >= m.top+m.treeHeight() {
				t.Errorf("%s: line %d, %q, opens %+v of request %d, expected call %d of request %d", scenario, i, l.Text, r, m.request+1, l.Call, l.Request)
			}
			if screen := m.screen(); !strings.Contains(screen, "H story") {
				t.Errorf("%s: the screen does not name the key of the story:\n%s", scenario, screen)
			}
			press(m, []string{"H", "esc"}[i%2])
			if !m.inStory || m.story.cursor != i {
				t.Fatalf("%s: item %d is selected after line %d was left, expected the line", scenario, m.story.cursor, i)
			}
			press(m, "j")
		}
		if m.story.cursor != len(m.story.Lines) {
			t.Errorf("%s: item %d is selected, expected the first remark, item %d", scenario, m.story.cursor, len(m.story.Lines))
		}
		if press(m, "enter"); !m.inStory || m.status == "" {
			t.Errorf("%s: enter on a remark leads to\n%s", scenario, m.screen())
		}
	}
}

// TestStoryOfAnotherRecording checks that a scenario begins with its story, that another release
// of a scenario shows the tree if the tree was shown, and that a recording without a story has
// none.
func TestStoryOfAnotherRecording(t *testing.T) {
	m := open(t, "deployment-to-pod", 80, 24)
	press(m, "R", "3", "0", "enter")
	if !m.inStory || m.rec.K8sVersion != "v1.30.4" {
		t.Errorf("the story of v1.30.4 is not shown:\n%s", m.screen())
	}
	press(m, "enter", "R", "3", "7", "enter")
	if m.inStory || m.rec.K8sVersion != "v1.37.1" {
		t.Errorf("the tree of v1.37.1 is not shown:\n%s", m.screen())
	}
	press(m, "=", "3", "0", "enter", "H")
	if !m.inStory || m.compared != nil {
		t.Errorf("H in a comparison does not lead to the story:\n%s", m.screen())
	}
	press(m, "p", "n", "o", "d", "e", "enter", "H")
	if m.inStory || m.status != saysNoStory.In("en") {
		t.Errorf("H in get-node leads to\n%s", m.screen())
	}
	press(m, "p", "p", "o", "d", "enter")
	if !m.inStory || m.rec.Scenario != "deployment-to-pod" || m.story.cursor != 0 {
		t.Errorf("deployment-to-pod does not begin with its story:\n%s", m.screen())
	}
}

// TestStoryIsAsWideAsTheScreen checks the width of each row, and that the rows of an item are
// visible when the item is selected.
func TestStoryIsAsWideAsTheScreen(t *testing.T) {
	for _, scenario := range []string{"deployment-to-pod", "deployment-rollout", "namespace-delete"} {
		for _, width := range []int{40, 50, 60, 80, 120} {
			m := open(t, scenario, width, 40)
			for range m.story.names {
				for _, r := range m.story.rows {
					if columns := lipgloss.Width(r.text); columns > width {
						t.Fatalf("%s: a row has %d columns, expected at most %d: %q", scenario, columns, width, r.text)
					}
				}
				screen := ansi.Strip(strings.Join(m.storyLines(), "\n"))
				for _, r := range m.story.rows {
					if r.item == m.story.cursor && !strings.Contains(screen, strings.TrimRight(ansi.Strip(r.text), " ")) {
						t.Errorf("%s, %d columns: the row %q of the selected item is not visible", scenario, width, r.text)
					}
				}
				press(m, "j")
			}
		}
	}
}

// TestStoryPages checks that every row comes on the screen when the user pages down, and that
// paging ends at the first and the last item.
func TestStoryPages(t *testing.T) {
	m := open(t, "deployment-to-pod", 60, 12)
	seen := map[int]bool{}
	for range m.story.rows {
		for i := m.story.top; i < min(len(m.story.rows), m.story.top+m.storyHeight()); i++ {
			seen[i] = true
		}
		press(m, "pgdown")
	}
	if m.story.cursor != len(m.story.names)-1 || len(seen) < len(m.story.rows) {
		t.Errorf("item %d of %d is selected, and %d of %d rows were visible", m.story.cursor, len(m.story.names), len(seen), len(m.story.rows))
	}
	for range m.story.rows {
		press(m, "pgup")
	}
	if m.story.cursor != 0 || m.story.top != 0 {
		t.Errorf("item %d is selected, and row %d is the first, expected 0 for both", m.story.cursor, m.story.top)
	}
}

// TestStoryIsSearched checks that a search selects lines, and that esc selects the line of
// before.
func TestStoryIsSearched(t *testing.T) {
	m := open(t, "deployment-to-pod", 80, 24)
	press(m, "j")
	press(m, strings.Split("/scheduler", "")...)
	matches := len(m.matches)
	if l := m.story.line(); matches < 2 || l == nil || l.Actor != "scheduler" || m.status != fmt.Sprintf("match 1 of %d", matches) {
		t.Errorf("item %d is selected, and the status is %q, expected the first of several lines of the scheduler", m.story.cursor, m.status)
	}
	press(m, "enter", "N")
	if m.status != fmt.Sprintf("match %d of %d", matches, matches) {
		t.Errorf("after N the status is %q, expected the last match", m.status)
	}
	press(m, "g", "/", "q", "q", "esc")
	if m.story.cursor != 0 || m.mode != modeTree {
		t.Errorf("item %d is selected after esc, expected item 0", m.story.cursor)
	}
	press(m, "/", "b", "i", "n", "enter", "enter", "n") // matches of the story are no calls
	if m.inStory || m.status != "" {
		t.Errorf("n in the tree goes to a match of the story: %q", m.status)
	}
}

// TestStoryTakesTheMouse selects a line by a click, opens it by a second click, and scrolls.
func TestStoryTakesTheMouse(t *testing.T) {
	m := open(t, "deployment-to-pod", 80, 24)
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if m.story.cursor != 3 {
		t.Errorf("item %d is selected after the wheel, expected item 3", m.story.cursor)
	}
	click := tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: 3}
	if m.Update(click); m.story.cursor != 1 || !m.inStory {
		t.Errorf("item %d is selected after a click, expected item 1", m.story.cursor)
	}
	if m.Update(click); m.inStory || m.request != m.story.Lines[1].Request-1 {
		t.Errorf("a second click does not open the line:\n%s", m.screen())
	}
}
