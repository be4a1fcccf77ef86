package web

import (
	"encoding/json"
	"sync"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/view"
)

// A HistoryStep is a release in the history of a scenario.
type HistoryStep struct {
	K8sVersion string `json:"k8sVersion" description:"The release."`
	Recorded   bool   `json:"recorded" description:"Whether it has a recording of the scenario."`
	Why        string `json:"why,omitempty" description:"Why it has no recording; absent if it has one, or the reason is not known."`
	Calls      int    `json:"calls" description:"How many calls all requests have."`
	// Since and Changes are absent for the first recorded
	// release, and for releases without a recording.
	Since   string      `json:"since,omitempty" description:"The previous release with a recording of the scenario; absent for the first one. The changes are since that release."`
	Changes *view.Brief `json:"changes,omitempty" description:"What changed since that release."`
}

// histories keeps the histories of scenarios in memory. The
// history of boot takes twenty seconds of processor time.
type histories struct {
	mu    sync.Mutex
	known map[[2]string]*historyOnce // by scenario and language
}

type historyOnce struct {
	once sync.Once
	doc  *ScenarioHistory
	err  error
}

func (a *api) getHistory(r *restful.Request) (any, error) {
	scenario, lang := r.QueryParameter("scenario"), queryOf(r, paramLang)
	hint := message.Of("GET %s lists the scenarios, with the releases that have recorded them", Base+"/scenarios")
	found, err := scenarios.Known(scenario)
	if err != nil {
		return nil, notFound(withoutFiles(err), hint)
	}
	h := &a.library.histories
	h.mu.Lock()
	if h.known == nil {
		h.known = map[[2]string]*historyOnce{}
	}
	key := [2]string{scenario, lang}
	if h.known[key] == nil {
		h.known[key] = &historyOnce{}
	}
	of := h.known[key]
	h.mu.Unlock()
	of.once.Do(func() { of.doc, of.err = a.library.history(found, lang) })
	if of.err != nil {
		return nil, notFound(of.err, hint)
	}
	return of.doc, nil
}

// history returns the history of a scenario. If an earlier process has kept it in
// l.answers, it is read from there. Otherwise it is made, and kept there.
func (l *library) history(scenario *scenarios.Scenario, lang string) (*ScenarioHistory, error) {
	data, err := l.answers.Keep(historyAnswer(scenario.Name, lang), func() ([]byte, error) {
		doc, err := newHistory(scenario, lang)
		if err != nil {
			return nil, err
		}
		return json.Marshal(doc)
	})
	if err != nil {
		return nil, err
	}
	doc := new(ScenarioHistory)
	return doc, json.Unmarshal(data, doc)
}

// historyAnswer returns the name of a history in library.answers.
func historyAnswer(scenario, lang string) string { return "history " + scenario + " " + lang }

func newHistory(scenario *scenarios.Scenario, lang string) (*ScenarioHistory, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	steps, err := history.Steps(scenario.Name, func(changes *diff.Comparison) (step HistoryStep, err error) {
		if changes == nil {
			return step, nil
		}
		o := view.ComparisonOptions{Options: view.Options{Lang: lang}, NameA: changes.A.K8sVersion, NameB: changes.B.K8sVersion}
		comparer, err := view.NewComparer(changes, guide.ForReader(lang, changes.A, changes.B), o)
		if err == nil {
			step.add(changes, comparer)
		}
		return step, err
	})
	if err != nil {
		return nil, err
	}
	doc := &ScenarioHistory{Scenario: scenario.Name, Title: scenario.Title.In(lang), Releases: []HistoryStep{}}
	for step, err := range steps {
		if err != nil {
			return nil, err
		}
		out := step.Changes
		out.K8sVersion, out.Recorded, out.Calls = step.Version, !step.NotRecorded, step.Calls
		out.Why = scenarios.WhyMissing(step.Why, scenario.Name, step.Version).In(lang)
		doc.Releases = append(doc.Releases, out)
	}
	return doc, nil
}

// add adds the changes since the last recorded release.
func (s *HistoryStep) add(changes *diff.Comparison, comparer *view.Comparer) {
	s.Since, s.Changes = changes.A.K8sVersion, comparer.Brief(true)
}
