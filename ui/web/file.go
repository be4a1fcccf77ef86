package web

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/ui/web/page"
)

// A PageFile writes the page of a recording or of a comparison as a single file.
type PageFile struct {
	// Source finds the sources; nil means the cached sources of this machine.
	Source SourceFolder
	// Version is apitrace's version.
	Version string
}

// WriteRecording writes the page of a recording as one self-contained file.
// The file has the tree, the calls, and the source of each called function
// that is on this machine. lang is the first language, "en" or "zh". If lang
// is "", the browser chooses.
func (p PageFile) WriteRecording(w io.Writer, rec *trace.Recording, lang string) error {
	name := fileName(rec.Scenario)
	s, err := newPacker(Options{Files: []File{{Name: name, Recording: rec}}, Source: p.Source, Version: p.Version})
	if err != nil {
		return err
	}
	release := cmp.Or(rec.K8sVersion, recordings.Latest)
	all := pieces{}
	library, err := p.library(s, []place{{release, name, release}}, rec)
	if err != nil {
		return err
	}
	hits, err := packHits(search.Of(rec, search.Place{Release: release, Scenario: name}))
	if err != nil {
		return err
	}
	all["library"], all["search"] = library, hits
	l, err := s.api.library.load(release, name)
	if err != nil {
		return err
	}
	if err := s.recording(place{release, name, release}, l, all.put); err != nil {
		return err
	}
	if err := s.sources(all.put); err != nil {
		return err
	}
	return writePage(w, name+", "+release, lang, all)
}

// pieces has the data of a file, by the keys of the pieces.
type pieces map[string]any

func (p pieces) put(one piece) error {
	p[one.key] = one.data
	return nil
}

// fileName returns the name of a recording on the page: its scenario, with "-" in
// place of slashes. An empty name, or a name of dots, becomes "recording".
func fileName(scenario string) string {
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(scenario)
	if strings.Trim(name, ".") == "" {
		return "recording"
	}
	return name
}

// library returns the lists of the recordings in a file. of has the place of each
// recording in recs. The page opens the first one.
func (p PageFile) library(s *packer, of []place, recs ...*trace.Recording) (*libraryPiece, error) {
	out := &libraryPiece{First: firstShown{of[0].release, of[0].scenario, 1}, Apitrace: p.Version, Pages: []string{}, Answers: answers{}}
	for _, lang := range pageLanguages {
		var list, ours ScenarioList
		answer, err := s.ask("/scenarios?lang=" + lang)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(answer, &list); err != nil {
			return nil, err
		}
		for _, at := range of {
			known := slices.IndexFunc(ours.Items, func(o Scenario) bool { return o.Name == at.scenario })
			if known >= 0 {
				ours.Items[known].Releases = append(ours.Items[known].Releases, at.release)
				continue
			}
			// The recording is listed as a file. If the embedded library
			// also has the scenario, that later entry is used, because
			// it has a description.
			var one Scenario
			for _, scenario := range list.Items {
				if scenario.Name == at.scenario {
					one = scenario
				}
			}
			one.Releases = []string{at.release}
			ours.Items = append(ours.Items, one)
		}
		if out.Answers["/scenarios?lang="+lang], err = json.Marshal(ours); err != nil {
			return nil, err
		}
	}
	var list ReleaseList
	for i, at := range of {
		known := slices.IndexFunc(list.Items, func(r Release) bool { return r.K8sVersion == at.release })
		if known < 0 {
			known = len(list.Items)
			list.Items = append(list.Items, Release{K8sVersion: at.release, EtcdVersion: recs[i].EtcdVersion, Recorded: recs[i].Recorded})
		}
		list.Items[known].Scenarios = append(list.Items[known].Scenarios, at.scenario)
	}
	releases, err := json.Marshal(list)
	out.Answers["/releases"] = releases
	return out, err
}

// writePage writes the page with embedded data. It encodes
// and compresses the data piece by piece, because the text
// of a comparison of two server starts takes 150 MB.
func writePage(w io.Writer, title, lang string, data pieces) error {
	script, style, index, err := pageParts()
	if err != nil {
		return err
	}
	if lang != "" {
		lang = fmt.Sprintf(" data-lang=%q", lang)
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", integrity(script), integrity(style))
	head, tail, _ := strings.Cut(index, `</body>`)
	head = strings.NewReplacer(
		`<html lang="en">`, `<html lang="en"`+lang+`>`,
		`<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`,
		`<title>apitrace</title>`, `<title>`+html.EscapeString(title)+` · apitrace</title>`,
		pageStyle, "<style>"+style+"</style>",
		pageScript+"\n", "",
	).Replace(head)
	out := bufio.NewWriter(w)
	out.WriteString(head + "\n" + `<script type="application/gzip;base64" id="data">`)
	text := base64.NewEncoder(base64.StdEncoding, out)
	packed, err := gzip.NewWriterLevel(text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := errors.Join(writePieces(packed, data), packed.Close(), text.Close()); err != nil {
		return err
	}
	out.WriteString("</script>\n<script>" + script + "</script>\n</body>" + tail)
	return out.Flush()
}

// writePieces writes the pieces as one JSON object. It deletes
// each piece from data as soon as the piece is encoded.
func writePieces(w io.Writer, data pieces) error {
	for i, key := range slices.Sorted(maps.Keys(data)) {
		name, err := encode(key)
		if err != nil {
			return err
		}
		text, err := encode(data[key])
		if err != nil {
			return err
		}
		delete(data, key)
		before := ","
		if i == 0 {
			before = "{"
		}
		for _, part := range [][]byte{[]byte(before), bytes.TrimSuffix(name, []byte("\n")), []byte(":"), bytes.TrimSuffix(text, []byte("\n"))} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, "}\n")
	return err
}

const (
	pageStyle  = `<link rel="stylesheet" href="page.css">`
	pageScript = `<script src="page.js" defer></script>`
)

// pageParts returns the files of the page. script and style can be inserted
// into HTML: the bundler never writes "</script" or "</style" into them.
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

// integrity returns the hash that allows an inline
// script or style sheet in a content security policy.
func integrity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// encode returns data as JSON, followed by a
// newline. It does not escape HTML characters.
func encode(data any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(data)
	return out.Bytes(), err
}

// compress compresses a piece of a site. The best level would save 5 % of the size, and cost
// a fourth more processor time for the whole site.
func compress(data []byte) ([]byte, error) {
	const level = 6
	var out bytes.Buffer
	to, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := to.Write(data); err != nil {
		return nil, err
	}
	err = to.Close()
	return out.Bytes(), err
}
