package judge

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A past has the facts about the releases in a history.
type past struct {
	// releases are sorted, the oldest first.
	releases []recordings.Info
	sources  map[string]hasText
	// called maps a release and a function to the scenarios with recordings that call
	// the function.
	called map[string]map[string]map[string]bool
	// judged are the recorded functions of programs whose sources are known.
	judged map[string]bool
}

type hasText interface {
	text(program, function string) ([]call, bool)
	// programs lists the programs whose sources are known.
	programs() []string
}

func newPast() *past {
	return &past{sources: map[string]hasText{}, called: map[string]map[string]map[string]bool{}, judged: map[string]bool{}}
}

// add reads the recordings of a release.
func (p *past) add(t *testing.T, release recordings.Info, of hasText) {
	t.Helper()
	called, known := map[string]map[string]bool{}, of.programs()
	for _, scenario := range release.Scenarios {
		for _, r := range load(t, release.K8sVersion, scenario).Requests {
			for i := range r.Calls {
				f := r.Calls[i].Function
				if slices.Contains(known, r.Calls[i].Process) {
					p.judged[f] = true
				}
				if called[f] == nil {
					called[f] = map[string]bool{}
				}
				called[f][scenario] = true
			}
		}
	}
	p.releases = append(p.releases, release)
	p.sources[release.K8sVersion], p.called[release.K8sVersion] = of, called
}

// has reports whether the source of a release has a function, and whether its text has
// calls.
func (p *past) has(release, name string) (has, calls bool) {
	for _, program := range p.sources[release].programs() {
		if made, ok := p.sources[release].text(program, name); ok {
			has, calls = true, calls || len(made) > 0
		}
	}
	return has, calls
}

// judge judges the output of "apitrace history FUNCTION" for every nth recorded
// function. It returns the number of judged functions.
func (p *past) judge(t *testing.T, nth int) int {
	t.Helper()
	all, err := history.Releases()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(r history.Release) bool { return p.sources[r.Version] == nil })
	names := slices.Sorted(maps.Keys(p.judged))
	n := 0
	for i, name := range names {
		if i%nth != 0 || name == "runtime.main" {
			continue
		}
		n++
		followed, err := history.Of(all, name)
		if err != nil {
			t.Errorf("history %s: %v", name, err)
			continue
		}
		var out bytes.Buffer
		if err := history.Write(&out, name, all, followed, true, message.For("en")); err != nil {
			t.Fatal(err)
		}
		for _, err := range p.judgeText(out.String(), followed) {
			t.Errorf("history %s: %v", name, err)
		}
	}
	return n
}

var (
	historyRow  = regexp.MustCompile(`^(v\S+) +([*o.#?-])(?: +([0-9]+) of ([0-9]+))?(?: +(\S+) +(.*?))? *$`)
	notRecorded = regexp.MustCompile(`^\? not recorded of (.*?): `)
)

// judgeText judges a printed history. followed has the full names, because the text has
// short names.
func (p *past) judgeText(text string, followed []history.Appearance) (wrong []error) {
	complain := func(layout string, args ...any) { wrong = append(wrong, fmt.Errorf(layout, args...)) }
	name := map[string]string{}
	var releases []string
	title := ""
	for _, line := range strings.Split(text, "\n") {
		if m := historyRow.FindStringSubmatch(line); m != nil && len(releases) < len(followed) {
			a := followed[len(releases)]
			name[m[1]] = a.Name
			if err := p.judgeRow(m, a.Name); err != nil {
				complain("%s: %w", m[1], err)
			}
			if len(releases) > 0 {
				if before := name[releases[len(releases)-1]]; before != a.Name {
					_, literal := funcname.SplitLiteral(before) // the literal may have another number there
					saysBoth := strings.Contains(packed(text), packed(m[1]+" has both "+funcname.Short(a.Name)+" and "+funcname.Short(before)+":"))
					if is, _ := p.has(m[1], before); is && m[2] != "-" && literal == "" && !saysBoth {
						complain("%s still has %s, which is said to be %s there", m[1], before, a.Name)
					}
				}
			}
			releases = append(releases, m[1])
			continue
		}
		if !strings.HasPrefix(line, "  ") {
			if title = strings.TrimSpace(title + " " + line); line == "" || strings.HasPrefix(line, "? not recorded of ") || strings.HasPrefix(line, "in ") || strings.HasPrefix(line, "from ") {
				title = line
			}
			continue
		}
		for _, scenario := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ","), ", ") {
			if err := p.judgeScenario(title, scenario, releases, name); err != nil {
				complain("%q %s: %w", title, scenario, err)
			}
		}
	}
	if len(releases) != len(p.releases) {
		complain("it lists %d releases, expected all", len(releases))
	}
	return wrong
}

// packed returns a text without blanks, so that its line breaks do not matter.
func packed(text string) string { return strings.Join(strings.Fields(text), "") }

