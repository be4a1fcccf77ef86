package web

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
)

// A Site writes the library as static files for any web server.
type Site struct {
	// Out is the folder to write to. It must not
	// exist, or be empty, or contain an earlier site.
	Out string
	// Releases and Scenarios select the recordings; empty means all.
	Releases, Scenarios []string
	// DryRun reports the size of the site without writing it.
	DryRun bool
	// Source finds the sources; nil means the cached sources of this machine.
	Source SourceFolder
	// Version is apitrace's version.
	Version string
}

// siteMark is the name of the file that marks a folder as a site.
const siteMark = "apitrace-site.json"

// Average sizes of the parts of a site in bytes, for the estimate.
// TestNightlySiteHasTheWholeLibrary compares the estimate with a whole site.
const (
	bytesOfRecording  = 120 << 10
	bytesOfComparison = 44 << 10
	// bytesOfPage is the size of the page and the lessons.
	bytesOfPage = 650 << 10
	// bytesOfSources is the size of the functions that all scenarios call
	// in one release. Each release adds bytesOfRelease for the functions
	// that differ. A single scenario calls a fifth of the functions.
	bytesOfSources = 3100 << 10
	bytesOfRelease = 450 << 10
)

// Write writes the site and reports its progress to notice. It
// replaces an existing folder only after everything is written.
func (s Site) Write(ctx context.Context, notice func(format string, args ...any)) error {
	chosen, count, err := s.choose()
	if err != nil {
		return err
	}
	comparisons := comparisonsOf(chosen)
	size := sizeOfSite(chosen, count)
	notice("%s", message.Of("recordings: %d, releases: %d, comparisons: %d, in all about %d MB", count, len(chosen), comparisons, size>>20+1))
	if err := s.mayReplace(); err != nil || s.DryRun {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(s.Out)), 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(filepath.Clean(s.Out)), ".apitrace-site-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // removes it after a failure; a complete folder is renamed below
	if err := s.write(ctx, folder, chosen, notice); err != nil {
		return err
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(s.Out); err != nil {
		return err
	}
	return os.Rename(folder, s.Out)
}

// Size returns the estimated size of the site in bytes.
func (s Site) Size() (int64, error) {
	chosen, count, err := s.choose()
	return int64(sizeOfSite(chosen, count)), err
}

func sizeOfSite(chosen []recordings.Info, count int) int {
	scenarios := map[string]bool{}
	for _, info := range chosen {
		for _, name := range info.Scenarios {
			scenarios[name] = true
		}
	}
	sources := bytesOfSources + len(chosen)*bytesOfRelease
	sources = sources/5 + sources*4/5*min(len(scenarios), usualScenarios)/usualScenarios
	return bytesOfPage + count*bytesOfRecording + comparisonsOf(chosen)*bytesOfComparison + sources
}

// usualScenarios is the approximate number of scenarios of a release.
const usualScenarios = 50

// choose returns the selected releases with their selected scenarios, the newest
// release first. count is the number of recordings.
func (s Site) choose() (chosen []recordings.Info, count int, err error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, 0, err
	}
	var releases []string
	for _, r := range s.Releases {
		release, err := recordings.Resolve(r)
		if err != nil {
			return nil, 0, message.ToUsageError(err)
		}
		releases = append(releases, release)
	}
	for _, scenario := range s.Scenarios {
		if !slices.ContainsFunc(infos, func(info recordings.Info) bool { return info.Has(scenario) }) {
			return nil, 0, message.ToUsageError(&recordings.UnknownScenarioError{Scenario: scenario})
		}
	}
	for _, info := range slices.Backward(infos) {
		if len(releases) > 0 && !slices.Contains(releases, info.K8sVersion) {
			continue
		}
		info.Scenarios = slices.DeleteFunc(slices.Clone(info.Scenarios), func(name string) bool {
			return len(s.Scenarios) > 0 && !slices.Contains(s.Scenarios, name)
		})
		if count += len(info.Scenarios); len(info.Scenarios) > 0 {
			chosen = append(chosen, info)
		}
	}
	return chosen, count, nil
}

// comparisonsOf counts the comparisons of a site: for each scenario, the
// pairs of successive releases.
func comparisonsOf(chosen []recordings.Info) int {
	count, seen := 0, map[string]bool{}
	for _, info := range chosen {
		for _, scenario := range info.Scenarios {
			if seen[scenario] {
				count++
			}
			seen[scenario] = true
		}
	}
	return count
}

// mayReplace returns an error if the folder Out has files and is not a site.
func (s Site) mayReplace() error {
	if s.Out == "" {
		return message.UsageErrorf("--out is missing: expected the folder to write")
	}
	entries, err := os.ReadDir(s.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.Out, siteMark)); err != nil {
		return message.UsageErrorf("the folder %q has files but is not a site of apitrace: choose another folder", s.Out)
	}
	return nil
}

