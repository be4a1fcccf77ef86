package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/view"
)

// shownScenarios is the maximum number of scenarios that the tool
// search names for a text.
const shownScenarios = 5

// width is the width of drawings in columns. It has room for complete names and places.
const width = 140

type scenariosInput struct{ paged }

func (f *toolServer) listScenarios(scenariosInput) (string, error) {
	releases, err := recordings.Versions()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var names []string
	for _, r := range releases {
		names = append(names, r.K8sVersion)
	}
	b.WriteString(f.printer.Sprintf("releases: %s", message.List(names)) + "\n\n")
	all, err := scenarios.List()
	if err != nil {
		return "", err
	}
	for _, s := range all {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Title.In(f.printer.Lang()))
	}
	return b.String(), nil
}

type searchInput struct {
	paged
	Text string `json:"text"`
}

func (f *toolServer) find(in searchInput) (string, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", message.Errorf("the text to search for is empty")
	}
	hits, err := search.Text(in.Text)
	if err != nil {
		return "", err
	}
	released, err := search.Names(in.Text, len(hits) == 0)
	if err != nil {
		return "", err
	}
	if len(hits)+len(released) == 0 {
		names, err := search.Functions()
		if err != nil {
			return "", err
		}
		return "", &trace.UnknownFunctionError{Query: in.Text, Where: message.Of("any recording, nor a value or an error with this text"), Near: trace.NearFunctions(in.Text, names)}
	}
	var b strings.Builder
	for _, h := range hits {
		var names []string
		for _, p := range h.Places {
			names = append(names, p.Scenario)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		in := message.Of("in %s", message.List(names))
		if n := len(names) - shownScenarios; n > 0 {
			in = message.Of("in %s and %d more", message.List(names[:shownScenarios]), n)
		}
		fmt.Fprintf(&b, "%s\n  %s\n", h.Text, in.Localize(f.printer))
	}
	if len(released) > 0 {
		fmt.Fprintf(&b, "\n%s\n", search.NamesTitle.Localize(f.printer))
	}
	for _, n := range released {
		fmt.Fprintf(&b, "%s\n  %s\n", n.Name, search.Fate(n).Localize(f.printer))
	}
	return b.String(), nil
}

type treeInput struct {
	paged
	Scenario string `json:"scenario"`
	K8s      string `json:"k8s,omitempty"`
	View     string `json:"view,omitempty"`
}

func (f *toolServer) showTree(in treeInput) (string, error) {
	rec, err := recordings.Load(in.K8s, in.Scenario)
	if err != nil {
		return "", err
	}
	return f.treeOf(rec, in.View)
}

// treeOf draws a recording in a view: "outline", "path" or
// "full". "" means "path".
func (f *toolServer) treeOf(rec *trace.Recording, name string) (string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	options := render.Options{Options: view.Options{Lang: f.printer.Lang()}, Layout: render.Layout{Width: width, Legend: true}}
	write := render.WriteTree
	switch cmp.Or(name, "path") {
	case "outline":
		options.Outline, write = true, render.WriteOutline
	case "path":
		options.Notes = true
	case "full":
		options.Full = true
	default:
		return "", unknownView(name)
	}
	traces, err := view.NewTraces(rec, guide.ForReader(f.printer.Lang(), rec), options.Options)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = write(&b, traces, options)
	return b.String(), err
}

func unknownView(view string) error {
	return message.Errorf("view %q: expected outline, path or full", view)
}

// A functionInput names a function of a release. An empty K8s
// means the newest release.
type functionInput struct {
	paged
	Function string `json:"function"`
	K8s      string `json:"k8s,omitempty"`
}

// resolve returns the recorded function that the input names, and the
// recordings that call it. If the name matches several functions or
// none, it returns an error.
func (in functionInput) resolve() (recordings.Function, []*trace.Recording, error) {
	called, err := recordings.Functions(in.K8s)
	if err != nil {
		return recordings.Function{}, nil, err
	}
	var names []string
	byName := map[string]recordings.Function{}
	for _, f := range called {
		names = append(names, f.Name)
		byName[f.Name] = f
	}
	found := trace.FindFunctions(in.Function, names)
	switch len(found) {
	case 0:
		return recordings.Function{}, nil, &trace.UnknownFunctionError{Query: in.Function, Where: message.Of("the recordings of the release"), Near: trace.NearFunctions(in.Function, names)}
	case 1:
	default:
		return recordings.Function{}, nil, &trace.AmbiguousFunctionError{Query: in.Function, Candidates: found}
	}
	f := byName[found[0]]
	var of []*trace.Recording
	for _, scenario := range f.Scenarios {
		rec, err := recordings.Load(in.K8s, scenario)
		if err != nil {
			return f, nil, err
		}
		of = append(of, rec)
	}
	return f, of, nil
}

