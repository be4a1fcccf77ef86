package terminal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testLibrary is a Library of the embedded recordings. Each line of a source
// file has the file's name.
type testLibrary struct{}

func (testLibrary) Scenarios() []string {
	return []string{"create-deployment", "deployment-to-pod", "get-forbidden", "get-node"}
}
func (testLibrary) Releases() []string { return []string{"v1.37.1", "v1.36.3", "v1.30.4"} }
func (testLibrary) Load(scenario, release string) (*trace.Recording, error) {
	return recordings.Load(release, scenario)
}
func (testLibrary) Find(text, lang string) ([]Found, error) { return (*Local)(nil).Find(text, lang) }
func (testLibrary) Guide(lang string, recs ...*trace.Recording) (view.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return guide.ForReader(lang, recs...), nil
}
func (testLibrary) Source(_ *trace.Recording, call *trace.Call) (string, error) {
	if strings.Contains(call.File, "etcd") {
		return "", errors.New("not here")
	}
	return strings.Repeat("// "+call.File+"\n", 2000), nil
}
func (testLibrary) SourceDiff(a, b *trace.Recording, callA, callB *trace.Call, _ source.DiffOptions) (string, error) {
	return fmt.Sprintf("--- %s %s\n+++ %s %s\n@@ -1,2 +1,2 @@\n first\n-old\n+new\n@@ -%d,200 +%d,200 @@\n the hunk of the selected call\n",
		a.K8sVersion, callA.Function, b.K8sVersion, callB.Function, callA.Line, callB.Line), nil
}
func (testLibrary) Replay(context.Context, string, string) (*trace.Recording, error) {
	return nil, errors.New("no server runs")
}
func (testLibrary) Editor(*trace.Recording, *trace.Call, int) (*exec.Cmd, error) {
	return nil, errors.New("no editor")
}

func open(t testing.TB, scenario string, width, height int) *Model {
	t.Helper()
	return openIn(t, "v1.37.1", scenario, width, height)
}

// openIn opens the recording of a scenario in a release.
func openIn(t testing.TB, release, scenario string, width, height int) *Model {
	t.Helper()
	rec, err := recordings.Load(release, scenario)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(testLibrary{}, rec, Options{Lang: "en", Steps: 48, Now: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	_, cmd := m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	settle(m, cmd)
	return m
}

// press types keys and runs their commands.
func press(m *Model, keys ...string) {
	for _, key := range keys {
		msg := tea.KeyPressMsg{Text: key}
		switch code := []rune(key)[0]; {
		case len(key) == 1:
			msg.Code = code
		default:
			msg.Text = ""
			msg.Code = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "left": tea.KeyLeft, "right": tea.KeyRight, "end": tea.KeyEnd, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp}[key]
		}
		_, cmd := m.Update(msg)
		settle(m, cmd)
	}
}

// settle runs a command, and the commands that follow from it. The ticks of a
// job are left out.
func settle(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, ticked:
	case tea.BatchMsg:
		for _, c := range msg {
			settle(m, c)
		}
	default:
		_, next := m.Update(msg)
		settle(m, next)
	}
}

func TestScreens(t *testing.T) {
	for name, test := range map[string]struct {
		scenario      string
		width, height int
		keys          []string
	}{
		"first":      {"get-node", 80, 24, nil},
		"wide":       {"create-deployment", 120, 40, []string{"1"}},
		"source":     {"get-node", 80, 24, []string{"1", "}", "}", "}", "}", "j"}},
		"values":     {"get-node", 100, 24, []string{"2", "/", "v", "i", "s", "i", "t", "enter"}},
		"notes":      {"get-node", 80, 24, []string{"3"}},
		"json":       {"get-node", 80, 24, []string{"4"}},
		"no-source":  {"get-node", 80, 24, []string{"1", "/", "L", "i", "n", "e", "a", "r", "enter"}},
		"unfolded":   {"get-node", 80, 24, []string{"right", "right"}},
		"closed":     {"get-node", 80, 24, []string{"z"}},
		"everything": {"get-node", 80, 24, []string{"f"}},
		"filter":     {"get-node", 80, 24, []string{"&", "e", "t", "c", "d", "3", "enter"}},
		"stepped":    {"get-node", 80, 24, []string{"2", "s", "s", "s", "s", "x", "d", "S"}},
		"error":      {"get-forbidden", 80, 24, []string{"e", "2"}},
		"failed":     {"create-exists", 80, 24, nil},
		"shifted":    {"get-node", 80, 24, []string{"1", ".", "."}},
		"help":       {"get-node", 80, 24, []string{"?"}},
		"pick":       {"get-node", 80, 24, []string{"p", "f", "o"}},
		"picked":     {"get-node", 80, 24, []string{"p", "f", "o", "enter"}},
		"release":    {"get-node", 80, 24, []string{"R", "3", "6", "enter"}},
		"diff":       {"get-node", 80, 24, []string{"=", "3", "0", "enter"}},
		"diff-next":  {"get-node", 120, 40, []string{"=", "3", "0", "enter", "v", "v", "v"}},
		"diff-sides": {"get-node", 120, 40, []string{"=", "3", "0", "enter", "v", "|", "1"}},
		"diff-left":  {"get-node", 80, 24, []string{"=", "3", "0", "enter", "v", "v", "esc"}},
		"diff-small": {"create-deployment", 80, 24, []string{"=", "3", "0", "enter", "V", "L"}},
		"replay":     {"get-node", 80, 24, []string{"r"}},
		"chinese":    {"get-node", 80, 24, []string{"L", "3"}},
		"small":      {"get-node", 30, 5, nil},

		"story":          {"deployment-to-pod", 80, 24, nil},
		"story-wide":     {"deployment-to-pod", 120, 40, []string{"e"}},
		"story-60":       {"deployment-to-pod", 60, 20, []string{"j", "j", "j"}},
		"story-40":       {"deployment-to-pod", 40, 16, []string{"pgdown"}},
		"story-end":      {"deployment-to-pod", 80, 24, []string{"end"}},
		"story-found":    {"deployment-to-pod", 80, 24, []string{"/", "b", "i", "n", "d", "s", "enter", "n"}},
		"story-opened":   {"deployment-to-pod", 120, 40, []string{"j", "j", "enter", "1"}},
		"story-opened60": {"deployment-to-pod", 60, 20, []string{"j", "j", "enter"}},
		"story-chinese":  {"deployment-to-pod", 50, 20, []string{"L", "j", "j"}},
		"story-help":     {"deployment-to-pod", 80, 24, []string{"?"}},
		"requests-pick":  {"deployment-to-pod", 80, 24, []string{"P", "4", "0", "9"}},
		"nothing":        {"get-node", 0, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, test.scenario, test.width, test.height)
			press(m, test.keys...)
			screen := m.screen()
			lines := strings.Split(screen, "\n")
			if test.width >= 40 {
				if len(lines) != test.height {
					t.Errorf("the screen has %d lines, expected %d", len(lines), test.height)
				}
				for _, line := range lines {
					if width := lipgloss.Width(line); width > test.width {
						t.Errorf("a line has %d columns, expected at most %d: %q", width, test.width, line)
					}
				}
			}
			golden(t, name, screen)
		})
	}
}

