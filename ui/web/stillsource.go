package web

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// sourcePiece has the sources of a package's called functions. Keys name the
// sources of a recording. All recordings of a release have the same key.
type sourcePiece struct {
	// Programs has the name and the version of the program, by key.
	Programs map[string]string `json:"programs"`
	// Texts are the texts of functions. A text is a list of lines, a line is a list of
	// tokens.
	Texts [][][]Token `json:"texts"`
	// Functions has the sources of a function, by its name. In most releases a function
	// has the same text as in the release before, at another line.
	Functions map[string][]packedSource `json:"functions"`
}

// packedSource is the source of a function. Without a source,
// Missing has the reason.
type packedSource struct {
	// Of has the keys of the sources with this entry. First is the
	// number of the first line.
	Of    []string `json:"of"`
	First int      `json:"first,omitempty"`
	// Text is an index into sourcePiece.Texts.
	Text int `json:"text"`
	// Spanless are the functions without a span that the text calls.
	Spanless []packedSpanless `json:"spanless,omitempty"`
	// Notice is the copyright notice at the head of the file, as an index into
	// noticePiece.Texts.
	Notice int `json:"notice,omitempty"`
	// Missing is a sentence, or "absent" if the machine that wrote the data did not
	// have the program's sources.
	Missing string `json:"missing,omitempty"`
}

type packedSpanless struct {
	Line     int    `json:"line"`
	Function string `json:"function"`
	Name     string `json:"name"`
}

// absent is the value of packedSource.Missing if the program's sources were not on the
// machine.
const absent = "absent"

// noticePiece has the copyright notices and the licences of sources.
type noticePiece struct {
	// Texts are notices and licences. The first one is empty.
	Texts []string `json:"texts"`
	// Licences has indexes into Texts. The first key names the sources. The second key
	// is the folder of the licence, usually a module. The licence applies to its files.
	Licences map[string]map[string]int `json:"licences"`
}

// A sourceBook collects functions and finds their source texts.
type sourceBook struct {
	// wanted has the collected functions, by program and folder, then by the key
	// of the sources, then by name.
	wanted map[string]map[string]map[string]*calledFunction
	// texts has the functions with a source text.
	texts map[sourceName]*source.Function
	// missing has the reasons why the other functions have no source text.
	missing map[sourceName]string
	// known has each text once, because most texts are the same in several releases.
	known map[string]string
}

type sourceName struct{ key, process, function string }

// A calledFunction is a function and its place, taken from a recorded call.
type calledFunction struct {
	rec  *trace.Recording // without its requests
	call *trace.Call      // only the fields of the function are set
}

func newSourceBook() *sourceBook {
	return &sourceBook{map[string]map[string]map[string]*calledFunction{}, map[sourceName]*source.Function{}, map[sourceName]string{}, map[string]string{}}
}

// want adds the functions of a recording's calls to wanted. Recordings with the
// same key have the same sources.
func (s *sourceBook) want(key string, rec *trace.Recording) {
	head := *rec
	head.Requests = nil
	for i := range rec.Requests {
		for n := range rec.Requests[i].Calls {
			c := &rec.Requests[i].Calls[n]
			if c.File == "" { // upstream's own spans have no source
				continue
			}
			folder := path.Join(c.Process, path.Dir(c.File))
			if s.wanted[folder] == nil {
				s.wanted[folder] = map[string]map[string]*calledFunction{}
			}
			if s.wanted[folder][key] == nil {
				s.wanted[folder][key] = map[string]*calledFunction{}
			}
			if s.wanted[folder][key][c.Function] == nil {
				s.wanted[folder][key][c.Function] = &calledFunction{&head, &trace.Call{Function: c.Function, File: c.File, Line: c.Line, Process: c.Process}}
			}
		}
	}
}

// sources puts the sources of all wanted functions, and their
// licences, into pieces.
func (s *packer) sources(put func(piece) error) error {
	notices := map[string]*notices{} // by process
	for _, folder := range slices.Sorted(maps.Keys(s.book.wanted)) {
		process, _, _ := strings.Cut(folder, "/")
		if notices[process] == nil {
			notices[process] = newNotices()
		}
		packed, err := s.sourcesOf(s.book.wanted[folder], notices[process])
		if err != nil {
			return err
		}
		if err := put(piece{"source/" + folder, packed}); err != nil {
			return err
		}
	}
	for _, process := range slices.Sorted(maps.Keys(notices)) {
		if err := put(piece{"notices/" + process, notices[process].noticePiece}); err != nil {
			return err
		}
	}
	return nil
}

