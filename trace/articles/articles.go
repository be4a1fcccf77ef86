// Package articles holds the functions that well-known walk-throughs of
// Kubernetes name, step by step. It looks up where each function ran in
// recordings, and its current name. It also has the errors of the articles.
//
// Packages history and lineage have the full history of a function.
package articles

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// An article is a walk-through.
type article struct {
	// Name is a letter.
	Name  string       `yaml:"name"`
	Title message.Text `yaml:"title"`
	// Written names the releases with the code that the article describes, as far as
	// known, the newest last. Nearest is the recorded release nearest to the newest of
	// them.
	Written string `yaml:"written"`
	Nearest string `yaml:"-"`
	// Note is about the whole article, or empty.
	Note   message.Text `yaml:"note"`
	Chains []chain      `yaml:"chains"`
}

// A chain is a sequence of calls in an article.
type chain struct {
	Title message.Text `yaml:"title"`
	// Scenarios are the scenarios that show the article's request, the best first.
	// If none of them calls a step's function, another scenario shows the step.
	Scenarios []string `yaml:"scenarios"`
	// Nearest is the article's nearest release or, if that release recorded none of
	// the scenarios, the nearest release that did.
	Nearest string `yaml:"-"`
	// Read is the release with the chain's code, if that release was never
	// recorded.
	Read  string `yaml:"read"`
	Steps []step `yaml:"steps"`
}

// A step is a call that an article names.
type step struct {
	// Text is the call, in the article's words. TextZh is the Chinese version, if the
	// text is more than a name.
	Text   string `yaml:"text"`
	TextZh string `yaml:"text_zh"`
	// Function is the full name of the called function in a recorded release or, if
	// no recorded release has the function, in an older release. It may also be the name
	// of a type. Today is the function that does the step in the newest release, if that
	// function has another name.
	Function string       `yaml:"function"`
	Today    string       `yaml:"today"`
	Note     message.Text `yaml:"note"`
	// Wrong describes an error of the article. Really is the function that the
	// article should name instead, or "".
	Wrong  message.Text `yaml:"wrong"`
	Really string       `yaml:"really"`
	// scenarios are the scenarios of the step's chain.
	scenarios []string
}

//go:embed articles.yaml
var embedded []byte

// known returns all articles.
var known = sync.OnceValues(func() ([]article, error) {
	var all []article
	if err := strictyaml.Decode("articles.yaml", embedded, &all); err != nil {
		return nil, err
	}
	recorded, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	for i := range all {
		a := &all[i]
		if a.Nearest, err = nearest(a.Written, having(nil, recorded)); err != nil {
			return nil, err
		}
		for j := range a.Chains {
			c := &a.Chains[j]
			if c.Nearest, err = nearest(a.Written, having(c.Scenarios, recorded)); err != nil {
				return nil, err
			}
			for k := range c.Steps {
				c.Steps[k].scenarios = c.Scenarios
			}
		}
	}
	return all, nil
})

// having returns the releases that recorded at least one of the scenarios. Without
// scenarios, it returns all releases.
func having(scenarios []string, recorded []recordings.Info) []string {
	var releases []string
	for i := range recorded {
		if len(scenarios) == 0 || slices.ContainsFunc(scenarios, recorded[i].Has) {
			releases = append(releases, recorded[i].K8sVersion)
		}
	}
	return releases
}

// nearest returns the release nearest to the last release that a text names, such
// as v1.20 in "v1.18 - v1.20".
func nearest(text string, releases []string) (string, error) {
	written, err := minorOf(text[strings.LastIndexByte(text, ' ')+1:])
	if err != nil {
		return "", err
	}
	best, distance := "", math.MaxInt
	for _, release := range releases {
		n, err := minorOf(release)
		if err != nil {
			return "", err
		}
		if d := max(n-written, written-n); d < distance {
			best, distance = release, d
		}
	}
	return best, nil
}

// minorOf returns a minor version's number: 30 for "v1.30.4".
func minorOf(release string) (int, error) {
	return strconv.Atoi(strings.TrimPrefix(semver.MajorMinor(release), "v1."))
}

// A state is a step's state in a release.
type state int

// The states.
const (
	// missing: the release does not have the function.
	missing state = iota
	// ran: a recording of the release calls the function.
	ran
	// notCalled: the source has the function, with a span, but no recording calls it.
	notCalled
	// noSpan: the source has the function, without a span, so recordings do not show whether
	// it ran.
	noSpan
	// isType: the source has a type with this name.
	isType
)

// A stepStatus is the status of an article's step in a release.
type stepStatus struct {
	state state
	// name is the function's full name in the release.
	name string
	// scenario is a scenario that calls the function, if the state is ran.
	scenario string
}

// A release has the known facts about a Kubernetes release.
type release struct {
	version string
	newest  bool
	called  map[string]*recordings.Function
	code    *recordings.Code
	names   *lineage.Library
}

// newest returns the newest recorded release.
func newest() (string, error) {
	all, err := recordings.Versions()
	if err != nil {
		return "", err
	}
	return all[len(all)-1].K8sVersion, nil
}

// open reads the facts about a release. last is the newest recorded release.
func open(version, last string) (*release, error) {
	functions, err := recordings.Functions(version)
	if err != nil {
		return nil, err
	}
	r := &release{version: version, newest: version == last, called: map[string]*recordings.Function{}}
	for i := range functions {
		r.called[functions[i].Name] = &functions[i]
	}
	if r.code, err = recordings.CodeOf(version); err != nil {
		return nil, err
	}
	r.names, err = lineage.Load()
	return r, err
}

// lookUp looks a step up in the release: by its Function and Today, then by the names of
// these two functions in the release.
func (r *release) lookUp(s *step) stepStatus {
	var is stepStatus
	names := []string{s.Function, s.Today}
	if r.newest && s.Today != "" {
		names = []string{s.Today, s.Function}
	}
	for _, name := range names[:2] {
		if name != "" {
			names = append(names, r.names.Current(lineage.Function, name, r.version))
		}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if at := r.lookUpName(name, s.scenarios); at.state != missing && (is.state == missing || is.state != ran && at.state == ran) {
			is = at
		}
		if is.state == ran {
			return is
		}
	}
	if is.state == missing {
		if name := r.names.Current(lineage.Type, s.Function, r.version); name != "" {
			return stepStatus{isType, name, ""}
		}
	}
	return is
}

// lookUpName looks a function up. If recordings call the function, the result has the
// first of scenarios that calls it, or else another scenario that does.
func (r *release) lookUpName(name string, scenarios []string) stepStatus {
	if f := r.called[name]; f != nil {
		for _, s := range slices.Concat(scenarios, []string{"create-deployment", "get-node", "boot"}) {
			if slices.Contains(f.Scenarios, s) {
				return stepStatus{ran, name, s}
			}
		}
		return stepStatus{ran, name, f.Scenarios[0]}
	}
	if r.code != nil {
		for _, program := range r.code.Programs() {
			if f := r.code.Function(program, name); f != nil && f.Spanless == recordings.Spanned {
				return stepStatus{notCalled, name, ""}
			} else if f != nil {
				return stepStatus{noSpan, name, ""}
			}
		}
	}
	if r.names.Has(lineage.Function, name, r.version) {
		return stepStatus{noSpan, name, ""}
	}
	return stepStatus{}
}
