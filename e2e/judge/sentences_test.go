package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestSentencesAreTrue checks the sentences about the two newest releases against the index.
func TestSentencesAreTrue(t *testing.T) {
	testenv.Costly(t, "compares the requests of two releases")
	releases := recorded(t)
	a, b := releases[len(releases)-2], releases[len(releases)-1]
	few := b
	few.Scenarios = few.Scenarios[:10] // each is compared with the next one; the slow test has all scenarios
	var tables []table
	for _, release := range releases {
		tables = append(tables, table{release.K8sVersion, indexOf(t, release.K8sVersion).gate})
	}
	judged := judgePair(t, a, b, indexOf(t, a.K8sVersion), indexOf(t, b.K8sVersion), tables, false) +
		judgeScenarios(t, few, indexOf(t, b.K8sVersion), false)
	t.Logf("%d sentences", judged)
	if judged < 500 {
		t.Errorf("%d sentences were judged, expected at least 500", judged)
	}
}

// TestControlPlaneSentencesAreTrue checks the sentences about the scenarios of the control plane
// against the index of their programs' sources: the sentences of compare, and of the stories.
func TestControlPlaneSentencesAreTrue(t *testing.T) {
	testenv.Costly(t, "compares the recordings of the control plane")
	judged := 0
	for _, release := range recorded(t) {
		release.Scenarios = following(t, release)
		if len(release.Scenarios) == 0 {
			continue // a release without recordings of the control plane
		}
		of := indexOf(t, release.K8sVersion)
		judged += judgeScenarios(t, release, of, false) + judgeStories(t, release, of)
	}
	t.Logf("%d sentences", judged)
	if judged < 500 {
		t.Errorf("%d sentences were judged, expected at least 500", judged)
	}
}

