package web

import (
	"errors"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	codes "github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// getType returns a type of kube-apiserver. The
// query may have the type's name in any release.
func (a *api) getType(r *restful.Request) (any, error) {
	release, err := recordings.Resolve(r.PathParameter("release"))
	if err != nil {
		return nil, err
	}
	name, err := codes.ResolveType(r.QueryParameter("name"), release)
	if err != nil && !errors.As(err, new(*trace.UnknownFunctionError)) {
		return nil, badRequest(err, message.Of("use the full name of one of them"))
	}
	if err != nil {
		return nil, notFound(err, message.Of("\"apitrace search\" finds names of all releases"))
	}
	folder, err := a.library.sourceFolder(trace.ProcessAPIServer, release)
	if err != nil {
		return nil, err
	}
	t, err := codes.ReleasedType(folder, release, name)
	if err != nil {
		return nil, notFound(message.Errorf("source of %s: %w", name, err), message.Message{})
	}
	lines := highlight(t.Declaration)
	var facts strings.Builder
	if err := render.WriteTypeFacts(&facts, t, printerOf(r)); err != nil {
		return nil, err
	}
	methods := []TypeMethod{}
	for _, m := range t.OtherMethods() {
		ran := t.Ran[m.Name]
		methods = append(methods, TypeMethod{Function: m.Name, Name: funcname.Short(m.Name), File: m.File, Line: m.Line, Scenarios: max(0, ran), NoSpan: ran < 0})
	}
	return Type{
		Name: t.Name, File: t.Place.File, Line: t.Place.Line, Program: t.Place.Program, URL: t.Place.Recording.SourceURL(t.Place.Call), Lines: lines,
		Methods: methods, Interface: t.Interface, Recordings: t.Recordings, Facts: strings.Trim(facts.String(), "\n"),
	}, nil
}