// sourcesOf packs functions of one package of one program.
func (s *packer) sourcesOf(wanted map[string]map[string]*calledFunction, notices *notices) (*sourcePiece, error) {
	out := &sourcePiece{Programs: map[string]string{}, Texts: [][][]Token{}, Functions: map[string][]packedSource{}}
	texts := numbers[string]{}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		packages := map[string]*source.Package{}
		for _, name := range slices.Sorted(maps.Keys(wanted[key])) {
			rec, c := wanted[key][name].rec, wanted[key][name].call
			out.Programs[key] = strings.TrimSpace(c.Process + " " + rec.Version(c.Process))
			f, packed, err := s.sourceOf(packages, key, rec, c, notices)
			if err != nil {
				return nil, err
			}
			if packed.Missing == "" {
				number, isNew := texts.of(f.Text)
				if packed.Text = number; isNew {
					out.Texts = append(out.Texts, packedLines(f))
				}
			}
			at := slices.IndexFunc(out.Functions[name], func(known packedSource) bool { return known.same(packed) })
			if at < 0 {
				at = len(out.Functions[name])
				out.Functions[name] = append(out.Functions[name], packed)
			}
			out.Functions[name][at].Of = append(out.Functions[name][at].Of, key)
		}
	}
	return out, nil
}

func (p packedSource) same(q packedSource) bool {
	return p.First == q.First && p.Text == q.Text && p.Notice == q.Notice && p.Missing == q.Missing && slices.Equal(p.Spanless, q.Spanless)
}

// sourceOf finds the source of a call's function. It does not set Text. It adds
// the packages that it reads to packages.
func (s *packer) sourceOf(packages map[string]*source.Package, key string, rec *trace.Recording, c *trace.Call, notices *notices) (*source.Function, packedSource, error) {
	name := sourceName{key, c.Process, c.Function}
	tree, err := s.api.sourceTree(rec, c)
	if err != nil && !slices.Contains(rec.Edited, c.File) {
		s.book.missing[name] = absent
		return nil, packedSource{Missing: absent}, nil
	}
	var f *source.Function
	if err == nil {
		f, err = functionIn(rec, tree, packages, c)
	}
	if missing := new(refusal); errors.As(err, &missing) && missing.status == http.StatusNotFound {
		s.book.missing[name] = missing.Error()
		return nil, packedSource{Missing: missing.Error()}, nil
	}
	if err != nil {
		return nil, packedSource{}, err
	}
	s.book.add(name, f)
	out := packedSource{First: f.First}
	text := &Source{}
	addSpanless(text, f, c.Process, rec.K8sVersion)
	for _, m := range text.Marks {
		out.Spanless = append(out.Spanless, packedSpanless{m.Line, m.Function, m.Name})
	}
	out.Notice, err = notices.of(key, tree.Dir, c.File)
	return f, out, err
}

// functionIn finds the function of a call in a tree. If the tree does not have the
// function, the error has status 404.
func functionIn(rec *trace.Recording, tree *source.Tree, packages map[string]*source.Package, c *trace.Call) (f *source.Function, err error) {
	in := funcname.Package(c.Function)
	if packages[in] == nil {
		if packages[in], err = tree.Package(in); err != nil {
			return nil, checkSource(rec, nil, err, c)
		}
	}
	f, err = packages[in].Function(c.Function)
	return f, checkSource(rec, f, err, c)
}

// add keeps a function. Functions with equal texts share one text.
func (s *sourceBook) add(name sourceName, f *source.Function) {
	if _, ok := s.known[f.Text]; !ok {
		text := strings.Clone(f.Text) // without the clone, the text would keep its whole file in memory
		s.known[text] = text
	}
	kept := *f
	kept.Text = s.known[f.Text]
	s.texts[name] = &kept
}

func packedLines(f *source.Function) [][]Token {
	packed := [][]Token{}
	for _, line := range highlight(f) {
		packed = append(packed, line.Tokens)
	}
	return packed
}

// notices collects the copyright notices and the licences of files.
type notices struct {
	noticePiece
	known numbers[string]
	files map[[2]string]int // by the key of the sources, and path
}

func newNotices() *notices {
	n := &notices{noticePiece{nil, map[string]map[string]int{}}, numbers[string]{}, map[[2]string]int{}}
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

// of returns the index of a file's notice in Texts, and adds the file's licence.
// dir is the folder with the source.
func (n *notices) of(key, dir, file string) (int, error) {
	at := [2]string{key, file}
	if number, known := n.files[at]; known {
		return number, nil
	}
	text, err := bounded.ReadFile(filepath.Join(dir, filepath.FromSlash(file)), bounded.MaxText)
	if err != nil {
		return 0, err
	}
	n.files[at] = n.add(notice(text))
	if n.Licences[key] == nil {
		n.Licences[key] = map[string]int{}
	}
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if _, known := n.Licences[key][folder]; known {
			break
		}
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(folder), "LICENSE*"))
		if err != nil {
			return 0, fmt.Errorf("the licence of %s: %w", folder, err)
		}
		if len(found) > 0 {
			licence, err := bounded.ReadFile(found[0], bounded.MaxText)
			if err != nil {
				return 0, err
			}
			n.Licences[key][folder] = n.add(string(licence))
			break
		}
	}
	return n.files[at], nil
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