// following lists the recorded scenarios that follow their requests in the control plane.
func following(t *testing.T, release recordings.Info) (names []string) {
	t.Helper()
	for _, name := range release.Scenarios {
		s, err := scenarios.Known(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Follow != nil {
			names = append(names, name)
		}
	}
	return names
}

// judgeStories judges each line of the stories of a release, and returns their number. The source
// of the program must have the function of the call that proves the line. Only kube-apiserver
// proves a request, and only another program a decision.
func judgeStories(t *testing.T, release recordings.Info, of source) int {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, scenario := range release.Scenarios {
		rec := load(t, release.K8sVersion, scenario)
		for _, line := range view.NewCausalStory(rec, guide.ForReader("en", rec), "en").Lines {
			n++
			if err := judgeLine(rec, line, of); err != nil {
				t.Errorf("story %s of %s: %q: %v", scenario, release.K8sVersion, line.Actor+": "+line.Text, err)
			}
		}
	}
	return n
}

// judgeLine judges a line of a story.
func judgeLine(rec *trace.Recording, line view.CausalLine, of source) error {
	call := rec.Requests[line.Request-1].Calls[line.Call]
	if _, ok := of.text(call.Process, call.Function); !ok {
		return fmt.Errorf("the source of %s has no %s", call.Process, call.Function)
	}
	if line.Decided == (call.Process == trace.ProcessAPIServer) {
		return fmt.Errorf("a call of %s proves it", call.Process)
	}
	return nil
}

// TestHistoriesAreTrue checks the histories of functions in the three newest releases
// against the index.
func TestHistoriesAreTrue(t *testing.T) {
	testenv.Costly(t, "reads all recordings of three releases")
	p := newPast()
	for _, release := range recorded(t)[len(recorded(t))-3:] {
		p.add(t, release, indexOf(t, release.K8sVersion))
	}
	const nth = 50
	if n := p.judge(t, nth); n < 50 {
		t.Errorf("the histories of %d functions were judged, expected at least 50", n)
	}
}

func recorded(t *testing.T) []recordings.Info {
	t.Helper()
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	return releases
}

// judgePair judges every sentence of diff and history about two releases, and returns
// the number of sentences. It judges starts of programs only if starts is set, because
// they are larger than all other recordings together.
func judgePair(t *testing.T, a, b recordings.Info, sourceA, sourceB source, tables []table, starts bool) int {
	t.Helper()
	n := 0
	for _, scenario := range b.Scenarios {
		if !a.Has(scenario) {
			continue
		}
		was, is := load(t, a.K8sVersion, scenario), load(t, b.K8sVersion, scenario)
		if !starts && is.Requests[0].IsStart() {
			continue
		}
		c := diff.CompareRecordings(was, is, diff.Options{})
		j := newJudge(a.K8sVersion, b.K8sVersion, sourceA, sourceB, was, is)
		j.tables = tables
		n += judgeStatements(t, fmt.Sprintf("diff %s %s %s", scenario, a.K8sVersion, b.K8sVersion), c, j, false)
		n += judgeBrief(t, fmt.Sprintf("history %s: %s", scenario, b.K8sVersion), c, j)
	}
	return n
}

// judgeScenarios judges every sentence of compare about each scenario of a release and
// the next scenario. It returns the number of sentences. It judges starts of programs
// only if starts is set.
func judgeScenarios(t *testing.T, release recordings.Info, of source, starts bool) int {
	t.Helper()
	n := 0
	for i, scenario := range release.Scenarios[1:] {
		first, second := release.Scenarios[i], scenario
		a, b := load(t, release.K8sVersion, first), load(t, release.K8sVersion, second)
		if !starts && (a.Requests[0].IsStart() || b.Requests[0].IsStart()) {
			continue
		}
		c := diff.CompareRecordings(a, b, diff.Options{})
		j := newJudge(first, second, of, of, a, b)
		n += judgeStatements(t, fmt.Sprintf("compare %s %s", first, second), c, j, true)
	}
	return n
}

func load(t *testing.T, release, scenario string) *trace.Recording {
	t.Helper()
	rec, err := recordings.Load(release, scenario)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func guideFor(t *testing.T, c *diff.Comparison) view.Guide {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	return guide.ForReader("en", c.A, c.B)
}

// judgeStatements judges the statements of a comparison, about each change and in the
// summary. It skips statements about functions of programs whose sources are not known.
func judgeStatements(t *testing.T, what string, c *diff.Comparison, j *judge, scenarios bool) int {
	t.Helper()
	reasons, err := diff.NewReasons(c)
	if err != nil {
		t.Fatal(err)
	}
	guide := guideFor(t, c)
	n := 0
	seen := map[string]bool{}
	check := func(st *view.Statement) {
		if j.foreign(st) {
			return
		}
		sentence := fmt.Sprintf("%+v", *st)
		if seen[sentence] {
			return
		}
		seen[sentence] = true
		n++
		if err := j.judge(st); err != nil {
			t.Errorf("%s: %q: %v", what, st.Text(message.Printer{}, func(ns int64) string { return fmt.Sprint(ns) }), err)
		}
	}
	for i := range c.Requests {
		d := c.Requests[i].Diff
		if d == nil {
			continue
		}
		s := view.NewSummary(view.NewDifferences(d, guide), guide, view.SideNames{A: j.a, B: j.b, Scenarios: scenarios}, reasons)
		for _, layer := range s.Layers {
			for i := range layer.Statements {
				check(&layer.Statements[i])
			}
		}
		for i := range s.Changes {
			for _, st := range s.Of(&s.Changes[i]) {
				check(&st)
			}
		}
	}
	return n
}

// judgeBrief judges the signs of a history. A sign for an added or removed function must
// agree with the sources. A function with a sign in brackets must be in both sources.
func judgeBrief(t *testing.T, what string, c *diff.Comparison, j *judge) int {
	t.Helper()
	comparer, err := view.NewComparer(c, guideFor(t, c), view.ComparisonOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changes := render.BriefOf(comparer.Brief(false), render.DiffOptions{})
	n := 0
	for _, part := range strings.Split(changes.Text, "; ") {
		sign, names, _ := strings.Cut(part, " ")
		for _, short := range strings.Split(names, ", ") {
			short, _, _ = strings.Cut(short, " (")
			if strings.HasSuffix(short, ")") && len(j.known[short]) == 0 {
				continue // the name of a purpose, not of a function
			}
			if j.foreignName(short) {
				continue
			}
			var err error
			switch sign {
			case "+":
				err = j.came(j.b, j.a, short)
			case "-":
				err = j.came(j.a, j.b, short)
			case "(+)", "(-)":
				err = j.inBoth(short)
			default:
				continue
			}
			n++
			if err != nil {
				t.Errorf("%s: %q of %q: %v", what, short, part, err)
			}
		}
	}
	return n
}

// came checks that the source of one side has a function. The source of the other side
// must lack the function, or lack one of its callers.
func (j *judge) came(has, lacks, short string) error {
	if len(j.of(has, short)) == 0 {
		return fmt.Errorf("the source of %s has no %s", has, short)
	}
	if len(j.of(lacks, short)) == 0 {
		return nil
	}
	for caller := range j.known {
		if j.verdict(has, caller, short) >= perhaps && j.verdict(lacks, caller, short) < surely {
			return nil
		}
	}
	return fmt.Errorf("each function that calls it in the source of %s also calls it in %s", has, lacks)
}
