package web

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/workshop/reading"
)

var saysFiles = message.Of("files")

func (a *api) listReleases(*restful.Request) (any, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	list := ReleaseList{Items: []Release{}}
	for _, info := range slices.Backward(infos) {
		_, err := a.library.source(trace.ProcessAPIServer, info.K8sVersion)
		list.Items = append(list.Items, Release{info.K8sVersion, info.EtcdVersion, info.Recorded, info.Scenarios, err == nil})
	}
	return list, nil
}

// allScenarios reads the scenarios only once, because each page requests them.
var allScenarios = sync.OnceValues(scenarios.List)

func (a *api) listScenarios(r *restful.Request) (any, error) {
	lang := queryOf(r, paramLang)
	all, err := allScenarios()
	if err != nil {
		return nil, err
	}
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	list := ScenarioList{Items: []Scenario{}}
	for _, f := range a.library.files {
		list.Items = append(list.Items, Scenario{Name: f.Name, Topic: saysFiles.In(lang), Title: f.Name, Releases: []string{f.Recording.K8sVersion}, Sends: []string{}, Follows: follows(f.Recording)})
	}
	for _, s := range all {
		out := Scenario{
			Name: s.Name, Topic: scenarios.TopicTitle(s.Topic).In(lang), Title: s.Title.In(lang),
			Description: s.Description.In(lang), Teaches: s.Teaches.In(lang), Releases: []string{}, Sends: s.Sends(), Follows: s.Follow != nil,
		}
		for _, info := range slices.Backward(infos) {
			if info.Has(s.Name) {
				out.Releases = append(out.Releases, info.K8sVersion)
			}
		}
		list.Items = append(list.Items, out)
	}
	return list, nil
}

// follows reports whether a recording has what its requests caused.
func follows(rec *trace.Recording) bool {
	return slices.ContainsFunc(rec.Requests, func(r trace.Request) bool { return r.Method == trace.MethodEvent })
}

func (a *api) search(r *restful.Request) (any, error) {
	hits, err := a.library.search(r.QueryParameter("text"))
	if err != nil {
		return nil, err
	}
	from, to := window(r, len(hits))
	list := HitList{Total: len(hits), From: from, Items: []Hit{}}
	for _, h := range hits[from:to] {
		list.Items = append(list.Items, hitOf(h))
	}
	if list.Lines, err = a.linesOf(r.QueryParameter("text"), r.QueryParameter("release"), printerOf(r)); err != nil {
		return nil, err
	}
	if list.Names, err = namesOf(r.QueryParameter("text"), len(hits) == 0, printerOf(r)); err != nil {
		return nil, err
	}
	list.Reading, err = readingOf(r.QueryParameter("text"), queryOf(r, paramLang))
	return list, err
}

// linesOf finds the functions of a line in a release, or in the newest one.
func (a *api) linesOf(query, release string, p message.Printer) (all []FoundLine, err error) {
	found, err := search.FindLines(query, release, func(program, release, file string, line int) (name string, begins int, err error) {
		dir, err := a.library.source(program, release)
		if err != nil {
			return "", 0, err
		}
		f, err := (&source.Tree{Program: program, Version: release, Dir: dir}).At(file, line)
		if f == nil || err != nil {
			return "", 0, err
		}
		return f.Name, f.Line, nil
	})
	for _, l := range found {
		all = append(all, FoundLine{l.Function, funcname.Short(l.Function), l.Release, l.File, l.Number, l.Begins, l.Sure, l.Says().Localize(p)})
	}
	return all, err
}

// readingOf finds layers, feature gates and pages.
func readingOf(query, lang string) ([]Reading, error) {
	const most = 12
	layers, err := reading.Layers(lang)
	if err != nil {
		return nil, err
	}
	var all []Reading
	for _, l := range search.FindLayers(query, layers) {
		all = append(all, Reading{Kind: "layer", Name: l.Name, Title: l.Title})
	}
	named, err := gates.Search(query)
	if err != nil {
		return nil, err
	}
	for _, g := range named[:min(len(named), most)] {
		all = append(all, Reading{Kind: "gate", Name: g.Name, Title: g.Name, Text: g.Summary().In(lang)})
	}
	pages, err := readingPages(lang)
	if err != nil {
		return nil, err
	}
	count := map[search.PageKind]int{}
	for _, p := range search.FindPages(query, pages) {
		if count[p.Kind]++; count[p.Kind] <= most {
			all = append(all, Reading{Kind: string(p.Kind), Name: p.Name, Title: strings.ReplaceAll(p.Title, "`", ""), Text: p.Heading})
		}
	}
	return all, nil
}

// readingPages lists the pages of a language. They are read once, because the page
// searches at each letter.
func readingPages(lang string) ([]search.Page, error) { return pagesOf[lang]() }

var pagesOf = map[string]func() ([]search.Page, error){
	"en": sync.OnceValues(func() ([]search.Page, error) { return reading.Pages("en") }),
	"zh": sync.OnceValues(func() ([]search.Page, error) { return reading.Pages("zh") }),
}

// namesOf finds functions and types of released sources. query and
// partly are as in search.Names.
func namesOf(query string, partly bool, p message.Printer) ([]Name, error) {
	const most = 20
	found, err := search.Names(query, partly)
	var all []Name
	for _, n := range found[:min(len(found), most)] {
		kind := "function"
		if n.Kind == lineage.Type {
			kind = "type"
		}
		name := Name{Kind: kind, Name: n.Name, Short: funcname.Short(n.Name), Fate: search.Fate(n).Localize(p)}
		if n.Now != "" {
			name.Release = recordings.Latest
		} else if _, err := recordings.Resolve(n.Last); err == nil {
			name.Release = n.Last
		}
		if n.Now != "" && n.Now != n.Name {
			name.Now = funcname.Short(n.Now)
		}
		all = append(all, name)
	}
	return all, err
}

// search finds texts in the recordings and in the user's files.
func (l *library) search(text string) ([]search.Hit, error) {
	l.texts.Do(func() {
		for _, f := range l.files {
			l.ofFiles = search.Merge(l.ofFiles, search.Of(f.Recording, search.Place{Release: cmp.Or(f.Recording.K8sVersion, recordings.Latest), Scenario: f.Name}))
		}
	})
	return search.Text(text, l.ofFiles...)
}

func hitOf(h search.Hit) Hit {
	out := Hit{Kind: kinds[h.Kind], Text: h.Text, Short: h.Text, Places: places(h.Places), Behind: h.Rank > 0}
	if h.Kind == search.Function {
		out.Short = funcname.Short(h.Text)
	}
	return out
}

var kinds = map[search.Kind]string{search.Function: "function", search.Value: "value", search.Error: "error"}

// places groups the places by scenario.
func places(all []search.Place) []HitPlace {
	var out []HitPlace
	for _, p := range slices.Backward(all) {
		at := slices.IndexFunc(out, func(h HitPlace) bool { return h.Scenario == p.Scenario })
		if at < 0 {
			at = len(out)
			out = append(out, HitPlace{Scenario: p.Scenario})
		}
		out[at].Releases = append(out[at].Releases, p.Release)
	}
	slices.Reverse(out)
	return out
}
