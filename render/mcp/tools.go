package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
)

const lang = "en"

// width is the width of drawings in columns, with room for complete names and places.
const width = 140

type scenariosInput struct{ paged }

func listScenarios(scenariosInput) (string, error) {
	releases, err := recordings.Versions()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("releases:")
	for _, r := range releases {
		b.WriteString(" " + r.K8sVersion)
	}
	b.WriteString("\n\n")
	all, err := scenarios.List()
	if err != nil {
		return "", err
	}
	for _, s := range all {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Title.In(lang))
	}
	return b.String(), nil
}

type searchInput struct {
	paged
	Text string `json:"text" jsonschema:"a part of a function's name, of a recorded value or of an error"`
}

func find(in searchInput) (string, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", message.Errorf("the text to search for is empty")
	}
	hits, err := search.Text(in.Text)
	if err != nil {
		return "", err
	}
	if len(hits) == 0 {
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
		more := ""
		if n := len(names) - 5; n > 0 {
			names, more = names[:5], fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(&b, "%s\n  in %s%s\n", h.Text, strings.Join(names, ", "), more)
	}
	return b.String(), nil
}

type treeInput struct {
	paged
	Scenario string `json:"scenario" jsonschema:"the name of a recorded scenario, such as get-node"`
	K8s      string `json:"k8s,omitempty" jsonschema:"the release, such as v1.37.1 or 1.30; the newest by default"`
	View     string `json:"view,omitempty" jsonschema:"outline (the story in sentences), path (key steps with notes; the default) or full (every call)"`
}

func showTree(in treeInput) (string, error) {
	rec, err := recordings.Load(in.K8s, in.Scenario)
	if err != nil {
		return "", err
	}
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	spokenGuide := spoken.New(guide, lang, rec)
	options := render.Options{Width: width, Lang: lang}
	var b strings.Builder
	switch cmp.Or(in.View, "path") {
	case "outline":
		err = render.WriteOutline(&b, rec, spokenGuide, options)
	case "path":
		options.Notes = true
		err = render.WriteTree(&b, rec, spokenGuide, options)
	case "full":
		options.Full = true
		err = render.WriteTree(&b, rec, spokenGuide, options)
	default:
		err = message.Errorf("view %q: expected outline, path or full", in.View)
	}
	return b.String(), err
}

// A functionInput names a function of a release.
type functionInput struct {
	paged
	Function string `json:"function" jsonschema:"a function's name or any end of its full name, such as etcd3.(*store).Get"`
	K8s      string `json:"k8s,omitempty" jsonschema:"the release, such as v1.37.1 or 1.30; the newest by default"`
}

// resolve finds the recorded function that is meant, and the recordings that call it.
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

func explainFunction(in functionInput) (string, error) {
	f, of, err := in.resolve()
	if err != nil {
		return "", err
	}
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	spokenGuide := spoken.New(guide, lang, of...)
	call := &trace.Call{Process: f.Process, File: f.File, Line: f.Line}
	p := &explain.Page{
		Function: f.Name, Layer: spokenGuide.Title(spokenGuide.Layer(f.Name)), Note: spokenGuide.Note(f.Name),
		File: f.File, Line: f.Line, Program: f.Process + " " + of[0].Version(f.Process), URL: render.SourceURL(of[0], call),
		Recordings: len(of), Merged: true,
	}
	if p.Sights, err = explain.Look(f.Name, of); err != nil {
		return "", err
	}
	known, err := recordings.CodeOf(of[0].K8sVersion)
	if err != nil {
		return "", err
	}
	if known != nil {
		p.Spanless = explain.Spanless(known, f.Process, f.Name, f.File, f.Line)
	}
	var b strings.Builder
	err = p.Write(&b, explain.WriteOptions{Width: width, Lang: lang})
	return b.String(), err
}

func showSource(in functionInput) (string, error) {
	f, of, err := in.resolve()
	if err != nil {
		return "", err
	}
	version := of[0].K8sVersion
	folder, err := cachedSource(f.Process, version)
	if err != nil {
		return "", message.Errorf("source of %s: %w; this tool fetches nothing: \"apitrace source %s --k8s %s\" does", f.Name, err, "'"+f.Name+"'", version)
	}
	tree := &source.Tree{Program: f.Process, Version: of[0].Version(f.Process), Dir: folder}
	text, err := tree.Function(f.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s:%d, %s\n\n", f.Name, f.File, f.Line, tree)
	err = source.Print(&b, text, source.PrintOptions{Marks: source.Marks(text, of)})
	return b.String(), err
}

// cachedSource returns the folder with the source of a program, if it is in the cache. Code that the sample
// server shares with kube-apiserver is the same in both.
func cachedSource(process, version string) (string, error) {
	if process == trace.ProcessSample {
		process = trace.ProcessAPIServer
	}
	return apiserver.CachedSourceOf(process, version, nil)
}

type diffInput struct {
	paged
	Scenario string `json:"scenario" jsonschema:"the name of a recorded scenario, such as create-deployment"`
	From     string `json:"from" jsonschema:"the first release, such as 1.30"`
	To       string `json:"to" jsonschema:"the second release, such as 1.37"`
	Tree     bool   `json:"tree,omitempty" jsonschema:"add the tree of both with marks where they differ"`
}

func compare(in diffInput) (string, error) {
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
		Options: render.Options{Width: width, Lang: lang}, SummaryOnly: !in.Tree, NameA: a.K8sVersion, NameB: b.K8sVersion,
	}
	var text strings.Builder
	err = render.WriteDiff(&text, diff.CompareRecordings(a, b, diff.Options{}), spoken.New(guide, lang, a, b), options)
	return text.String(), err
}