// golden compares a screen with the screen in testdata.
func golden(t *testing.T, name, screen string) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\x1b", "␛")
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./ui/terminal -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./ui/terminal -update writes it anew); got:\n%s", file, got)
	}
}

// TestClosedSectionsShowTimes checks that each closed section has the time of its first step, and
// that the table of the layers has the own times.
func TestClosedSectionsShowTimes(t *testing.T) {
	m := open(t, "create-deployment", 80, 30)
	press(m, "z")
	story := m.forest.story
	for at, r := range m.forest.rows {
		if r.kind != rowHeading {
			continue
		}
		section := story.Sections[r.section]
		want := story.Time(section.Root, m.signs())
		if row := m.rowLine(at, 80); !strings.Contains(row, " "+want) {
			t.Errorf("the closed section is %q, expected %q in it", row, want)
		}
	}
	if m.status == "" {
		t.Error("the status does not explain the times")
	}
	press(m, "T")
	if shown := m.screen(); !strings.Contains(shown, "LAYER") || !strings.Contains(shown, "Admission, kube-apiserver") {
		t.Errorf("got\n%s\nexpected the table of the layers", shown)
	}
}

// TestSourceOfTheErrorsLine shows the source of the call that made the error of the request: it
// begins at the line that made the error.
func TestSourceOfTheErrorsLine(t *testing.T) {
	m := open(t, "create-exists", 160, 40)
	press(m, "e", "1")
	if shown := m.screen(); !strings.Contains(shown, "the error was born at") || !strings.Contains(shown, "etcd3/store.go:336") {
		t.Errorf("got\n%s\nexpected the source at store.go:336", shown)
	}
}

// TestNoLinkToWhatCameAfterwards checks that no row leads to a section that no call made: it took
// up the event of the write.
func TestNoLinkToWhatCameAfterwards(t *testing.T) {
	m := open(t, "create-deployment", 120, 40)
	afterwards := 0
	for _, r := range m.forest.rows {
		if !m.forest.story.Sections[r.section].Root.Afterwards {
			continue
		}
		if afterwards++; r.kind == rowLink {
			t.Errorf("a row leads to section %d", r.section+1)
		}
	}
	if afterwards == 0 {
		t.Error("got no section of what came afterwards")
	}
}

// TestFilterWithoutMatchKeepsTheCall checks that the selected call is selected
// again after a filter without matches.
func TestFilterWithoutMatchKeepsTheCall(t *testing.T) {
	m := open(t, "get-node", 80, 24)
	press(m, "j", "j", "j")
	call := m.call()
	press(m, "&", "q", "q", "q", "enter", "esc")
	if m.forest.only != nil || call == 0 || m.call() != call {
		t.Errorf("call %d is selected, expected %d", m.call(), call)
	}
}

// TestFailureComesFirst checks that the tree of a failed request begins with the
// path of its error, and that enter on a sentence leads to its call.
func TestFailureComesFirst(t *testing.T) {
	m := open(t, "create-exists", 100, 30)
	path := m.forest.story.ErrorPath.Steps
	if r := m.row(); m.cursor != 0 || r.kind != rowFailure || int(r.call) != path[0].Call {
		t.Errorf("row %d, %+v, is selected at first, expected the origin of the error, call %d", m.cursor, r, path[0].Call)
	}
	press(m, "enter")
	if r := m.row(); r.kind != rowStep || int(r.call) != path[0].Call {
		t.Errorf("enter leads to %+v, expected call %d", r, path[0].Call)
	}
	for _, s := range path[1:] {
		press(m, "e")
		if m.call() != s.Call {
			t.Errorf("e leads to call %d, expected %d, %s", m.call(), s.Call, s.Text)
		}
	}
}

