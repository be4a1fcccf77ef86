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

// sources are the files of a request's calls. A file is shown from the same place
// during the whole session.
type sources struct {
	// lines has the recorded lines of each file, sorted: the first lines of
	// functions, and the lines that make calls.
	lines map[string][]int
	// begins has only the first lines of functions.
	begins map[string][]int
	// files has all files, sorted. The reference of a file that is not on this
	// machine is its number in files, from 1.
	files []string
	// process has a program that contains the file, for each file. shown has the
	// dap.Source that the client gets, for each file.
	process map[string]string
	shown   map[string]*dap.Source
}

// newSources looks for each of the request's files in the checkout, then in the
// release's source on this machine. A file counts only if it matches the recording.
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
	folders := map[string]string{} // by process; "" if the source is not on this machine
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

// locate returns a file's path on this machine or, if it is not here, a
// reference to request it with.
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

// holds reports whether the file at the path at has the word "func" in all
// recorded first lines of functions.
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

// of returns the source of a call's file.
func (src *sources) of(c *trace.Call) *dap.Source { return src.shown[c.File] }

// find returns the file that a client's source names. It is an error if the
// request makes no recorded call in the file.
func (src *sources) find(wanted *dap.Source) (string, error) {
	if n := wanted.SourceReference; n > 0 {
		if n > len(src.files) {
			return "", message.Errorf("there is no source %d", n)
		}
		return src.files[n-1], nil
	}
	at := filepath.ToSlash(wanted.Path)
	// at is the path that the client got. If the user's file is in a vendor folder or
	// in staging/src, at ends with that path.
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

// inModule returns a file's path in the form of trace.Call.File: the module's
// path and the path in the module. It returns "" if no folder above has a go.mod.
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

// lineWithCalls returns the line where a breakpoint for a line stops. This
// is the line itself if it makes a recorded call or a recorded function
// begins there. Otherwise it is the next line with a recorded call. at is 0 if
// there is no such line, or if a recorded function begins before it. why says why
// at differs from line.
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

// source sends the text of a file that is not on the client's disk. It downloads
// the source if necessary.
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
