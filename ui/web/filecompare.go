package web

import (
	"cmp"
	"fmt"
	"io"
	"net/url"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteComparison writes the page of a comparison as one self-contained
// file. The file has the sentences, the marked tree of both sides, the
// hunks of source that differ, and the recordings of both sides in the
// form of WriteRecording. lang is as in WriteRecording. Of the options,
// only NameA, NameB, LiveA, LiveB and Times are used.
func (p PageFile) WriteComparison(w io.Writer, c *diff.Comparison, o render.DiffOptions, lang string) error {
	paired := pairUp(c, o)
	files := []File{{paired.at[0].scenario, c.A}, {paired.at[1].scenario, c.B}}
	s, err := newPacker(Options{Files: files, Source: p.Source, Version: p.Version})
	if err != nil {
		return err
	}
	all := pieces{}
	library, err := p.library(s, []place{paired.at[1], paired.at[0]}, c.B, c.A)
	if err != nil {
		return err
	}
	library.Pages, library.Comparisons, library.Start = []string{"compare"}, "one", "#/compare?"+paired.query.Encode()
	var hits []search.Hit
	var of [2]*loaded
	for i, at := range paired.at {
		hits = search.Merge(hits, search.Of(files[i].Recording, search.Place{Release: at.release, Scenario: at.scenario}))
		if of[i], err = s.api.library.load(cmp.Or(files[i].Recording.K8sVersion, recordings.Latest), at.scenario); err != nil {
			return err
		}
		if err := s.recording(at, of[i], all.put); err != nil {
			return err
		}
	}
	found, err := packHits(hits)
	if err != nil {
		return err
	}
	all["library"], all["search"] = library, found
	compared := newCompared(of[0], of[1])
	compared.Comparison = c
	compared.options = render.DiffOptions{
		ComparisonOptions: view.ComparisonOptions{NameA: o.NameA, NameB: o.NameB, Times: o.Times}, LiveA: o.LiveA, LiveB: o.LiveB,
	}
	if err := s.comparison(compared, paired.path, [2]string{paired.at[0].sources, paired.at[1].sources}, all.put); err != nil {
		return err
	}
	if err := s.sources(all.put); err != nil {
		return err
	}
	if err := s.hunks(all.put); err != nil {
		return err
	}
	return writePage(w, paired.title(o), lang, all)
}

// A pairing names two recordings on the page: as one scenario on two releases or,
// if that is ambiguous, as two scenarios on one release.
type pairing struct {
	at    [2]place
	path  string
	query url.Values
}

func pairUp(c *diff.Comparison, o render.DiffOptions) pairing {
	nameA, nameB := fileName(c.A.Scenario), fileName(c.B.Scenario)
	if a, b := c.A.K8sVersion, c.B.K8sVersion; nameA == nameB && a != b && a != "" && b != "" {
		return pairing{
			[2]place{{a, nameA, a}, {b, nameB, b}}, fmt.Sprintf("diff/%s/%s/%s", nameA, a, b), url.Values{"scenario": {nameA}, "from": {a}, "to": {b}},
		}
	}
	release := cmp.Or(c.B.K8sVersion, c.A.K8sVersion, recordings.Latest)
	if nameA == nameB {
		nameA, nameB = fileName(nameA+" ("+o.NameA+")"), fileName(nameB+" ("+o.NameB+")")
	}
	if nameA == nameB {
		nameA, nameB = nameA+" A", nameB+" B"
	}
	// Both sides may have the same release
	// but different sources: one may be edited.
	return pairing{
		[2]place{{release, nameA, "a"}, {release, nameB, "b"}}, fmt.Sprintf("compare/%s/%s/%s", release, nameA, nameB),
		url.Values{"release": {release}, "from": {nameA}, "to": {nameB}},
	}
}

func (p *pairing) title(o render.DiffOptions) string {
	if p.at[0].scenario == p.at[1].scenario {
		return fmt.Sprintf("%s: %s → %s", p.at[0].scenario, o.NameA, o.NameB)
	}
	return fmt.Sprintf("%s | %s", p.at[0].scenario, p.at[1].scenario)
}
