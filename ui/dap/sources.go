package dap

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"
	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// sources are the files of a request's calls: their places and recorded lines. A file's
// place stays the same for the whole session.
type sources struct {
	// lines are the recorded lines of each file, sorted: lines where functions begin and lines
	// that make calls.
	lines map[string][]int
	// begins are only the lines where functions begin.
	begins map[string][]int
	// files are all files, sorted. A client requests a file that is not on its disk by
	// its number here, from 1.
	files []string
	// process has, by file, a program with the file. shown has, by file, the source that
	// the client got.
	process map[string]string
	shown   map[string]*dap.Source
}

// newSources looks for the request's files: first in the checkout, if its files match the
// recording, then in the release's source, if it is on this machine.
func (s *session) newSources(checkout string) *sources {
	src := &sources{lines: map[string][]int{}, begins: map[string][]int{}, process: map[string]string{}, shown: map[string]*dap.Source{}}
	tree := s.walker.Tree
	for i := range tree.Len() {
		c := tree.Call(i)
		if c.File == "" {
			continue
		}
		src.process[c.File] = c.Process
		src.lines[c.File] = append(src.lines[c.File], c.Line)
		src.begins[c.File] = append(src.begins[c.File], c.Line)
		if parent := tree.Parent(i); parent >= 0 && c.CallerLine > 0 {
			caller := tree.Call(parent).File
			src.lines[caller] = append(src.lines[caller], c.CallerLine)
		}
	}
	for _, lines := range []map[string][]int{src.lines, src.begins} {
		for file := range lines {
			slices.Sort(lines[file])
			lines[file] = slices.Compact(lines[file])
		}
	}
	src.files = slices.Sorted(maps.Keys(src.begins))
	folders := map[string]string{} // "" if there is none
	for i, file := range src.files {
		process := src.process[file]
		folder, known := folders[process]
		if !known {
			folder, _ = s.library.SourceFolder(s.ctx, s.rec, process, false)
			folders[process] = folder
		}
		src.shown[file] = src.locate(i, folder, checkout)
		if slices.Contains(s.rec.Edited, file) {
			src.shown[file].Origin = s.printer.Sprintf("edited when it was recorded")
		}
	}
	return src
}

// locate returns a file's place, or a reference for requesting it.
func (src *sources) locate(number int, folder, checkout string) *dap.Source {
	file := src.files[number]
	shown := &dap.Source{Name: path.Base(file)}
	if below, ok := trace.KubernetesPath(file); ok && checkout != "" && !trace.ProcessOf(src.process[file]).Store {
		if at := filepath.Join(checkout, filepath.FromSlash(below)); src.holds(at, file) {
			shown.Path = at
			return shown
		}
	}
	if folder != "" {
		if at := filepath.Join(folder, filepath.FromSlash(file)); src.holds(at, file) {
			shown.Path = at
			return shown
		}
	}
	shown.Path, shown.SourceReference = file, number+1
	return shown
}

// holds reports whether functions begin at a file's recorded lines.
func (src *sources) holds(at, file string) bool {
	text, err := bounded.ReadFile(at, bounded.MaxText)
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	for _, n := range src.begins[file] {
		if n > len(lines) || !strings.Contains(lines[n-1], "func") {
			return false
		}
	}
	return true
}

// of returns the source of a call.
func (src *sources) of(c *trace.Call) *dap.Source { return src.shown[c.File] }

// find returns the file that a client means.
func (src *sources) find(wanted *dap.Source) (string, error) {
	if n := wanted.SourceReference; n > 0 {
		if n > len(src.files) {
			return "", message.Errorf("there is no source %d", n)
		}
		return src.files[n-1], nil
	}
	at := filepath.ToSlash(wanted.Path)
	// The path is in a vendor folder or in staging/src, or as sent to the client.
	for _, file := range src.files {
		if at == file || strings.HasSuffix(at, "/"+file) {
			return file, nil
		}
	}
	if file := inModule(at); src.begins[file] != nil {
		return file, nil
	}
	return "", message.Errorf("the request makes no recorded call in %s", wanted.Path)
}

// inModule returns a file's path in a module, in the form of trace.Call.File, or ""
// without a go.mod above.
func inModule(file string) string {
	for dir := path.Dir(file); filepath.IsAbs(filepath.FromSlash(dir)); dir = path.Dir(dir) {
		if text, err := bounded.ReadFile(filepath.FromSlash(dir+"/go.mod"), bounded.MaxText); err == nil {
			return path.Join(modfile.ModulePath(text), strings.TrimPrefix(file, dir))
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	return ""
}

// lineWithCalls returns the line where a breakpoint stops: the requested line if it makes
// a recorded call or a recorded function begins there. Otherwise it is the next line that
// makes a recorded call before another recorded function begins, or 0; why then explains
// the difference.
func (src *sources) lineWithCalls(file string, line int) (at int, why message.Message) {
	lines := src.lines[file]
	i, exact := slices.BinarySearch(lines, line)
	switch {
	case exact:
		return line, message.Message{}
	case i < len(lines) && !slices.Contains(src.begins[file], lines[i]):
		return lines[i], message.Of("line %d makes no recorded call: moved to the next line that does", line)
	case i < len(lines):
		return 0, message.Of("line %d makes no recorded call, nor does any line before the next recorded function, at line %d", line, lines[i])
	}
	return 0, message.Of("no line from %d on makes a recorded call", line)
}

// source sends a file that is not on the client's disk. It downloads the source if
// necessary.
func (s *session) source(r *dap.SourceArguments) (dap.ResponseMessage, error) {
	wanted := dap.Source{SourceReference: r.SourceReference}
	if r.Source != nil {
		wanted.Path = r.Source.Path
		wanted.SourceReference = max(r.SourceReference, r.Source.SourceReference)
	}
	file, err := s.sources.find(&wanted)
	if err != nil {
		return nil, err
	}
	folder, err := s.library.SourceFolder(s.ctx, s.rec, s.sources.process[file], true)
	if err != nil {
		return nil, message.Errorf("source of %s: %w", file, err)
	}
	at := filepath.Join(folder, filepath.FromSlash(file))
	text, err := bounded.ReadFile(at, bounded.MaxText)
	if err != nil {
		return nil, message.Errorf("source of %s: %w", file, err)
	}
	if !s.sources.holds(at, file) {
		return nil, message.Errorf("source of %s: no functions begin at the recorded lines of %s: another version was recorded", file, at)
	}
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: string(text), MimeType: "text/x-go"}}, nil
}

// loadedSources lists the files of the request.
func (s *session) loadedSources() dap.ResponseMessage {
	list := make([]dap.Source, 0, len(s.sources.files))
	for _, file := range s.sources.files {
		list = append(list, *s.sources.shown[file])
	}
	return &dap.LoadedSourcesResponse{Body: dap.LoadedSourcesResponseBody{Sources: list}}
}
