package workshop

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// traces are an exercise's recordings, loaded on first use.
type traces struct {
	load     func(Source) (*cachedRecording, error)
	layer    func(function string) string
	exercise *Exercise
	k8s      string
	// main is the recording with the name "". nil means the recording of
	// Exercise.Scenario.
	main  *trace.Recording
	known map[string]*cachedRecording
	// calls has each function's calls, by request; see callsOf.
	calls map[*trace.Tree]map[string]*[]int
	// typed is the function name in an answer, as typed. answer has the full names of the
	// functions that it stands for. $answer stands for the same functions. answer is empty
	// if the recordings have no such function.
	typed  string
	answer []string
}

// A cachedRecording is a recording with the trees of its requests.
type cachedRecording struct {
	recording *trace.Recording
	trees     []*trace.Tree
	called    map[string]bool // nil until the first use
}

func newCachedRecording(rec *trace.Recording) *cachedRecording {
	a := &cachedRecording{recording: rec}
	for i := range rec.Requests {
		a.trees = append(a.trees, trace.TreeOfValid(&rec.Requests[i]))
	}
	return a
}

// called returns the functions called in a recording.
func (t *traces) called(a *cachedRecording) map[string]bool {
	if a.called == nil {
		a.called = map[string]bool{}
		for _, tree := range a.trees {
			for f := range t.callsOf(tree) {
				a.called[f] = true
			}
		}
	}
	return a.called
}

// recording returns a recording by its name in Exercise.Also, or the main one for "".
func (t *traces) recording(name string) (a *cachedRecording, err error) {
	if a := t.known[name]; a != nil {
		return a, nil
	}
	switch {
	case name != "":
		a, err = t.load(t.exercise.Also[name])
	case t.main != nil:
		a = newCachedRecording(t.main)
	default:
		a, err = t.load(Source{Scenario: t.exercise.Scenario})
	}
	if err == nil {
		t.known[name] = a
	}
	return a, err
}

// treeOf returns the calls of the request or event in which s selects.
func (t *traces) treeOf(s *Selection) (*trace.Tree, error) {
	if s.Event == "" {
		return t.tree(s.In, s.Request)
	}
	a, err := t.recording(s.In)
	if err != nil {
		return nil, err
	}
	for _, tree := range a.trees {
		if tree.Request.IsEvent() && funcname.MatchText(s.Event, tree.Request.Path) {
			return tree, nil
		}
	}
	return nil, message.Errorf("the recording of %s has no event %q", a.recording.Scenario, s.Event)
}

// tree returns the calls of a traced request. Numbers begin with 1; 0 is the first
// request, too.
func (t *traces) tree(in string, number int) (*trace.Tree, error) {
	a, err := t.recording(in)
	if err != nil {
		return nil, err
	}
	if number > len(a.trees) || len(a.trees) == 0 {
		return nil, message.Errorf("request %d does not exist: the recording of %s has %d", max(number, 1), a.recording.Scenario, len(a.trees))
	}
	return a.trees[max(number, 1)-1], nil
}

// functions lists the functions of all the exercise's recordings, sorted.
func (t *traces) functions() ([]string, error) {
	all := map[string]bool{}
	names := []string{""}
	for name := range t.exercise.Also {
		names = append(names, name)
	}
	for _, name := range names {
		a, err := t.recording(name)
		if err != nil {
			return nil, err
		}
		for f := range t.called(a) {
			all[f] = true
		}
	}
	return sortedKeys(all), nil
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
