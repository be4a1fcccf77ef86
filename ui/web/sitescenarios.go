package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// scenarios writes, for each scenario, the recordings, the comparisons of
// successive releases, and the history.
func (s Site) scenarios(ctx context.Context, p *packer, chosen []recordings.Info, put func(piece) error, notice func(format string, args ...any)) error {
	all, err := scenarios.List()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(scenario *scenarios.Scenario) bool {
		return !slices.ContainsFunc(chosen, func(info recordings.Info) bool { return info.Has(scenario.Name) })
	})
	for i, scenario := range all {
		notice("%s", message.Of("%d of %d: %s", i+1, len(all), scenario.Name))
		if err := s.scenario(ctx, p, scenario, chosen, put); err != nil {
			return fmt.Errorf("%s: %w", scenario.Name, err)
		}
	}
	return nil
}

// scenario writes the recordings of a scenario, the oldest
// first. It compares each recording with the previous one.
func (s Site) scenario(ctx context.Context, p *packer, scenario *scenarios.Scenario, chosen []recordings.Info, put func(piece) error) error {
	histories := map[string]*ScenarioHistory{}
	for _, lang := range pageLanguages {
		histories[lang] = &ScenarioHistory{Scenario: scenario.Name, Title: scenario.Title.In(lang), Releases: []HistoryStep{}}
	}
	var before *loaded
	for _, info := range slices.Backward(chosen) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !info.Has(scenario.Name) {
			for lang, history := range histories {
				history.Releases = append(history.Releases, HistoryStep{K8sVersion: info.K8sVersion, Why: scenarios.WhyMissing(info.Why(scenario.Name), scenario.Name, info.K8sVersion).In(lang)})
			}
			continue
		}
		p.api.library.loaded = nil // so that only the two compared recordings stay in memory
		l, err := p.api.library.load(info.K8sVersion, scenario.Name)
		if err != nil {
			return err
		}
		if err := p.recording(place{l.release, l.scenario, l.release}, l, put); err != nil {
			return err
		}
		l.trees, l.documents = nil, nil // written already: the next comparison needs only the recording
		var changes *compared           // nil for the first recorded release
		if before != nil {
			changes = newCompared(before, l)
			changes.Comparison = diff.CompareRecordings(before.rec, l.rec, diff.Options{})
			path := fmt.Sprintf("diff/%s/%s/%s", scenario.Name, before.release, l.release)
			if err := p.comparison(changes, path, [2]string{before.release, l.release}, put); err != nil {
				return err
			}
		}
		for lang, history := range histories {
			step := HistoryStep{K8sVersion: l.release, Recorded: true, Calls: callsOf(l)}
			if changes != nil {
				comparer, err := changes.comparer(lang)
				if err != nil {
					return err
				}
				step.add(changes.Comparison, comparer)
			}
			history.Releases = append(history.Releases, step)
		}
		before = l
	}
	kept := answers{}
	for lang, history := range histories {
		answer, err := json.Marshal(history)
		if err != nil {
			return err
		}
		kept["/history?"+url.Values{"lang": {lang}, "scenario": {scenario.Name}}.Encode()] = answer
	}
	return put(piece{"answers/history/" + scenario.Name, recordingPiece{Answers: kept}})
}

// callsOf returns the number of calls in all requests.
func callsOf(l *loaded) int {
	calls := 0
	for _, r := range l.rec.Requests {
		calls += len(r.Calls)
	}
	return calls
}
