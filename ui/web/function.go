package web

import (
	"errors"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// A Function has the facts about a function in a release, from the guide and the
// recordings.
type Function struct {
	Function   string `json:"function" description:"Full name of the function."`
	Name       string `json:"name" description:"Its short name."`
	K8sVersion string `json:"k8sVersion" description:"The release: the one that was asked for or, for the newest one, the newest that has the function."`
	Layer      string `json:"layer" description:"Name of its layer, empty if it has none."`
	Title      string `json:"title" description:"Title of the layer, empty if there is none."`
	Colour     string `json:"colour" description:"Colour of the layer, empty if it has none."`
	Note       string `json:"note" description:"What the guide says about the function; empty if it is no key step."`
	File       string `json:"file" description:"File of the function, as calls name it."`
	Line       int    `json:"line" description:"Line of the word func; 0 if it is not known."`
	Program    string `json:"program" description:"The program that it is part of, with its version."`
	URL        string `json:"url,omitempty" description:"Where upstream shows it; absent if that is not known."`
	// NoSpan and Recordings tell how to read a function without calls.
	NoSpan     string              `json:"noSpan,omitempty" description:"Why the function has no span, so that recordings do not show whether it was called; absent if it has one."`
	Recordings int                 `json:"recordings" description:"How many recorded scenarios of the release were searched."`
	Calls      int                 `json:"calls" description:"How many calls they have."`
	Callers    []FunctionNeighbour `json:"callers" description:"The functions that call it, the most frequent first."`
	Callees    []FunctionNeighbour `json:"callees" description:"The functions that it calls, the most frequent first."`
	Values     []FunctionValue     `json:"values" description:"The recorded values of its calls, by name."`
	Gates      []AskedGate         `json:"gates" description:"The feature gates that its text asks for, by name."`
	Errors     []string            `json:"errors" description:"The errors that it returned, each once."`
	Uses       []FunctionUse       `json:"uses" description:"The recorded requests that call it, by scenario."`
}

// A FunctionNeighbour is a caller or a callee.
type FunctionNeighbour struct {
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Its short name."`
	Place    string `json:"place,omitempty" description:"File and line of the call; absent if they are not known."`
	Calls    int    `json:"calls" description:"How many calls there are between the two."`
	How      string `json:"how,omitempty" description:"How the call came about, after a comma; absent for a plain call."`
	Indirect bool   `json:"indirect,omitempty" description:"Whether code in between makes the call."`
}

// A FunctionValue is a recorded value of a function's calls.
type FunctionValue struct {
	Name string   `json:"name" description:"Name of the attribute."`
	Seen []string `json:"seen" description:"Its different values, in order of the first call; at most 6."`
	More int      `json:"more,omitempty" description:"How many further values there are; absent if there are none."`
}

// A FunctionUse is a request that calls a function.
type FunctionUse struct {
	Scenario string `json:"scenario" description:"Name of the scenario."`
	Request  int    `json:"request" description:"Number of the request, from 1."`
	Method   string `json:"method" description:"HTTP method."`
	Path     string `json:"path" description:"URL path with its query."`
	Status   int    `json:"status" description:"HTTP status code, 0 if the client received none."`
	Calls    int    `json:"calls" description:"How often the request calls the function."`
}

// A FunctionHistory follows a function through the releases.
type FunctionHistory struct {
	Function string               `json:"function" description:"Full name of the function, as it was asked for."`
	Releases []FunctionAppearance `json:"releases" description:"The releases, the newest first."`
}

// A FunctionAppearance is a function in a release.
type FunctionAppearance struct {
	K8sVersion string `json:"k8sVersion" description:"The release."`
	Sign       string `json:"sign" description:"A sign for the state."`
	State      string `json:"state" description:"What the sign means."`
	Known      bool   `json:"known" description:"Whether the release has the function in the traced packages."`
	Function   string `json:"function" description:"Full name of the function in the release or, if that lacks it, in the neighbouring one."`
	Name       string `json:"name" description:"The short one of these names."`
	Place      string `json:"place,omitempty" description:"Its file, with the line if a recording calls it; absent if the release lacks the function."`
	Scenarios  int    `json:"scenarios" description:"How many recorded scenarios call it."`
	Recorded   int    `json:"recorded" description:"How many scenarios are recorded."`
}

// mostSeen is how many values of one name a Function has.
const mostSeen = 6

// A releasedFunction is a function of a release. Without recorded calls, Scenarios is
// empty, and Line is 0.
type releasedFunction struct {
	recordings.Function
	spanless recordings.Spanless
}

// functionOf finds the function that a query means in a release: its full name or an end
// of it, or a full name of another release.
func functionOf(release, query string) (*releasedFunction, error) {
	called, err := recordings.Functions(release)
	if err != nil {
		return nil, err
	}
	if f := calledOf(called, query); f != nil {
		return &releasedFunction{Function: *f}, nil
	}
	var names []string
	for _, f := range called {
		names = append(names, f.Name)
	}
	switch found := trace.FindFunctions(query, names); len(found) {
	case 1:
		return &releasedFunction{Function: *calledOf(called, found[0])}, nil
	case 0:
	default:
		return nil, badRequest(&trace.AmbiguousFunctionError{Query: query, Candidates: found}, message.Of("use the full name of one of them"))
	}
	if f, err := indexed(release, query); f != nil || err != nil {
		return f, err
	}
	releases, err := releasedFunctions()
	if err != nil {
		return nil, err
	}
	name, err := history.NameAmong(releases, query, release)
	if err != nil {
		return nil, err
	}
	if f := calledOf(called, name); f != nil {
		return &releasedFunction{Function: *f}, nil
	}
	if f, err := indexed(release, name); f != nil || err != nil {
		return f, err
	}
	return nil, &trace.UnknownFunctionError{Query: query, Where: message.Of("the recordings of %s", release), Near: trace.NearFunctions(query, names)}
}

func calledOf(called []recordings.Function, name string) *recordings.Function {
	if at := slices.IndexFunc(called, func(f recordings.Function) bool { return f.Name == name }); at >= 0 {
		return &called[at]
	}
	return nil
}

// indexed finds a function in the index of the sources, nil if it has none of that name.
func indexed(release, name string) (*releasedFunction, error) {
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		return nil, err
	}
	for _, program := range code.Programs() {
		if f := code.Function(program, name); f != nil {
			return &releasedFunction{recordings.Function{Name: name, Process: program, File: funcname.Package(name) + "/" + f.File}, f.Spanless}, nil
		}
	}
	return nil, nil
}

