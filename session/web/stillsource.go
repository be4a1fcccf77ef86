package web

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// sourcePiece has the sources of the functions of a package that have recorded calls.
type sourcePiece struct {
	// Program is the program with its version.
	Program   string                  `json:"program"`
	Functions map[string]packedSource `json:"functions"`
}

// packedSource is the source of a function, or the reason in Missing why there is none.
type packedSource struct {
	First int `json:"first,omitempty"`
	Last  int `json:"last,omitempty"`
	// Lines are lines of tokens. Each token begins with the letter of its kind (kindLetters).
	Lines [][]string `json:"lines,omitempty"`
	// Spanless are functions without a span that the text calls.
	Spanless []packedSpanless `json:"spanless,omitempty"`
	// Notice is the copyright notice at the head of the file, as a number in noticePiece.Texts.
	Notice int `json:"notice,omitempty"`
	// Missing is a sentence, or "absent" if the machine that wrote the data did not have the program's sources.
	Missing string `json:"missing,omitempty"`
}

type packedSpanless struct {
	Line     int    `json:"line"`
	Function string `json:"function"`
	Name     string `json:"name"`
}

// absent is the value of packedSource.Missing if the program's sources were not on the machine.
const absent = "absent"

// noticePiece has the copyright notices and the licences of sources.
type noticePiece struct {
	// Texts are notices and licences; the first one is empty.
	Texts []string `json:"texts"`
	// Licences maps a folder, mostly that of a module, to the licence of its files, as a number in Texts.
	Licences map[string]int `json:"licences"`
}

// kindLetters are the letters of the kinds of tokens.
var kindLetters = map[string]string{
	"": " ", "keyword": "k", "string": "s", "number": "n", "comment": "c", "function": "f", "builtin": "b", "type": "t",
}

// sources writes the pieces with the sources of all functions that recordings of one release call.
func (s *packer) sources(release string, of []*loaded, put func(piece) error) error {
	wanted := map[string]map[string]*calledFunction{} // by process and folder, by function
	for _, l := range of {
		for i := range l.rec.Requests {
			for n := range l.rec.Requests[i].Calls {
				c := &l.rec.Requests[i].Calls[n]
				folder := path.Join(c.Process, path.Dir(c.File))
				if c.File == "" { // one of upstream's own spans
					continue
				}
				if wanted[folder] == nil {
					wanted[folder] = map[string]*calledFunction{}
				}
				wanted[folder][c.Function] = &calledFunction{l.rec, c}
			}
		}
	}
	notices := map[string]*notices{} // by process
	for _, folder := range slices.Sorted(maps.Keys(wanted)) {
		process, _, _ := strings.Cut(folder, "/")
		if notices[process] == nil {
			notices[process] = newNotices()
		}
		packed, err := s.sourcesOf(wanted[folder], notices[process])
		if err != nil {
			return err
		}
		if err := put(piece{"source/" + release + "/" + folder, packed}); err != nil {
			return err
		}
	}
	for _, process := range slices.Sorted(maps.Keys(notices)) {
		if err := put(piece{"notices/" + release + "/" + process, notices[process].noticePiece}); err != nil {
			return err
		}
	}
	return nil
}

// A calledFunction is a function with the place that a recorded call has.
type calledFunction struct {
	rec  *trace.Recording
	call *trace.Call
}

// sourcesOf packs functions of one package of one program.
func (s *packer) sourcesOf(functions map[string]*calledFunction, notices *notices) (*sourcePiece, error) {
	out := &sourcePiece{Functions: map[string]packedSource{}}
	packages := map[string]*source.Package{}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		rec, c := functions[name].rec, functions[name].call
		out.Program = strings.TrimSpace(c.Process + " " + rec.Version(c.Process))
		tree, err := s.api.sourceTree(rec, c)
		if err != nil && !slices.Contains(rec.Edited, c.File) {
			out.Functions[name] = packedSource{Missing: absent}
			continue
		}
		if err != nil {
			out.Functions[name] = packedSource{Missing: err.Error()}
			continue
		}
		packed, err := s.sourceOf(tree, packages, rec, c)
		if missing := new(refusal); errors.As(err, &missing) && missing.Status == http.StatusNotFound {
			packed.Missing = missing.Message
		} else if err != nil {
			return nil, err
		} else if packed.Notice, err = notices.of(tree.Dir, c.File); err != nil {
			return nil, err
		}
		out.Functions[name] = packed
	}
	return out, nil
}