func (f *toolServer) explainFunction(in functionInput) (string, error) {
	function, of, err := in.resolve()
	if err != nil {
		return "", err
	}
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	readerGuide := guide.ForReader(f.printer.Lang(), of...)
	call := &trace.Call{Process: function.Process, File: function.File, Line: function.Line}
	p := &explain.Page{
		Function: function.Name, Layer: readerGuide.Title(readerGuide.Layer(function.Name)), Note: readerGuide.Note(function.Name),
		File: function.File, Line: function.Line, Program: function.Process + " " + of[0].Version(function.Process), URL: of[0].SourceURL(call),
		Recordings: len(of), Merged: true,
	}
	if p.Activities, err = explain.Look(function.Name, of); err != nil {
		return "", err
	}
	known, err := recordings.CodeOf(of[0].K8sVersion)
	if err != nil {
		return "", err
	}
	if known != nil {
		p.Spanless = explain.Spanless(known, function.Process, function.Name, function.File, function.Line)
	}
	var b strings.Builder
	err = p.Write(&b, explain.WriteOptions{Width: width, Lang: f.printer.Lang()})
	return b.String(), err
}

func (f *toolServer) showSource(in functionInput) (string, error) {
	function, of, err := in.resolve()
	if unknown := new(trace.UnknownFunctionError); errors.As(err, &unknown) {
		text, typeErr := f.typeSource(in)
		noType := new(trace.UnknownFunctionError)
		if !errors.As(typeErr, &noType) {
			return text, typeErr
		}
		unknown.Types, unknown.Near = true, lineage.Near(unknown.Query, append(unknown.Near, noType.Near...))
	}
	if err != nil {
		return "", err
	}
	version := of[0].K8sVersion
	folder, err := controlplane.CachedSourceOf(function.Process, version, nil)
	if err != nil {
		return "", message.Errorf("source of %s: %w; this tool fetches nothing: \"apitrace source %s --k8s %s\" does", function.Name, err, "'"+function.Name+"'", version)
	}
	tree := &source.Tree{Program: function.Process, Version: of[0].Version(function.Process), Dir: folder}
	text, err := tree.Function(function.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s:%d, %s\n\n", function.Name, function.File, function.Line, tree)
	err = source.Print(&b, text, source.PrintOptions{Marks: source.Marks(text, of), Lang: f.printer.Lang()})
	return b.String(), err
}

// typeSource shows a type. If no release has a type of this name, the error is a
// *trace.UnknownFunctionError.
func (f *toolServer) typeSource(in functionInput) (string, error) {
	version, err := recordings.Resolve(cmp.Or(in.K8s, recordings.Latest))
	if err != nil {
		return "", err
	}
	name, err := code.ResolveType(in.Function, version)
	if gone := new(lineage.GoneError); errors.As(err, &gone) {
		return "", errors.New(f.printer.Error(err)) // a plain error, which showSource does not replace
	}
	if err != nil {
		return "", err
	}
	folder, err := controlplane.CachedSourceOf(trace.ProcessAPIServer, version, nil)
	if err != nil {
		return "", message.Errorf("source of %s: %w; this tool fetches nothing: \"apitrace source %s --k8s %s\" does", name, err, "'"+name+"'", version)
	}
	t, err := code.ReleasedType(folder, version, name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = render.WriteType(&b, t, source.PrintOptions{Lang: f.printer.Lang()})
	return b.String(), err
}

type diffInput struct {
	paged
	Scenario string `json:"scenario"`
	From     string `json:"from"`
	To       string `json:"to"`
	Tree     bool   `json:"tree,omitempty"`
}

func (f *toolServer) compare(in diffInput) (string, error) {
	a, err := recordings.Load(in.From, in.Scenario)
	if err != nil {
		return "", err
	}
	b, err := recordings.Load(in.To, in.Scenario)
	if err != nil {
		return "", err
	}
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	options := render.DiffOptions{
		ComparisonOptions: view.ComparisonOptions{
			Options: view.Options{Lang: f.printer.Lang()}, SummaryOnly: !in.Tree, NameA: a.K8sVersion, NameB: b.K8sVersion,
		},
		Layout: render.Layout{Width: width},
	}
	comparer, err := view.NewComparer(diff.CompareRecordings(a, b, diff.Options{}), guide.ForReader(f.printer.Lang(), a, b), options.ComparisonOptions)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = render.WriteDiff(&text, comparer.All(), options)
	return text.String(), err
}