// newestFunction is functionOf for a release as a request names it. For the newest one, it
// falls back to the newest release that has the function.
func newestFunction(named, query string) (release string, f *releasedFunction, err error) {
	if release, err = recordings.Resolve(named); err != nil {
		return "", nil, err
	}
	f, err = functionOf(release, query)
	if named != recordings.Latest || !errors.As(err, new(*trace.UnknownFunctionError)) {
		return release, f, err
	}
	infos, versionsErr := recordings.Versions()
	if versionsErr != nil {
		return "", nil, versionsErr
	}
	for _, info := range slices.Backward(infos) {
		called, calledErr := recordings.Functions(info.K8sVersion)
		if calledErr != nil {
			return "", nil, calledErr
		}
		if f := calledOf(called, query); f != nil {
			return info.K8sVersion, &releasedFunction{Function: *f}, nil
		}
		if f, indexErr := indexed(info.K8sVersion, query); f != nil || indexErr != nil {
			return info.K8sVersion, f, indexErr
		}
	}
	return release, nil, err
}

func (a *api) getFunction(r *restful.Request) (any, error) {
	release, f, err := newestFunction(r.PathParameter("release"), r.QueryParameter("function"))
	if err != nil {
		return nil, err
	}
	of, err := a.recordingsOf(release, "", f.Function)
	if err != nil {
		return nil, err
	}
	activities, err := explain.Look(f.Name, of)
	if err != nil {
		return nil, err
	}
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	info := infos[slices.IndexFunc(infos, func(info recordings.Info) bool { return info.K8sVersion == release })]
	head := &trace.Recording{K8sVersion: release, EtcdVersion: info.EtcdVersion} // of a function that no recording calls
	if len(of) > 0 {
		head = of[0]
	}
	asked, err := gatesOf(release, f)
	if err != nil {
		return nil, err
	}
	p, read := printerOf(r), guide.ForReader(queryOf(r, paramLang), head)
	layer, all := read.Layer(f.Name), explain.Merge(activities).Activity
	out := &Function{
		Function: f.Name, Name: funcname.Short(f.Name), K8sVersion: release, Layer: layer, Title: read.Title(layer), Colour: view.LayerColour(layer), Note: read.Note(f.Name),
		File: f.File, Line: f.Line, Program: strings.TrimSpace(f.Process + " " + head.Version(f.Process)), NoSpan: f.spanless.Why().Localize(p),
		Recordings: len(info.Scenarios), Calls: all.Calls, Callers: neighbours(all.Callers, p), Callees: neighbours(all.Callees, p),
		Values: []FunctionValue{}, Gates: asked, Errors: append([]string{}, all.Errors...), Uses: []FunctionUse{},
	}
	if f.Line > 0 {
		out.URL = head.SourceURL(&trace.Call{Function: f.Name, File: f.File, Line: f.Line, Process: f.Process})
	}
	for _, v := range all.Values {
		shown := v.Seen[:min(len(v.Seen), mostSeen)]
		out.Values = append(out.Values, FunctionValue{v.Name, shown, len(v.Seen) - len(shown)})
	}
	for _, u := range activities {
		out.Uses = append(out.Uses, FunctionUse{u.Scenario, u.Request, u.Method, u.Path, u.Status, u.Calls})
	}
	return out, nil
}