// sourceOf packs the function of a call. It keeps the packages that it reads.
func (s *packer) sourceOf(tree *source.Tree, packages map[string]*source.Package, rec *trace.Recording, c *trace.Call) (packedSource, error) {
	var err error
	in := funcname.Package(c.Function)
	if packages[in] == nil {
		if packages[in], err = tree.Package(in); err != nil {
			return packedSource{}, ran(nil, err, c)
		}
	}
	f, err := packages[in].Function(c.Function)
	if err := ran(f, err, c); err != nil {
		return packedSource{}, err
	}
	out := packedSource{First: f.First, Last: f.Last}
	if out.Lines, err = s.packedLines(f); err != nil {
		return out, err
	}
	text := &Source{}
	addSpanless(text, f, c.Process, rec.K8sVersion)
	for _, m := range text.Marks {
		out.Spanless = append(out.Spanless, packedSpanless{m.Line, m.Function, m.Name})
	}
	return out, nil
}

// packedLines caches highlighted texts: most functions do not change between releases.
func (s *packer) packedLines(f *source.Function) ([][]string, error) {
	if known, ok := s.lines[f.Text]; ok {
		return known, nil
	}
	lines, err := highlight(f)
	if err != nil {
		return nil, err
	}
	packed := [][]string{}
	for _, line := range lines {
		packed = append(packed, packLine(line))
	}
	s.lines[f.Text] = packed
	return packed, nil
}

func packLine(line SourceLine) []string {
	packed := []string{}
	for _, token := range line.Tokens {
		packed = append(packed, kindLetters[token.Kind]+token.Text)
	}
	return packed
}

// notices collects the notices and the licences of files.
type notices struct {
	noticePiece
	known numbers[string]
	files map[string]int
}

func newNotices() *notices {
	n := &notices{noticePiece{nil, map[string]int{}}, numbers[string]{}, map[string]int{}}
	n.add("")
	return n
}

func (n *notices) add(text string) int {
	number, isNew := n.known.of(text)
	if isNew {
		n.Texts = append(n.Texts, text)
	}
	return number
}

// of returns the number of the notice of a file below a folder, and adds the licence of the file.
func (n *notices) of(dir, file string) (int, error) {
	if number, known := n.files[file]; known {
		return number, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return 0, err
	}
	n.files[file] = n.add(notice(text))
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if _, known := n.Licences[folder]; known {
			break
		}
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(folder), "LICENSE*"))
		if err != nil {
			return 0, fmt.Errorf("the licence of %s: %w", folder, err)
		}
		if len(found) > 0 {
			licence, err := os.ReadFile(found[0])
			if err != nil {
				return 0, err
			}
			n.Licences[folder] = n.add(string(licence))
			break
		}
	}
	return n.files[file], nil
}

// notice returns the first comment before the package clause that states a copyright, or "".
func notice(text []byte) string {
	head, _, _ := bytes.Cut(text, []byte("\npackage "))
	for part := range bytes.SplitSeq(head, []byte("\n\n")) {
		if bytes.Contains(part, []byte("Copyright")) {
			start := bytes.Index(head, part)
			rest := head[start:]
			if end := bytes.Index(rest, []byte("*/")); bytes.HasPrefix(part, []byte("/*")) && end >= 0 {
				return string(rest[:end+2])
			}
			return string(part)
		}
	}
	return ""
}
