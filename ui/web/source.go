package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func (a *api) getCallSource(r *restful.Request) (any, error) {
	t, i, err := a.callOf(r)
	if err != nil {
		return nil, err
	}
	c := t.tree.Call(i)
	f, out, err := a.read(t.rec, c)
	if missing := new(refusal); errors.As(err, &missing) && missing.status == http.StatusNotFound {
		said := missing.in(printerFor(r.Request))
		return Source{
			Function: c.Function, File: c.File, Line: c.Line, Program: strings.TrimSpace(c.Process + " " + t.rec.Version(c.Process)),
			URL: t.rec.SourceURL(c), Lines: []SourceLine{}, Marks: []Mark{}, Missing: said.Message, Action: said.Action,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	addSpanless(out, f, c.Process, t.rec.K8sVersion)
	return out, nil
}

// read returns the source of a call's function. If the
// source is not available, the error has status 404.
func (a *api) read(rec *trace.Recording, c *trace.Call) (*source.Function, *Source, error) {
	tree, err := a.sourceTree(rec, c)
	if err != nil {
		return nil, nil, err
	}
	f, err := tree.Function(c.Function)
	if err := checkSource(rec, f, err, c); err != nil {
		return nil, nil, err
	}
	lines := highlight(f)
	return f, &Source{Function: f.Name, File: f.File, Line: f.Line, Program: tree.String(), URL: rec.SourceURL(c), Lines: lines, Marks: []Mark{}}, nil
}

// sourceTree returns the source tree that has a call's function. If it is not
// available, the error has status 404.
func (a *api) sourceTree(rec *trace.Recording, c *trace.Call) (*source.Tree, error) {
	if slices.Contains(rec.Edited, c.File) {
		return nil, notFound(message.Errorf("%s was edited for this recording: upstream's source is not the source that ran", c.File), message.Message{})
	}
	folder, err := a.library.sourceFolder(c.Process, rec.K8sVersion)
	if err != nil {
		return nil, err
	}
	return &source.Tree{Program: c.Process, Version: rec.Version(c.Process), Dir: folder}, nil
}

// checkSource returns nil if f is the function that ran in call c. Otherwise it returns
// an error with status 404 and the reason. err is the error of looking f up.
func checkSource(rec *trace.Recording, f *source.Function, err error, c *trace.Call) error {
	if err != nil && standard(rec, c) {
		return notFound(message.Errorf("%s belongs to Go's standard library, whose source is not shown here", c.Function), message.Message{})
	}
	if err != nil {
		return notFound(message.Errorf("source of %s: %w", c.Function, err), message.Message{})
	}
	if f.Line != c.Line {
		return notFound(message.Errorf("the source on this machine has %s in line %d, but the recording has it in line %d: the source is of another version", c.Function, f.Line, c.Line), message.Message{})
	}
	return nil
}

// standard reports whether a function belongs to Go's standard library. The path
// of a module that others can require begins with a domain, and the path of a
// standard package does not. The user's own server may have any module path, so
// it is checked separately.
func standard(rec *trace.Recording, c *trace.Call) bool {
	first, _, _ := strings.Cut(c.File, "/")
	return !strings.Contains(first, ".") && !slices.ContainsFunc(rec.OwnServers(), func(s trace.OwnServer) bool {
		return strings.HasPrefix(c.File, s.Module+"/")
	})
}

// addSpanless adds marks for the functions without a span that f calls.
func addSpanless(out *Source, f *source.Function, process, k8sVersion string) {
	known, err := recordings.CodeOf(k8sVersion)
	if err != nil || known == nil { // without an index of the release, there are no marks
		return
	}
	for _, m := range source.SpanlessMarks(f, process, known) {
		out.Marks = append(out.Marks, Mark{Line: m.Line, Function: m.Function, Name: funcname.Short(m.Function), NoSpan: true})
	}
	slices.SortStableFunc(out.Marks, func(a, b Mark) int { return a.Line - b.Line })
}

func (a *api) getSource(r *restful.Request) (any, error) {
	release, err := recordings.Resolve(r.PathParameter("release"))
	if err != nil {
		return nil, err
	}
	function, err := functionOf(release, r.QueryParameter("function"))
	if err != nil {
		return nil, err
	}
	of, err := a.recordingsOf(release, r.QueryParameter("scenario"), function.Function)
	if err != nil {
		return nil, err
	}
	f, out, err := a.readReleased(release, function, of)
	if err != nil {
		return nil, err
	}
	for _, m := range source.Marks(f, of) {
		out.Marks = append(out.Marks, Mark{Line: m.Line, Function: m.Function, Name: funcname.Short(m.Function), Count: m.Calls})
	}
	addSpanless(out, f, function.Process, release)
	return out, nil
}

// readReleased returns the source of a function of a release. of are the recordings that
// call it. Without any, only the source tells the function's line.
func (a *api) readReleased(release string, function *releasedFunction, of []*trace.Recording) (*source.Function, *Source, error) {
	call := &trace.Call{Function: function.Name, File: function.File, Line: function.Line, Process: function.Process}
	if len(of) > 0 {
		return a.read(of[0], call)
	}
	infos, err := recordings.Versions()
	if err != nil {
		return nil, nil, err
	}
	head := &trace.Recording{K8sVersion: release}
	for _, info := range infos {
		if info.K8sVersion == release {
			head.EtcdVersion = info.EtcdVersion
		}
	}
	tree, err := a.sourceTree(head, call)
	if err != nil {
		return nil, nil, err
	}
	f, err := tree.Function(call.Function)
	if err != nil {
		return nil, nil, notFound(message.Errorf("source of %s: %w", call.Function, err), message.Message{})
	}
	call.File, call.Line = f.File, f.Line
	return a.read(head, call)
}

// recordingsOf returns the recordings that call a function. If
// scenario is not "", it returns only the recording of this scenario.
func (a *api) recordingsOf(release, scenario string, f recordings.Function) ([]*trace.Recording, error) {
	names := f.Scenarios
	if scenario != "" {
		names = []string{scenario}
	}
	var of []*trace.Recording
	for _, name := range names {
		rec, err := recordings.Load(release, name)
		if err != nil {
			return nil, err
		}
		of = append(of, rec)
	}
	return of, nil
}