// TestErrorsInOrder checks that e goes along the path of the error, step by
// step, and then to the calls where other errors began. None of the latter may
// pass on the error of a callee.
func TestErrorsInOrder(t *testing.T) {
	for _, scenario := range []string{"create-exists", "get-forbidden", "get-node", "create-deployment"} {
		m := open(t, scenario, 100, 30)
		steps, others := 0, m.forest.story.OtherErrors()
		if path := m.forest.story.ErrorPath; path != nil {
			steps = len(path.Steps)
		}
		if scenario == "create-exists" && len(others) == 0 {
			t.Fatal("create-exists has only the errors on its error path, expected others, too")
		}
		for range 2 { // e wraps around the end
			for i := range steps {
				press(m, "e")
				if want := m.forest.story.ErrorPath.Steps[i].Call; m.call() != want || m.status != fmt.Sprintf("step %d of %d on the path of the error", i+1, steps) {
					t.Errorf("%s: step %d: e leads to call %d, expected %d; the status is %q", scenario, i+1, m.call(), want, m.status)
				}
			}
			for i, want := range others {
				press(m, "e")
				if m.call() != want || m.status != fmt.Sprintf("error %d of %d that did not make the request fail", i+1, len(others)) {
					t.Errorf("%s: error %d: e leads to call %d, expected %d; the status is %q", scenario, i+1, m.call(), want, m.status)
				}
			}
		}
		tree := m.forest.tree
		for _, i := range others {
			for below := i + 1; below < tree.End(i); below++ {
				if text := tree.Call(below).Error; text != "" && tree.Parent(below) == i && strings.Contains(tree.Call(i).Error, text) {
					t.Errorf("%s: an error is said to begin in call %d, but the call passed on the error of call %d", scenario, i, below)
				}
			}
			if path := m.forest.story.ErrorPath; path != nil && slices.ContainsFunc(path.Steps, func(s view.ErrorStep) bool { return s.Text.String() == tree.Call(i).Error }) {
				t.Errorf("%s: call %d is said not to make the request fail, but it has the error of the request, %q", scenario, i, tree.Call(i).Error)
			}
		}
	}
}

// TestErrorPathWithACallTwice checks that e continues after a call that occurs
// in two steps of the path.
func TestErrorPathWithACallTwice(t *testing.T) {
	m := open(t, "create-exists", 100, 30)
	path := m.forest.story.ErrorPath
	path.Steps = slices.Insert(path.Steps, 1, path.Steps[0])
	for i := range path.Steps {
		press(m, "e")
		if want := path.Steps[i].Call; m.call() != want || !strings.HasPrefix(m.status, fmt.Sprintf("step %d of %d ", i+1, len(path.Steps))) {
			t.Errorf("step %d: e leads to call %d, expected %d; the status is %q", i+1, m.call(), want, m.status)
		}
	}
}

// TestRowsAreTheStepsOfShow checks that the rows show the same as "apitrace show":
// names, values, times, and the numbers of equal and of folded calls.
func TestRowsAreTheStepsOfShow(t *testing.T) {
	for _, scenario := range []string{"create-deployment", "create-exists", "get-node", "watch-pods", "boot"} {
		m := open(t, scenario, 120, 40)
		doc, err := view.NewTrace(m.rec, 0, m.guide, view.Options{Choice: view.Choice{Most: m.options.Steps}})
		if err != nil {
			t.Fatal(err)
		}
		type shown struct {
			name, time, values string
			calls, folded      int
		}
		valuesOf := func(values []view.Value, plugins []view.PluginLine) (line string) {
			for _, v := range values {
				line += "  " + v.Text
			}
			for _, p := range plugins {
				line += "  " + p.Text
			}
			return line
		}
		want, links := map[int]shown{}, map[int]string{}
		var add func(s *view.TraceStep)
		add = func(s *view.TraceStep) {
			want[s.Call] = shown{s.Name, s.Time, valuesOf(s.Values, s.Plugins), max(1, len(s.Calls)), s.Folded}
			for i := range s.Children {
				if child := &s.Children[i]; child.Section > 0 {
					links[child.Call] = child.Time
				} else {
					add(child)
				}
			}
		}
		for i := range doc.Sections {
			add(&doc.Sections[i].Root)
		}
		steps := 0
		for _, r := range m.forest.rows {
			switch r.kind {
			case rowLink:
				if time, ok := links[int(r.call)]; ok && m.time(r) != time {
					t.Errorf("%s: the link to call %d shows %s, expected %s", scenario, r.call, m.time(r), time)
				}
			case rowStep:
				steps++
				plugin, values := m.rowValues(r)
				if plugin != "" {
					values = "  plugin=" + plugin + values
				}
				if got := (shown{m.forest.textOf(r.call).Name, m.time(r), values, len(m.forest.callsOf(r.call)), int(r.folded)}); got != want[int(r.call)] {
					t.Errorf("%s: the row of call %d, %s, shows %+v, expected %+v", scenario, r.call, m.forest.tree.Call(int(r.call)).ShortName(), got, want[int(r.call)])
				}
			}
		}
		if steps != len(want) {
			t.Errorf("%s: %d rows of steps, expected %d", scenario, steps, len(want))
		}
	}
}

