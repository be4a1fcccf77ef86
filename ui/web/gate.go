package web

import (
	"cmp"
	"slices"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Gate has the facts about a feature gate in a release.
type Gate struct {
	Name       string      `json:"name" description:"Name of the gate."`
	Text       string      `json:"text" description:"The programs that have it, and its default in its newest release, in a sentence."`
	K8sVersion string      `json:"k8sVersion" description:"The release of places: the one that was asked for or, for the newest one, the newest that has the gate."`
	Lacks      bool        `json:"lacks,omitempty" description:"Whether the release lacks the gate."`
	Defaults   []GateSpan  `json:"defaults" description:"Its defaults, by program, the oldest release first. A program with the defaults of kube-apiserver is left out."`
	Recordings int         `json:"recordings" description:"How many recorded scenarios of the release were searched."`
	Places     []GatePlace `json:"places" description:"The functions of the traced packages that ask for it, or make calls that depend on it. Those that recordings call come first."`
}

// A GateSpan is a range of releases in which a gate has the same default.
type GateSpan struct {
	Program string `json:"program" description:"The program."`
	First   string `json:"first" description:"The first release."`
	Last    string `json:"last" description:"The last release."`
	Text    string `json:"text" description:"The default in words."`
}

// A GatePlace is a function that asks for a gate, or makes calls that depend on it.
type GatePlace struct {
	Function  string   `json:"function" description:"Full name of the function."`
	Name      string   `json:"name" description:"Its short name."`
	File      string   `json:"file" description:"Its file, as calls name it."`
	Asks      []int    `json:"asks" description:"The lines that ask for the gate; none if the lines are not known, or if other code asks."`
	Decides   []string `json:"decides" description:"The short names of the functions that it calls depending on the gate, each once."`
	Scenarios []string `json:"scenarios" description:"The recorded scenarios that call the function."`
}

// A GateList has the feature gates that code asks for.
type GateList struct {
	Items []AskedGate `json:"items" description:"The gates, by name."`
}

// An AskedGate is a feature gate that functions ask for.
type AskedGate struct {
	Name      string   `json:"name" description:"Name of the gate."`
	Known     bool     `json:"known" description:"Whether the default is known."`
	On        bool     `json:"on" description:"Whether it is on by default in the release."`
	Functions []string `json:"functions" description:"Full names of the functions whose text asks for it, in order of the first call."`
}

func (a *api) getGate(r *restful.Request) (any, error) {
	name, p := r.PathParameter("gate"), printerOf(r)
	g, err := gates.Find(name)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, notFound(message.Errorf("no release has a feature gate %q", name), message.Of("\"apitrace search\" finds names of all releases"))
	}
	release := r.PathParameter("release")
	if release == recordings.Latest {
		release = g.Newest()
	}
	if release, err = recordings.Resolve(release); err != nil {
		return nil, err
	}
	called, err := recordings.Functions(release)
	if err != nil {
		return nil, err
	}
	places, err := gates.Places(name, release, nil)
	if err != nil {
		return nil, err
	}
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	info := infos[slices.IndexFunc(infos, func(info recordings.Info) bool { return info.K8sVersion == release })]
	out := &Gate{Name: name, Text: g.Summary().Localize(p), K8sVersion: release, Lacks: !g.Has(release), Recordings: len(info.Scenarios), Places: []GatePlace{}, Defaults: []GateSpan{}}
	for _, of := range g.Distinct() {
		for _, s := range gates.Spans(of.Defaults) {
			out.Defaults = append(out.Defaults, GateSpan{of.Program, s.First, s.Last, gates.DefaultSays(s.GateDefault).Localize(p)})
		}
	}
	for _, place := range places {
		out.Places = append(out.Places, gatePlace(place, calledOf(called, place.Function)))
	}
	slices.SortStableFunc(out.Places, func(a, b GatePlace) int {
		return cmp.Compare(min(1, len(b.Scenarios)), min(1, len(a.Scenarios)))
	})
	return out, nil
}

// gatePlace joins what the index of the sources and the recordings know of a function. called is
// nil if no recording calls it.
func gatePlace(p *gates.Place, called *recordings.Function) GatePlace {
	out := GatePlace{Function: p.Function, Name: funcname.Short(p.Function), File: p.File, Asks: []int{}, Decides: []string{}, Scenarios: []string{}}
	if called != nil {
		out.File, out.Scenarios = called.File, called.Scenarios
		for _, line := range p.Asks {
			out.Asks = append(out.Asks, called.Line+line)
		}
	}
	for _, d := range p.Decides {
		if name := funcname.Short(d.Name); name != "" && !slices.Contains(out.Decides, name) {
			out.Decides = append(out.Decides, name)
		}
	}
	return out
}

// listGates lists the feature gates that the functions of a request ask for. The index of the
// sources tells which lines ask; whether a line ran is not recorded.
func (a *api) listGates(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	code, err := recordings.CodeOf(t.rec.K8sVersion)
	if err != nil {
		return nil, err
	}
	asked := askedGates{code: code, seen: map[string]bool{}}
	for i := range t.tree.Len() {
		asked.add(t.tree.Call(i).Process, t.tree.Call(i).Function)
	}
	return GateList{Items: asked.sorted()}, nil
}

// askedGates collects the gates that functions ask for. code may be nil.
type askedGates struct {
	code *recordings.Code
	seen map[string]bool // by program and function
	all  []AskedGate
}

// add adds the gates that a function asks for.
func (g *askedGates) add(program, function string) {
	key := program + " " + function
	if g.code == nil || g.seen[key] {
		return
	}
	g.seen[key] = true
	f := g.code.Function(program, function)
	if f == nil {
		return
	}
	for _, c := range f.Calls {
		if c.Kind != recordings.CallAsks {
			continue
		}
		at := slices.IndexFunc(g.all, func(known AskedGate) bool { return known.Name == c.Name })
		if at < 0 {
			at = len(g.all)
			on, known := g.code.Gate(program, c.Name)
			g.all = append(g.all, AskedGate{Name: c.Name, Known: known, On: on})
		}
		if of := &g.all[at]; !slices.Contains(of.Functions, function) {
			of.Functions = append(of.Functions, function)
		}
	}
}

// sorted returns the gates, by name.
func (g *askedGates) sorted() []AskedGate {
	slices.SortFunc(g.all, func(a, b AskedGate) int { return cmp.Compare(a.Name, b.Name) })
	return append([]AskedGate{}, g.all...)
}

// gatesOf lists the feature gates that a function asks for.
func gatesOf(release string, f *releasedFunction) ([]AskedGate, error) {
	code, err := recordings.CodeOf(release)
	if err != nil {
		return nil, err
	}
	asked := askedGates{code: code, seen: map[string]bool{}}
	asked.add(cmp.Or(f.Process, trace.ProcessAPIServer), f.Name)
	return asked.sorted(), nil
}