// judgeRow judges a history's row about a function in one release.
func (p *past) judgeRow(m []string, name string) error {
	release, sign, place := m[1], m[2], m[6]
	has, calls := p.has(release, name)
	scenarios, recorded := 0, 0
	fmt.Sscan(m[3], &scenarios)
	fmt.Sscan(m[4], &recorded)
	if m[5] != "" && m[5] != funcname.Short(name) {
		return fmt.Errorf("the row has another function than %s", name)
	}
	if made := len(p.called[release][name]); made != scenarios || sign == "*" && made == 0 || sign != "*" && made > 0 {
		return fmt.Errorf("recordings of %d scenarios call it", made)
	}
	switch sign {
	case "*":
		at := slices.IndexFunc(p.releases, func(r recordings.Info) bool { return r.K8sVersion == release })
		if recorded != len(p.releases[at].Scenarios) {
			return fmt.Errorf("the release has recordings of %d scenarios", len(p.releases[at].Scenarios))
		}
		if !has {
			return fmt.Errorf("the source of the release has no %s", name)
		}
	case "o":
		if !has {
			return fmt.Errorf("the source of the release has no %s", name)
		}
	case ".":
		if !has && !strings.Contains(place, "no body") {
			return fmt.Errorf("the source of the release has no %s", name)
		}
		if calls && strings.Contains(place, "it calls nothing") {
			return fmt.Errorf("the function calls other functions")
		}
	case "-", "#": // "#": in a package that is not traced, so the index lacks the function
		if has {
			return fmt.Errorf("the source of the release has %s", name)
		}
	case "?":
		return fmt.Errorf("the source of the release is known")
	}
	return nil
}

// judgeScenario judges a line about a scenario. The line's title names the releases in
// which the scenario calls the function, or the releases without a recording of the
// scenario.
func (p *past) judgeScenario(title, scenario string, releases []string, name map[string]string) error {
	var in, recorded, missing []string
	for _, r := range p.releases {
		if p.called[r.K8sVersion][name[r.K8sVersion]][scenario] {
			in = append(in, r.K8sVersion)
		}
		if r.Has(scenario) {
			recorded = append(recorded, r.K8sVersion)
		} else {
			missing = append(missing, r.K8sVersion)
		}
	}
	var said, are []string
	from, to, isRange := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(title, ":"), "from "), " to ")
	switch m := notRecorded.FindStringSubmatch(title); {
	case m != nil: // the other releases may be in other groups
		for _, r := range strings.Split(m[1], ", ") {
			from, to, isRange := strings.Cut(r, " to ")
			if !isRange {
				to = from
			}
			for _, r := range releases[slices.Index(releases, from) : slices.Index(releases, to)+1] {
				if !slices.Contains(missing, r) {
					return fmt.Errorf("%s has a recording of the scenario", r)
				}
			}
		}
		return nil
	case title == "in every release:":
		said, are = releases, in
	case title == "in every release that recorded it:":
		said, are = recorded, in
	case isRange:
		said, are = recorded[slices.Index(recorded, from):slices.Index(recorded, to)+1], in
	default:
		said, are = strings.Split(strings.TrimPrefix(strings.TrimSuffix(title, ":"), "in "), ", "), in
	}
	if !slices.Equal(said, are) {
		return fmt.Errorf("the scenario calls the function in %v", are)
	}
	return nil
}

// TestJudgeRefusesHistories checks that the judge refuses a false history.
func TestJudgeRefusesHistories(t *testing.T) {
	p := newPast()
	for i, release := range []string{"v1", "v2", "v3"} {
		p.releases = append(p.releases, recordings.Info{K8sVersion: release, Scenarios: []string{"get", "list"}[:min(i+1, 2)]})
	}
	p.sources = map[string]hasText{
		"v1": handmade{}, "v2": handmade{texts: map[string][]call{"q/p.F": {{}}}}, "v3": handmade{texts: map[string][]call{"q/p.F": {{}}}},
	}
	p.called = map[string]map[string]map[string]bool{"v3": {"q/p.F": {"list": true}}}
	followed := []history.Appearance{{Name: "q/p.F"}, {Name: "q/p.F"}, {Name: "q/p.F"}}
	const isTrue = "p.F in the recorded releases\n\nRELEASE\nv1  -\nv2  o          p.F  f.go\nv3  *  1 of 2  p.F  f.go:3\n\nin v3:\n  list\n\n? not recorded of v1: the scenario is newer than the recordings of the release\n  list\n"
	if wrong := p.judgeText(isTrue, followed); len(wrong) > 0 {
		t.Errorf("the judge refused a true history: %v", wrong)
	}
	for old, other := range map[string]string{
		"v1  -\n": "v1  o  p.F  f.go\n", "v2  o": "v2  -", "v2  o          p.F  f.go": "v2  .          p.F  f.go, no span: it calls nothing",
		"1 of 2": "2 of 2", "of 2": "of 3", "v3  *  1 of 2  p.F": "v3  o          p.F", "in v3:": "in v2, v3:", "\nv3  *": "\nv3  ?", "recorded of v1:": "recorded of v2:",
	} {
		if wrong := p.judgeText(strings.Replace(isTrue, old, other, 1), followed); len(wrong) == 0 {
			t.Errorf("with %q instead of %q, the judge accepted the history", other, old)
		}
	}
}