// TestOpenedRowOfSeveralCalls opens a row of several calls. Each call must get a
// row of its own, and its callees must be below it.
func TestOpenedRowOfSeveralCalls(t *testing.T) {
	m := open(t, "create-deployment", 120, 40)
	at := slices.IndexFunc(m.forest.rows, func(r row) bool { return r.kind == rowStep && len(m.forest.callsOf(r.call)) > 1 })
	if at < 0 {
		t.Fatal("create-deployment has no row of several calls")
	}
	m.cursor = at
	calls := slices.Clone(m.forest.callsOf(m.row().call))
	press(m, "right")
	for _, call := range calls {
		r := m.forest.at[call]
		if r < 0 || len(m.forest.callsOf(int32(call))) != 1 {
			t.Fatalf("after right, call %d has no row of its own", call)
		}
		if below := m.forest.tree.End(call) - call - 1; int(m.forest.rows[r].folded) != below {
			t.Errorf("call %d has %d folded calls below, expected %d", call, m.forest.rows[r].folded, below)
		}
	}
	m.cursor = int(m.forest.at[calls[1]])
	press(m, "right")
	for child := range m.forest.tree.Children(calls[1]) {
		if r := m.forest.at[child]; r <= m.forest.at[calls[1]] || len(calls) > 2 && r >= m.forest.at[calls[2]] {
			t.Errorf("call %d is in row %d, which is not below its caller", child, r)
		}
	}
}

// TestPluginsHaveNames checks that the one row of all admission plugins contains
// their names, in the tree and in the pane of values. After the row is opened, each
// plugin's row must contain the plugin's name, even on a narrow screen.
func TestPluginsHaveNames(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		m := open(t, "create-deployment", width, 24)
		at := slices.IndexFunc(m.forest.rows, func(r row) bool { return r.kind == rowStep && len(m.forest.callsOf(r.call)) > 1 })
		if at < 0 {
			t.Fatal("create-deployment has no row of several calls")
		}
		m.cursor = at
		if row := ansi.Strip(m.rowLine(at, 200)); !strings.Contains(row, "admission plugin ×20") || !strings.Contains(row, "accepted after calls of other code: NamespaceLifecycle") {
			t.Errorf("the row of all plugins is %q, expected their number and names", row)
		}
		m.pane = paneValues
		if pane := strings.Join(m.paneLines(60, 20), " "); !strings.Contains(pane, "MutatingAdmissionWebhook") {
			t.Errorf("the values of the row of all plugins are %q, expected MutatingAdmissionWebhook", pane)
		}
		m.pane = paneNone
		calls := slices.Clone(m.forest.callsOf(m.row().call))
		press(m, "right")
		for _, call := range calls {
			name := m.forest.tree.Call(call).Attributes[trace.AttrAdmissionPlugin]
			row := ansi.Strip(m.rowLine(int(m.forest.at[call]), width))
			if want := ".Admit " + name; name == "" || !strings.Contains(row, name[:min(len(name), 20)]) || width >= 120 && !strings.Contains(row, want) {
				t.Errorf("%d columns: row %q lacks %s", width, row, want)
			}
		}
	}
}

// TestFoundPluginIsInOrder checks that a search for a plugin divides the row of all plugins, so that
// the order of the rows is that of the calls.
func TestFoundPluginIsInOrder(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	press(m, "/")
	press(m, strings.Split("PodGroupProtection", "")...)
	press(m, "enter")
	if call := m.forest.tree.Call(m.call()); call.Attributes[trace.AttrAdmissionPlugin] != "PodGroupProtection" {
		t.Fatalf("%+v is found", call)
	}
	plugins, rows, last := 0, 0, -1
	for _, r := range m.forest.rows {
		if r.kind != rowStep || m.forest.tree.Call(int(r.call)).Attributes[trace.AttrAdmissionPlugin] == "" || r.section != m.row().section {
			continue
		}
		rows++
		for _, call := range m.forest.callsOf(r.call) {
			if plugins++; call < last {
				t.Errorf("call %d is in a row below call %d", call, last)
			}
			last = call
		}
	}
	if rows != 3 || plugins != 20 {
		t.Errorf("%d rows have %d plugins, expected 3 rows with 20 plugins", rows, plugins)
	}
}

// TestUnfinishedCallIsMarked checks that ">" marks a call that had not
// returned: before its time in its row and below the tree, and in a
// narrow tree without times.
func TestUnfinishedCallIsMarked(t *testing.T) {
	m := open(t, "boot", 80, 24)
	m.goTo(0)
	m.follow()
	lines := strings.Split(m.screen(), "\n")
	row := m.rowLine(m.cursor, 80)
	if !m.forest.tree.Call(0).Unfinished || !strings.Contains(row, ">"+view.SignsFor(false).Duration(m.forest.tree.Call(0).DurationNs)) {
		t.Errorf("the row of an unfinished call is %q, expected > before its time", row)
	}
	if bar := lines[len(lines)-2]; !strings.Contains(bar, ", >") {
		t.Errorf("the line with the time below the tree is %q, expected > before the time", bar)
	}
	press(m, "2")
	if row := ansi.Strip(m.rowLine(m.cursor, m.treeWidth())); !strings.HasPrefix(row, ">") {
		t.Errorf("the row of an unfinished call in a narrow tree is %q, expected it to begin with >", row)
	}
}

// TestBeginsAtTheFirstRow checks that the screen begins with row 0, and that a visible
// row is selected: the first step or the error path, or else row 0.
func TestBeginsAtTheFirstRow(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 50}} {
		for scenario, want := range map[string]rowKind{"boot": rowStep, "get-node": rowStep, "create-exists": rowFailure} {
			m := open(t, scenario, size[0], size[1])
			if m.top != 0 || m.cursor >= m.treeHeight() {
				t.Errorf("%s at %v: the screen begins with row %d, and row %d is selected, expected row 0 and a visible row", scenario, size, m.top, m.cursor)
			}
			if kind := m.row().kind; kind != want && m.cursor != 0 {
				t.Errorf("%s at %v: row %d of kind %d is selected, expected kind %d", scenario, size, m.cursor, kind, want)
			}
		}
	}
}

