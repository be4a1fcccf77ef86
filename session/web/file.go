package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render/page"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
)

// A PageFile describes the content of a single file for a browser.
type PageFile struct {
	// Source finds the sources; nil means CachedSource.
	Source SourceFolder
	// Version is that of apitrace.
	Version string
}

// WriteRecording writes the page of a recording as one self-contained file: its tree, its calls, and those sources of
// their functions that are on this machine. lang is the first language, "en" or "zh"; "" leaves the choice to the browser.
func (p PageFile) WriteRecording(w io.Writer, rec *trace.Recording, lang string) error {
	name := fileName(rec.Scenario)
	s, err := newPacker(Options{Files: []File{{Name: name, Recording: rec}}, Source: p.Source, Version: p.Version})
	if err != nil {
		return err
	}
	release := cmp.Or(rec.K8sVersion, recordings.Latest)
	all := map[string]any{}
	put := func(p piece) error {
		all[p.key] = p.data
		return nil
	}
	library, err := p.library(s, release, name, rec)
	if err != nil {
		return err
	}
	l, err := s.api.library.load(release, name)
	if err != nil {
		return err
	}
	hits, err := packHits(search.Of(rec, search.Place{Release: release, Scenario: name}))
	if err != nil {
		return err
	}
	all["library"], all["search"] = library, hits
	if err := s.recording(release, name, put); err != nil {
		return err
	}
	if err := s.sources(release, []*loaded{l}, put); err != nil {
		return err
	}
	return writePage(w, name+", "+release, lang, all)
}

// fileName returns the name of a recording on the page: its scenario, without characters that have a meaning in an address.
func fileName(scenario string) string {
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(scenario)
	if strings.Trim(name, ".") == "" {
		return "recording"
	}
	return name
}

// library returns a library of this recording only.
func (p PageFile) library(s *packer, release, name string, rec *trace.Recording) (*libraryPiece, error) {
	out := &libraryPiece{First: firstShown{release, name, 1}, Apitrace: p.Version, Answers: answers{}}
	for _, lang := range pageLanguages {
		var list ScenarioList
		answer, err := s.ask("/scenarios?lang=" + lang)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(answer, &list); err != nil {
			return nil, err
		}
		// The recording is listed as a file. If the embedded library has the scenario, too, its entry follows and adds a description.
		var one Scenario
		for _, scenario := range list.Items {
			if scenario.Name == name {
				one = scenario
			}
		}
		one.Releases = []string{release}
		if out.Answers["/scenarios?lang="+lang], err = json.Marshal(ScenarioList{[]Scenario{one}}); err != nil {
			return nil, err
		}
	}
	releases, err := json.Marshal(ReleaseList{[]Release{{K8sVersion: release, EtcdVersion: rec.EtcdVersion, Recorded: rec.Recorded, Scenarios: []string{name}}}})
	out.Answers["/releases"] = releases
	return out, err
}

// writePage writes the page with embedded data.
func writePage(w io.Writer, title, lang string, data map[string]any) error {
	script, style, index, err := pageParts()
	if err != nil {
		return err
	}
	packed, err := compress(data)
	if err != nil {
		return err
	}
	if lang != "" {
		lang = fmt.Sprintf(" data-lang=%q", lang)
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", integrity(script), integrity(style))
	out := strings.NewReplacer(
		`<html lang="en">`, `<html lang="en"`+lang+`>`,
		`<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`,
		`<title>apitrace</title>`, `<title>`+html.EscapeString(title)+` · apitrace</title>`,
		pageStyle, "<style>"+style+"</style>",
		pageScript+"\n", "",
		`</body>`, "\n"+`<script type="application/gzip;base64" id="data">`+base64.StdEncoding.EncodeToString(packed)+"</script>\n<script>"+script+"</script>\n</body>",
	).Replace(index)
	_, err = io.WriteString(w, out)
	return err
}

const (
	pageStyle  = `<link rel="stylesheet" href="page.css">`
	pageScript = `<script src="page.js" defer></script>`
)

// pageParts returns the files of the page. The bundler writes neither "</script" nor "</style" into them.
func pageParts() (script, style, index string, err error) {
	var parts []string
	for _, name := range []string{"page.js", "page.css", "index.html"} {
		data, err := fs.ReadFile(page.Files(), name)
		if err != nil {
			return "", "", "", err
		}
		parts = append(parts, string(data))
	}
	for _, needs := range []string{`<html lang="en">`, `<meta charset="utf-8">`, `<title>apitrace</title>`, pageStyle, pageScript, `</body>`} {
		if strings.Count(parts[2], needs) != 1 {
			return "", "", "", message.Errorf("index.html: expected %q once", needs)
		}
	}
	return parts[0], parts[1], parts[2], nil
}

// integrity returns the hash with which a content security policy allows an inline script or style sheet.
func integrity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// compress writes JSON, compressed.
func compress(data any) ([]byte, error) {
	var out bytes.Buffer
	to, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return nil, err
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