func neighbours(all []explain.Neighbour, p message.Printer) []FunctionNeighbour {
	out := []FunctionNeighbour{}
	for _, n := range all {
		out = append(out, FunctionNeighbour{n.Function, funcname.Short(n.Function), n.Place(), n.Calls, n.How(p), n.Indirect})
	}
	return out
}

// releasedFunctions reads the functions of all releases only once, because it takes a
// second.
var releasedFunctions = sync.OnceValues(history.Releases)

func (a *api) getFunctionHistory(r *restful.Request) (any, error) {
	query, p := r.QueryParameter("function"), printerOf(r)
	releases, err := releasedFunctions()
	if err != nil {
		return nil, err
	}
	followed, err := history.Of(releases, query)
	if errors.As(err, new(*trace.AmbiguousFunctionError)) {
		return nil, badRequest(err, message.Of("use the full name of one of them"))
	}
	if err != nil {
		return nil, err
	}
	out := &FunctionHistory{Function: query, Releases: []FunctionAppearance{}}
	for _, at := range slices.Backward(followed) {
		sign, meaning := at.State.Sign()
		state := meaning.Localize(p)
		if why := at.Spanless.Why(); !why.IsZero() {
			state = p.Sprintf("%s: %s", state, why)
		}
		out.Releases = append(out.Releases, FunctionAppearance{
			K8sVersion: at.Version, Sign: sign, State: state, Known: at.Place != "", Function: at.Name, Name: funcname.Short(at.Name), Place: at.Place,
			Scenarios: len(at.Scenarios), Recorded: at.Recorded,
		})
	}
	return out, nil
}

// inlineCode matches code within a sentence of a lesson.
var inlineCode = regexp.MustCompile("<code>(?:apitrace (?:explain|source|history) )?[^<> ]+</code>")

// linkFunctions makes the names of functions in a lesson links to their pages. Only the
// names of functions that recordings of the newest release call are links, and only if
// they mean one function.
func linkFunctions(text string) (string, error) {
	called, err := recordings.Functions(recordings.Latest)
	if err != nil {
		return "", err
	}
	var names []string
	for _, f := range called {
		names = append(names, f.Name)
	}
	return inlineCode.ReplaceAllStringFunc(text, func(code string) string {
		words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(code, "<code>"), "</code>"))
		query := strings.Trim(html.UnescapeString(words[len(words)-1]), "'")
		if !strings.Contains(query, ".") {
			return code
		}
		found := trace.FindFunctions(query, names)
		if len(found) != 1 {
			return code
		}
		return `<a href="#/function/` + url.PathEscape(found[0]) + `">` + code + "</a>"
	}), nil
}