// TestHeadingIsAtTheTop checks that the keys for the next and previous layer put the
// layer's heading at the top of the screen.
func TestHeadingIsAtTheTop(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	for _, key := range strings.Fields("} } } { }") {
		press(m, key)
		if m.row().kind != rowHeading || m.top != m.cursor {
			t.Errorf("after %s row %d is selected, and the screen begins with row %d, expected one heading for both", key, m.cursor, m.top)
		}
	}
}

// TestSectionsSayWhatShowSays checks that each heading is followed by the
// sentences, or the role, that "apitrace show" prints for the section.
func TestSectionsSayWhatShowSays(t *testing.T) {
	for _, scenario := range []string{"create-deployment", "get-forbidden", "boot"} {
		m := open(t, scenario, 120, 40)
		doc, err := view.NewTrace(m.rec, 0, m.guide, view.Options{Choice: view.Choice{Most: m.options.Steps}})
		if err != nil {
			t.Fatal(err)
		}
		roles := 0
		for s, section := range doc.Sections {
			var want string
			for _, sentence := range section.Sentences {
				want += sentence.Text
			}
			if section.Role != "" {
				want += "In general: " + section.Role
				roles++
			}
			var got string
			for _, r := range m.forest.rows {
				if r.section == int32(s) && (r.kind == rowText || r.kind == rowRole) {
					got += r.text
				}
			}
			if squeeze(got) != squeeze(want) {
				t.Errorf("%s: section %d says %q, expected %q", scenario, section.Number, got, want)
			}
		}
		if scenario == "create-deployment" && roles == 0 {
			t.Errorf("%s: no section has a role", scenario)
		}
	}
}

// squeeze removes the blanks and line breaks of a text.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// TestTitleShowsTheStatus checks that a narrow screen cuts the
// path and keeps the status.
func TestTitleShowsTheStatus(t *testing.T) {
	m := open(t, "create-exists", 60, 20)
	if title := m.titleLine(); lipgloss.Width(title) != 60 || !strings.HasSuffix(title, "… → 409") {
		t.Errorf("the title is %q, expected 60 columns that end with the status", title)
	}
}

// TestTitleShowsTheNumber checks that a narrow screen cuts the name of the scenario and the path, and
// keeps the status and the number of the request, also in a comparison of many requests.
func TestTitleShowsTheNumber(t *testing.T) {
	m := open(t, "deployment-to-pod", 50, 20)
	for range 2 {
		for len(m.rec.Requests) < 120 {
			m.rec.Requests = append(m.rec.Requests, m.rec.Requests[0])
		}
		m.inStory, m.request = false, 99
		title := m.titleLine()
		if lipgloss.Width(title) != 50 || !strings.HasSuffix(title, " → 201  (100/120)") || !strings.Contains(title, "POST /") {
			t.Errorf("the title is %q, expected 50 columns that end with the status and the number", title)
		}
		m.rec.Scenario = "a-much-longer-name-of-a-scenario"
	}
}

// TestSidesShowTheNumberOfCalls checks that a row of several calls has their number on each side.
func TestSidesShowTheNumberOfCalls(t *testing.T) {
	m := open(t, "create-deployment", 200, 50)
	press(m, "=", "3", "0", "enter", "|")
	rows := 0
	for at, r := range m.forest.rows {
		calls := len(m.forest.callsOf(r.call))
		if r.kind != rowStep || calls < 2 {
			continue
		}
		rows++
		line, want := ansi.Strip(m.rowLine(at, 200)), 0
		for _, of := range [][]int{m.compared.view.Merged.A, m.compared.view.Merged.B} {
			if of[r.call] != diff.None {
				want++
			}
		}
		if got := strings.Count(line, "×"); got != want {
			t.Errorf("a row of %d calls has the number on %d sides, expected %d: %q", calls, got, want, line)
		}
	}
	if rows == 0 {
		t.Fatal("no row has several calls")
	}
}

// TestStackHasTheLinesOfTheCalls checks that the stack names each caller in full, with the line
// that makes the call, and that no line is wider than the pane.
func TestStackHasTheLinesOfTheCalls(t *testing.T) {
	for _, width := range []int{38, 58, 98} {
		m := open(t, "create-deployment", 80, 24)
		m.selectFunction("k8s.io/apiserver/pkg/registry/rest.BeforeCreate")
		lines := m.stackLines(width)
		for _, line := range lines {
			if lipgloss.Width(line) > width {
				t.Errorf("a line of the stack has %d columns, expected at most %d: %q", lipgloss.Width(line), width, line)
			}
		}
		stack := squeeze(strings.Join(lines, ""))
		tree, call := m.forest.tree, m.call()
		names := m.forest.story.Names
		want := []string{names.Of(tree.Call(call)) + names.Place(tree.Call(call))}
		for ; tree.Parent(call) >= 0; call = tree.Parent(call) {
			if line := tree.Call(call).CallerLine; line > 0 {
				want = append(want, names.Of(tree.Call(tree.Parent(call)))+names.PlaceIn(tree.Call(tree.Parent(call)), line))
			}
		}
		if len(want) < 5 || !strings.HasSuffix(want[1], "store.go:569") {
			t.Fatalf("the recording has the stack %q, expected the line 569 of the caller", want)
		}
		for _, w := range want {
			if !strings.Contains(stack, w) {
				t.Errorf("%d columns: the stack lacks %q:\n%s", width, w, strings.Join(lines, "\n"))
			}
		}
	}
}