func (s Site) write(ctx context.Context, folder string, chosen []recordings.Info, notice func(format string, args ...any)) error {
	p, err := newPacker(Options{Source: s.Source, Version: s.Version})
	if err != nil {
		return err
	}
	w := newPieceWriter(folder)
	return errors.Join(s.writeAll(ctx, p, w, chosen, notice), w.close())
}

func (s Site) writeAll(ctx context.Context, p *packer, w *pieceWriter, chosen []recordings.Info, notice func(format string, args ...any)) error {
	folder, put := w.folder, w.put
	if err := s.library(p, chosen, put); err != nil {
		return err
	}
	if err := s.scenarios(ctx, p, chosen, put, notice); err != nil {
		return err
	}
	notice("%s", message.Of("the sources of the functions, and how they differ"))
	if err := p.sources(put); err != nil {
		return err
	}
	if err := p.hunks(put); err != nil {
		return err
	}
	if err := writeLessons(folder); err != nil {
		return err
	}
	return writeSitePage(folder, s.Version)
}

// library writes the lists of the selected recordings,
// the guide, and the texts for the search.
func (s Site) library(p *packer, chosen []recordings.Info, put func(piece) error) error {
	first := firstShown{chosen[0].K8sVersion, chosen[0].Scenarios[0], 1}
	if slices.Contains(chosen[0].Scenarios, "get-node") {
		first.Scenario = "get-node"
	}
	out := &libraryPiece{First: first, Pages: []string{"start", "compare", "releases", "guide", "lessons"}, Comparisons: "neighbours", Apitrace: s.Version, Answers: answers{}}
	list := ReleaseList{Items: []Release{}}
	recorded := map[search.Place]bool{}
	for _, info := range chosen {
		list.Items = append(list.Items, Release{K8sVersion: info.K8sVersion, EtcdVersion: info.EtcdVersion, Recorded: info.Recorded, Scenarios: info.Scenarios})
		for _, scenario := range info.Scenarios {
			recorded[search.Place{Release: info.K8sVersion, Scenario: scenario}] = true
		}
	}
	var err error
	if out.Answers["/releases"], err = json.Marshal(list); err != nil {
		return err
	}
	guide := recordingPiece{Answers: answers{}}
	for _, lang := range pageLanguages {
		for address, to := range map[string]answers{"/guide?lang=" + lang: guide.Answers, "/workshop/lessons?lang=" + lang: out.Answers} {
			if to[address], err = p.ask(address); err != nil {
				return err
			}
		}
		answer, err := p.ask("/scenarios?lang=" + lang)
		if err != nil {
			return err
		}
		var scenarios ScenarioList
		if err := json.Unmarshal(answer, &scenarios); err != nil {
			return err
		}
		for i := range scenarios.Items {
			item := &scenarios.Items[i]
			item.Releases = slices.DeleteFunc(item.Releases, func(release string) bool {
				return !recorded[search.Place{Release: release, Scenario: item.Name}]
			})
		}
		scenarios.Items = slices.DeleteFunc(scenarios.Items, func(item Scenario) bool { return len(item.Releases) == 0 })
		if out.Answers["/scenarios?lang="+lang], err = json.Marshal(scenarios); err != nil {
			return err
		}
	}
	hits, err := search.All()
	if err != nil {
		return err
	}
	for i := range hits {
		hits[i].Places = slices.DeleteFunc(hits[i].Places, func(place search.Place) bool { return !recorded[place] })
	}
	packed, err := packHits(slices.DeleteFunc(hits, func(h search.Hit) bool { return len(h.Places) == 0 }))
	if err != nil {
		return err
	}
	return errors.Join(put(piece{"library", out}), put(piece{"search", packed}), put(piece{"answers/guide", guide}))
}

func writeSiteFile(folder, name string, data []byte) error {
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// writeSitePage writes the files of the page, and the file siteMark.
func writeSitePage(folder, version string) error {
	script, style, index, err := pageParts()
	if err != nil {
		return err
	}
	const sitePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
	index = strings.NewReplacer(
		`<html lang="en">`, `<html lang="en" data-site>`,
		`<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+sitePolicy+`">`,
		`</body>`, `<noscript><p><a href="lessons/index.html">Lessons</a></p></noscript></body>`,
	).Replace(index)
	mark, err := json.Marshal(map[string]string{"apitrace": version})
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"index.html": index, "page.js": script, "page.css": style, siteMark: string(mark) + "\n"} {
		if err := writeSiteFile(folder, name, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
