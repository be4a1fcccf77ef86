// Package articles holds the functions that well-known walk-throughs of kube-apiserver name, step by step, and looks each up in
// the recordings: where it ran, what it is called now, and where the text errs.
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
	// Written names the releases whose code it shows, as far as that can be told, the newest last. Nearest is the recorded
	// release that is nearest to that one.
	Written string `yaml:"written"`
	Nearest string `yaml:"-"`
	// Note says what concerns the whole text, if anything.
	Note   message.Text `yaml:"note"`
	Chains []chain      `yaml:"chains"`
}

// A chain is a row of calls in an article.
type chain struct {
	Title message.Text `yaml:"title"`
	// Scenarios are those that show the request of the article, the best one first. A step that none of them calls is shown in another.
	Scenarios []string `yaml:"scenarios"`
	// Read is the release whose code the chain shows if that was never recorded.
	Read  string `yaml:"read"`
	Steps []step `yaml:"steps"`
}

// A step is a call that an article names.
type step struct {
	// Text is the call as the article names it. TextZh is the same for readers of Chinese if it is more than a name.
	Text   string `yaml:"text"`
	TextZh string `yaml:"text_zh"`
	// Function is its full name in a recorded release or, if none has it, in an older one. It may also be a type. Today is the function
	// that does the step in the newest release if it has another name.
	Function string       `yaml:"function"`
	Today    string       `yaml:"today"`
	Note     message.Text `yaml:"note"`
	// Wrong says where the article errs, and Really is the function that it should name, "" if there is none.
	Wrong  message.Text `yaml:"wrong"`
	Really string       `yaml:"really"`
	// scenarios are those of its chain.
	scenarios []string
}

//go:embed articles.yaml
var embedded []byte

// known returns the articles.
var known = sync.OnceValues(func() ([]article, error) {
	var all []article
	if err := strictyaml.Decode("articles.yaml", embedded, &all); err != nil {
		return nil, err
	}
	recorded, err := recordings.Names()
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Nearest, err = nearest(all[i].Written, recorded); err != nil {
			return nil, err
		}
		for _, c := range all[i].Chains {
			for j := range c.Steps {
				c.Steps[j].scenarios = c.Scenarios
			}
		}
	}
	return all, nil
})

// nearest returns the release that is nearest to the last one of a text such as "v1.18 - v1.20".
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

// minorOf reads the number of a minor version: 30 of "v1.30.4".
func minorOf(release string) (int, error) {
	return strconv.Atoi(strings.TrimPrefix(semver.MajorMinor(release), "v1."))
}

// A state is what a release knows of a step.
type state int

// The states.
const (
	// missing: the release does not have the function.
	missing state = iota
	// ran: a recording of the release calls it.
	ran
	// notCalled: its source has it, with a span, and no recording calls it.
	notCalled
	// noSpan: its source has it, without a span, so that no recording tells whether it ran.
	noSpan
	// isType: it is a type, which its source has.
	isType
)

// A sight is a step in a release.
type sight struct {
	state state
	// name is the function's full name there.
	name string
	// scenario calls it, if it ran.
	scenario string
}

// A release answers what it has.
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

// open reads what is known of a release. last is the newest recorded one.
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

// sight looks a step up: under each of its names, then under what these became or were before.
func (r *release) sight(s *step) sight {
	var is sight
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
		if at := r.look(name, s.scenarios); at.state != missing && (is.state == missing || is.state != ran && at.state == ran) {
			is = at
		}
		if is.state == ran {
			return is
		}
	}
	if is.state == missing {
		if name := r.names.Current(lineage.Type, s.Function, r.version); name != "" {
			return sight{isType, name, ""}
		}
	}
	return is
}

// look looks a name up, in the first of the scenarios that calls it.
func (r *release) look(name string, scenarios []string) sight {
	if f := r.called[name]; f != nil {
		for _, s := range slices.Concat(scenarios, []string{"create-deployment", "get-node", "boot"}) {
			if slices.Contains(f.Scenarios, s) {
				return sight{ran, name, s}
			}
		}
		return sight{ran, name, f.Scenarios[0]}
	}
	if r.code != nil {
		for _, program := range r.code.Programs() {
			if f := r.code.Function(program, name); f != nil && f.Spanless == recordings.Spanned {
				return sight{notCalled, name, ""}
			} else if f != nil {
				return sight{noSpan, name, ""}
			}
		}
	}
	if r.names.Has(lineage.Function, name, r.version) {
		return sight{noSpan, name, ""}
	}
	return sight{}
}