// TestOpenedRowsAreOnTheScreen opens the last row on the screen. The rows
// below it must become visible.
func TestOpenedRowsAreOnTheScreen(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	for !(m.cursor == m.top+m.treeHeight()-1 && m.row().kind == rowStep && m.row().folded > 0) {
		if m.cursor == len(m.forest.rows)-1 {
			t.Fatal("no step with folded calls is the last row on the screen")
		}
		press(m, "j")
	}
	press(m, "right", "right")
	if left := m.top + m.treeHeight() - 1 - m.cursor; left < 3 {
		t.Errorf("%d rows are visible below the opened row, expected at least 3", left)
	}
}

// TestComparisonOffersTheReleaseBefore checks that the previous release is the
// first choice.
func TestComparisonOffersTheReleaseBefore(t *testing.T) {
	m := open(t, "get-node", 80, 24)
	press(m, "=")
	if release := m.picker.all[m.picker.list()[m.picker.cursor]]; release != "v1.36.3" {
		t.Errorf("%s is offered, expected v1.36.3", release)
	}
}

// TestComparisonKeepsTheCall checks that a comparison opens at the selected
// call, even if the call is folded there.
func TestComparisonKeepsTheCall(t *testing.T) {
	m := open(t, "get-node", 80, 24)
	press(m, "right", "right", "j")
	name := m.selectedFunction()
	press(m, "=", "3", "0", "enter")
	if m.compared == nil || name == "" || m.selectedFunction() != name {
		t.Errorf("the comparison opens at %q, expected %q", m.selectedFunction(), name)
	}
}

// TestComparisonBeginsAtAChange checks that the first selected row of a comparison has a change of
// behaviour.
func TestComparisonBeginsAtAChange(t *testing.T) {
	for _, scenario := range []string{"get-node", "create-deployment"} {
		for _, release := range []string{"0", "6"} {
			m := open(t, scenario, 80, 24)
			press(m, "=", "3", release, "enter")
			if m.compared == nil || m.row().kind != rowStep || !m.changed(m.call()) {
				t.Errorf("%s: %+v is selected at first, expected a change", scenario, m.row())
			}
		}
	}
}

// TestComparisonBeginsWithTheOlderRelease checks that side A is the older release, also if
// it is the shown one, and that the shown release comes back afterwards.
func TestComparisonBeginsWithTheOlderRelease(t *testing.T) {
	m := openIn(t, "v1.30.4", "get-node", 80, 24)
	press(m, "=", "3", "7", "enter")
	if c := m.compared; c == nil || c.nameA != "v1.30.4" || c.nameB != "v1.37.1" || c.A.K8sVersion != "v1.30.4" {
		t.Fatalf("the comparison is %+v, expected v1.30.4 with v1.37.1", c)
	}
	press(m, "=")
	if release := m.picker.all[m.picker.list()[m.picker.cursor]]; release != "v1.37.1" {
		t.Errorf("%s is offered, expected v1.37.1", release)
	}
	press(m, "esc")
	press(m, "esc")
	if m.compared != nil || m.rec.K8sVersion != "v1.30.4" {
		t.Errorf("%s is shown after the comparison, expected v1.30.4", m.rec.K8sVersion)
	}
}

// TestSearchFindsTheTitleOfARun checks that the title of a run of functions is found.
func TestSearchFindsTheTitleOfARun(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	press(m, append([]string{"/"}, strings.Split("admission plugin", "")...)...)
	if len(m.matches) < 20 {
		t.Errorf("%d calls are found, expected 20 or more", len(m.matches))
	}
}

// TestSearchFindsTitlesAndSentences checks that the heading of a section, its sentences and the
// steps of the error path are found, also in a closed section, and that a filter leaves them out.
func TestSearchFindsTitlesAndSentences(t *testing.T) {
	for _, closed := range []bool{false, true} {
		for _, test := range []struct {
			scenario, query string
			kind            rowKind
			text            string
		}{
			{"create-deployment", "etcd: gRPC", rowHeading, ""},
			{"create-deployment", "etcd stores it", rowText, "etcd stores it"},
			{"create-exists", "error born", rowFailure, "born"},
		} {
			m := open(t, test.scenario, 80, 24)
			if closed {
				press(m, "z")
			}
			press(m, "/")
			press(m, strings.Split(test.query, "")...)
			press(m, "enter")
			r := m.row()
			if r.kind != test.kind || !strings.Contains(r.text, test.text) {
				t.Errorf("%s: /%s leads to %+v, expected a row of kind %d with %q; the status is %q", test.scenario, test.query, r, test.kind, test.text, m.status)
			}
			if title := m.forest.story.Title(m.forest.story.Sections[r.section], m.guide, "en"); r.kind == rowHeading && title != "etcd: gRPC server" {
				t.Errorf("/%s leads to the heading %q", test.query, title)
			}
		}
	}
	for _, keys := range []string{"", "jjjjjjjj", "}}}}}}}}}}}}"} { // packages have this name, too
		m := open(t, "create-deployment", 80, 24)
		for range keys {
			press(m, keys[:1])
		}
		press(m, "/")
		press(m, strings.Split("Validation", "")...)
		if r := m.row(); r.kind != rowHeading || m.forest.story.Sections[r.section].Layer != "validation" {
			t.Errorf("after %q, /Validation leads to %+v, expected the heading", keys, r)
		}
	}
	m := open(t, "create-deployment", 80, 24)
	press(m, "/", "e", "t", "c", "d", "enter")
	visited := map[spot]bool{}
	for range m.matches {
		press(m, "n")
		visited[m.selection()] = true
	}
	if len(visited) != len(m.matches) {
		t.Errorf("n has visited %d of %d matches", len(visited), len(m.matches))
	}
	press(m, "esc", "&", "e", "t", "c", "d", ":")
	if len(m.matches) > 0 {
		t.Errorf("the filter selects %v, expected no title", m.matches)
	}
}

// TestStoredIsShown checks that the change in etcd is said above the first heading and at the end,
// as "apitrace show" says it, that a search from the first row finds it first, and that enter leads
// to the call that made the change.
func TestStoredIsShown(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	doc, err := view.NewTrace(m.rec, 0, m.guide, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []rowKind{rowStored, rowLast} {
		var got string
		for _, r := range m.forest.rows {
			if r.kind == kind {
				got += r.text
			}
		}
		if want := strings.Join(doc.Stored, ""); want == "" || squeeze(got) != squeeze(want) {
			t.Errorf("the rows of kind %d say %q, expected %q", kind, got, want)
		}
	}
	press(m, "/")
	press(m, strings.Split("/registry", "")...)
	press(m, "enter")
	if r := m.row(); r.kind != rowStored {
		t.Errorf("/registry leads to %+v at first, expected the change in etcd", r)
	}
	for _, keys := range [][]string{{"enter"}, {"G", "enter"}} { // from the found row, and from the last one
		press(m, keys...)
		if call := m.forest.tree.Call(m.call()); m.row().kind != rowStep || call.Attributes[trace.AttrEtcdTxnSucceeded] != "true" {
			t.Errorf("enter leads to %s, expected the write in etcd", call.Function)
		}
	}
}

// TestComparisonSaysWhy checks that the part below the tree has the sentences of "apitrace diff":
// about the selected change, and on a heading about all changes of the layer.
func TestComparisonSaysWhy(t *testing.T) {
	m := openIn(t, "v1.31.0", "list-nodes", 120, 40)
	rec, err := recordings.Load("v1.30.4", "list-nodes")
	if err != nil {
		t.Fatal(err)
	}
	m.take(m.drafter().comparison(rec, m.rec, "v1.30.4", "v1.31.0", m.rec, 0))
	for _, lang := range []string{"en", "zh"} {
		guide, err := testLibrary{}.Guide(lang, rec, m.rec)
		if err != nil {
			t.Fatal(err)
		}
		comparer, err := view.NewComparer(m.compared.Comparison, guide, view.ComparisonOptions{Options: view.Options{Lang: lang}, NameA: "v1.30.4", NameB: "v1.31.0"})
		if err != nil {
			t.Fatal(err)
		}
		below := func() string { return squeeze(ansi.Strip(strings.Join(m.belowLines(120, 40), ""))) }
		layers := 0
		for _, layer := range comparer.Pair(0).Comparison(view.Choice{}).Layers {
			for _, sentence := range layer.Sentences {
				m.goTo(sentence.Call)
				for _, want := range append([]string{sentence.Text}, sentence.Evidence...) {
					if got := below(); !strings.Contains(got, squeeze(want)) {
						t.Errorf("below the tree is %q, expected %q", got, want)
					}
				}
			}
			at := slices.IndexFunc(m.forest.rows, func(r row) bool {
				return r.kind == rowHeading && m.forest.story.Sections[r.section].Layer == layer.Name
			})
			if at < 0 || len(layer.Sentences) == 0 {
				continue
			}
			layers++
			m.cursor = at
			for _, sentence := range layer.Sentences {
				if got := below(); !strings.Contains(got, squeeze(sentence.Text)) {
					t.Errorf("on the heading of %s, below the tree is %q, expected %q", layer.Title, got, sentence.Text)
				}
			}
		}
		if layers == 0 {
			t.Error("no layer has a section")
		}
		press(m, "L")
	}
}

// TestComparisonSaysWhatBroughtACall checks that a call without a sentence of its own, below a call
// that only one side makes, has the sentences about the latter.
func TestComparisonSaysWhatBroughtACall(t *testing.T) {
	m := openIn(t, "v1.31.0", "list-nodes", 120, 40)
	rec, err := recordings.Load("v1.30.4", "list-nodes")
	if err != nil {
		t.Fatal(err)
	}
	m.take(m.drafter().comparison(rec, m.rec, "v1.30.4", "v1.31.0", m.rec, 0))
	m.selectFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).WaitUntilFreshAndList")
	lines, _ := m.changeLines(120)
	said := strings.Join(lines, "\n")
	for _, want := range []string{"+ only in v1.31.0", "cacher.(*Cacher).GetList calls cacher.(*Cacher).listItems only in v1.31.0"} {
		if !strings.Contains(said, want) {
			t.Errorf("below the tree is %q, expected %q", said, want)
		}
	}
}

// TestLongStatusIsWrapped checks that a status wider than the screen is shown
// in full.
func TestLongStatusIsWrapped(t *testing.T) {
	m := open(t, "get-node", 60, 20)
	m.status = strings.Repeat("no such thing ", 12) + "the end"
	screen := m.screen()
	if lines := strings.Split(screen, "\n"); len(lines) != 20 || !strings.HasSuffix(strings.TrimRight(lines[19], " "), "the end") {
		t.Errorf("the screen has %d lines, expected 20 with the end of the status:\n%s", len(lines), screen)
	}
}

// TestRowsKnowTheirCalls checks after each key that forest.at has the rows of the
// calls, and that the cursor is on the screen.
func TestRowsKnowTheirCalls(t *testing.T) {
	m := open(t, "create-deployment", 80, 24)
	for _, key := range strings.Fields("s s s d x c t e w u ] [ } { f z f right left S D X n w w w = 3 0 enter v v V | e t w u right left c f v z ] esc s s") {
		press(m, key)
		for i, r := range m.forest.rows {
			if r.kind == rowStep && m.forest.at[r.call] != int32(i) {
				t.Fatalf("after %q row %d shows call %d, but forest.at has row %d for it", key, i, r.call, m.forest.at[r.call])
			}
		}
		if m.cursor < 0 || m.cursor >= len(m.forest.rows) || m.cursor < m.top || m.cursor >= m.top+m.treeHeight() {
			t.Fatalf("after %q the cursor is on row %d of %d, outside of the screen, which begins at %d", key, m.cursor, len(m.forest.rows), m.top)
		}
	}
}

// TestBindingsAreDistinct checks that no key has two actions, and that every
// action has a description.
func TestBindingsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for i, group := range bindings() {
		if i >= len(groups) { // the story and the list of requests have keys of their own
			clear(seen)
		}
		for _, b := range group.Bindings {
			if b.What.IsZero() {
				t.Errorf("the keys %q have no description", b.Keys)
			}
			for _, key := range b.Keys {
				if other, ok := seen[key]; ok {
					t.Errorf("the key %q does %q and %q, expected one action", key, other, b.What)
				}
				seen[key] = b.What.String()
			}
		}
	}
}

// TestHelpFits checks that the help explains all keys and signs of the tree, at
// any width and in each language, and that no line is too wide.
func TestHelpFits(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for _, width := range []int{40, 60, 80, 120} {
			m := open(t, "get-node", width, 24)
			m.options.Lang = lang
			lines := m.help()
			for _, line := range lines {
				if lipgloss.Width(line) > width {
					t.Errorf("%s: a line of the help has %d columns, expected at most %d: %q", lang, lipgloss.Width(line), width, line)
				}
			}
			all := squeeze(strings.Join(lines, ""))
			for _, group := range groups {
				for _, b := range group.Bindings {
					for _, text := range append([]string{b.What.In(lang)}, b.Keys...) {
						if !strings.Contains(all, squeeze(text)) {
							t.Errorf("%s, %d columns: the help lacks %q", lang, width, text)
						}
					}
				}
			}
			for _, s := range signs() {
				if !strings.Contains(all, squeeze(s.Drawn+s.What.In(lang))) {
					t.Errorf("%s, %d columns: the help lacks the sign %q", lang, width, s.Drawn)
				}
			}
		}
	}
}

// TestDocsListTheBindings checks that the documentation lists the keys and the signs of the
// tables, in each language.
func TestDocsListTheBindings(t *testing.T) {
	listBindings(t, "../../docs/explore.md", "en", "keys", "signs")
	listBindings(t, "../../docs/explore.zh.md", "zh", "按键", "符号")
}

func listBindings(t *testing.T, page, lang, keysTitle, signsTitle string) {
	t.Helper()
	const begin, end = "<!-- keys -->\n", "<!-- end of keys -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s: expected %q and %q", page, begin, end)
	}
	var table strings.Builder
	for _, group := range bindings() {
		fmt.Fprintf(&table, "\n### %s\n\n| %s | |\n| --- | --- |\n", group.Title.In(lang), keysTitle)
		for _, b := range group.Bindings {
			keys := make([]string, len(b.Keys))
			for i, key := range b.Keys {
				keys[i] = "`" + strings.ReplaceAll(key, "|", "\\|") + "`"
			}
			fmt.Fprintf(&table, "| %s | %s |\n", strings.Join(keys, " "), strings.ReplaceAll(b.What.In(lang), "|", "\\|"))
		}
	}
	fmt.Fprintf(&table, "\n### %s\n\n| %s | |\n| --- | --- |\n", saysSigns.In(lang), signsTitle)
	for _, s := range signs() {
		fmt.Fprintf(&table, "| `%s` | %s |\n", s.Drawn, s.What.In(lang))
	}
	want := before + begin + table.String() + "\n" + end + after
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the keys of the table: go test ./ui/terminal -update writes them", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkBoot measures the tree of a server's start with 206,000 calls. The goals are
// 1.5 s to open the tree and 50 ms for a key. Compare them with cpu-ms/op, which is user
// processor time with the garbage collector: other programs may use the machine.
func BenchmarkBoot(b *testing.B) {
	measure := func(name string, do func()) {
		b.Run(name, func(b *testing.B) {
			before := processorTime(b)
			for b.Loop() {
				do()
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	measure("open", func() { _ = open(b, "boot", 100, 40).screen() })
	m := open(b, "boot", 100, 40)
	press(m, "f")
	for _, keys := range []string{"j", "G g", "left right", "f f", "z z", "s", "c", "e", "t", "w"} {
		measure("keys "+keys, func() {
			press(m, strings.Fields(keys)...)
			_ = m.screen()
		})
	}
	measure("search, 3 letters and esc", func() {
		press(m, "/", "R", "E", "S", "esc")
		_ = m.screen()
	})
	measure("filter, 3 letters and esc", func() {
		press(m, "&", "R", "E", "S", "esc")
		_ = m.screen()
	})
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}
