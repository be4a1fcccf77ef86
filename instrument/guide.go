package instrument

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
)

//go:embed guide
var guideFiles embed.FS

// A Guide selects the functions to instrument, and explains the functions worth knowing.
// The YAML files below guide/ hold it; docs/guide.md explains their format.
type Guide struct {
	// Layers are in the order of a request's way through them. A function belongs to the
	// first layer with a matching pattern.
	Layers []Layer
	Steps  []Step
	// Constructors are functions that make errors for their callers. The caller has
	// decided on the error.
	Constructors []funcname.Pattern
	// Programs holds the guide of each program, by the program's name.
	Programs map[string]*ProgramGuide
}

// A Layer is a part of the server, such as authentication.
type Layer struct {
	Name  string             `yaml:"name"`
	Title message.Text       `yaml:"title"`
	Match []funcname.Pattern `yaml:"match"`
}

// A Step is a function that a learner must know, or several such functions of one kind.
type Step struct {
	Function      funcname.Pattern `yaml:"function"`
	release.Range `yaml:",inline"`
	Note          message.Text `yaml:"note"`
	// Group is the label for equal siblings that are shown as one: "admission plugin"
	// ×13.
	Group string `yaml:"group"`
	// Minor marks the steps that a view leaves out first when it is short of lines.
	Minor bool `yaml:"minor"`
	// Span overrides the rule for leaves: "always" or "never". "" means no override.
	Span   string  `yaml:"span"`
	Values []Value `yaml:"values"`
}

// A Value is something to record on a call.
type Value struct {
	// Name is the attribute's name.
	Name string `yaml:"name"`
	// At is "entry" or "exit".
	At string `yaml:"at"`
	// Expr is a Go expression over the function's receiver and parameters. At exit, it
	// may also use results; a result without a name is result0, result1 and so on.
	// docs/guide.md lists the guide's own functions.
	Expr string `yaml:"expr"`
}

// A ProgramGuide says how to instrument one program.
type ProgramGuide struct {
	Packages []Packages `yaml:"packages"`
	// Partial is set if the program lacks some packages below the paths of Packages.
	// A step in such a package is for another program.
	Partial bool `yaml:"partial"`
	// Never and Always override the rule that selects the functions with a span.
	Never  []funcname.Pattern `yaml:"never"`
	Always []funcname.Pattern `yaml:"always"`

	// A function with a last result of one of these types has failed if the result is
	// not empty.
	Failures []Failure `yaml:"failures"`

	Roots    []Root    `yaml:"roots"`
	Exits    []Exit    `yaml:"exits"`
	Handoffs []Handoff `yaml:"handoffs"`
	Tail     []Stage   `yaml:"tail"`

	// The places where a program works because of events: where it takes them, the
	// queues between its goroutines, and functions of goroutines that outlive the work
	// that started them.
	Sources []Source        `yaml:"sources,omitempty"`
	Causes  []Hop           `yaml:"causes,omitempty"`
	Loops   []NamedFunction `yaml:"loops,omitempty"`
}

// Packages names a package, or all packages at and below a path.
type Packages struct {
	Path          string `yaml:"path"`
	Recursive     bool   `yaml:"recursive"`
	release.Range `yaml:",inline"`
	// Except lists import paths to leave out, with everything below them.
	Except []string `yaml:"except"`
}

// Names returns the import paths of the entry, without regard to Range and Except.
func (p Packages) Names() funcname.Packages {
	return funcname.Packages{Path: p.Path, Recursive: p.Recursive}
}

// Covers reports whether the entry names a package, without regard to Range and Except.
func (p Packages) Covers(pkg string) bool { return p.Names().Has(pkg) }

// A Failure is a result type, other than error, for errors.
type Failure struct {
	// Type is the path of the type's package, a dot, and the type's name.
	Type string `yaml:"type"`
	// Method is the type's method that converts a result to an error, or to nil.
	Method string `yaml:"method"`
}

// A Root is a function where a trace enters the program.
type Root struct {
	Function      string `yaml:"function"`
	release.Range `yaml:",inline"`
	// Traceparent is an expression for the incoming W3C traceparent.
	Traceparent string `yaml:"traceparent"`
	// Path is an expression for the request's URL path, or "" if the request has none.
	// By the path, the probe recognizes a request on secrets and withholds its error
	// texts.
	Path string `yaml:"path"`
}

// An Exit is a function where a trace leaves the program for another program.
type Exit struct {
	Function      string `yaml:"function"`
	release.Range `yaml:",inline"`
	// Statement runs when the function is entered. TRACEPARENT in it stands for the
	// current call. METADATAKEY stands for the name of the gRPC metadata, and HEADER for
	// that of the HTTP header.
	Statement string `yaml:"statement"`
	// Before is the text of the statement before which Statement runs instead; see Place.
	Before string `yaml:"before,omitempty"`
}

// A Handoff is work that moves to another goroutine through a queue.
type Handoff struct {
	Name          string `yaml:"name"`
	release.Range `yaml:",inline"`
	Give          KeyedFunction `yaml:"give"`
	Take          KeyedFunction `yaml:"take"`
}

// A Stage is a function that handles the event of a write on its way to the watching
// clients. An event passes the stages in order.
type Stage struct {
	Function      string `yaml:"function"`
	release.Range `yaml:",inline"`
	// Revision is an expression for the revision that etcd gave the write.
	Revision string `yaml:"revision"`
	// Settled marks the last stage that every event reaches, even if nobody watches.
	Settled bool `yaml:"settled"`
}

// A KeyedFunction is one side of a Handoff.
type KeyedFunction struct {
	Function string `yaml:"function"`
	// Key is an expression for the key of the work. Both sides identify the work by it.
	Key string `yaml:"key"`
}

// Load returns the guide that is part of apitrace. The caller must not change it.
func Load() (*Guide, error) { return builtIn() }

var builtIn = sync.OnceValues(func() (*Guide, error) { return load(guideFiles) })

// load merges all YAML files of a file system, in the order of their paths.
func load(files fs.FS) (*Guide, error) {
	g := &Guide{Programs: map[string]*ProgramGuide{}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := g.merge(f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the guide: %w", err)
	}
	return g, nil
}

func (g *Guide) merge(r io.Reader) error {
	var part struct {
		Layers       []Layer                  `yaml:"layers"`
		Steps        []Step                   `yaml:"steps"`
		Constructors []funcname.Pattern       `yaml:"constructors"`
		Programs     map[string]*ProgramGuide `yaml:"programs"`
	}
	dec := yaml.NewDecoder(r)
	dec.KnownFields(true)
	if err := dec.Decode(&part); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, s := range part.Steps {
		if err := s.validate(); err != nil {
			return err
		}
	}
	g.Layers = append(g.Layers, part.Layers...)
	g.Steps = append(g.Steps, part.Steps...)
	g.Constructors = append(g.Constructors, part.Constructors...)
	for name, p := range part.Programs {
		if p == nil {
			return fmt.Errorf("program %q is empty", name)
		}
		all := g.Programs[name]
		if all == nil {
			all = &ProgramGuide{}
			g.Programs[name] = all
		}
		all.Packages = append(all.Packages, p.Packages...)
		all.Partial = all.Partial || p.Partial
		all.Never = append(all.Never, p.Never...)
		all.Always = append(all.Always, p.Always...)
		all.Failures = append(all.Failures, p.Failures...)
		all.Roots = append(all.Roots, p.Roots...)
		all.Exits = append(all.Exits, p.Exits...)
		all.Handoffs = append(all.Handoffs, p.Handoffs...)
		all.Tail = append(all.Tail, p.Tail...)
		all.Sources = append(all.Sources, p.Sources...)
		all.Causes = append(all.Causes, p.Causes...)
		all.Loops = append(all.Loops, p.Loops...)
	}
	return nil
}

func (s Step) validate() error {
	if s.Function == "" {
		return errors.New(`a step has no "function"`)
	}
	if s.Span != "" && s.Span != "always" && s.Span != "never" {
		return fmt.Errorf(`step %q: span is %q, expected "always" or "never"`, s.Function, s.Span)
	}
	for _, v := range s.Values {
		if v.Name == "" || v.Expr == "" || v.At != "entry" && v.At != "exit" {
			return fmt.Errorf(`step %q: a value needs a "name", an "expr", and "at" which is "entry" or "exit"`, s.Function)
		}
	}
	if err := s.Range.Validate(); err != nil {
		return fmt.Errorf("step %q: %w", s.Function, err)
	}
	return nil
}

//go:embed *.go probe/*.go probe/*.s
var ownSource embed.FS

// forReaders are the files of this package that the rewriter does not use. A change of
// them must not rebuild kube-apiserver.
var forReaders = []string{"reader.go", "usercode.go"}

// Key identifies the rewriter's output for a program at a version. It depends on the
// source of this package without forReaders, of the probe and of package funcname, and on
// the guide's entries for the program.
func (g *Guide) Key(program, version string) string {
	h := sha256.New()
	addSource(h, ownSource, forReaders...)
	addSource(h, funcname.Source)
	prog := g.Programs[program]
	if prog == nil {
		prog = &ProgramGuide{} // Rewrite refuses it
	}
	// A better note must not rebuild kube-apiserver, nor must an entry for another
	// program. So only this program's entries that become code count.
	programs, _ := yaml.Marshal(prog.forVersion(version))
	h.Write(programs)
	for _, s := range g.Steps {
		if s.becomesCode() && s.Has(version) && prog.covers(s.Function) {
			fmt.Fprintf(h, "%s %s %+v\n", s.Function, s.Span, s.Values)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// addSource adds the files of a package to a hash, except tests and the named files.
func addSource(h io.Writer, source fs.FS, except ...string) {
	_ = fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || slices.Contains(except, name) {
			return err
		}
		content, err := fs.ReadFile(source, name)
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(content), content)
		return err
	})
}

// becomesCode reports whether the step changes the build. A note alone does not.
func (s Step) becomesCode() bool { return s.Span != "" || len(s.Values) > 0 }

// forVersion returns the program's guide with only the entries for the version. The
// entries have no ranges of releases.
func (g *ProgramGuide) forVersion(version string) ProgramGuide {
	selected := *g
	selected.Packages = entriesForVersion(version, g.Packages, func(p *Packages) *release.Range { return &p.Range })
	selected.Roots = entriesForVersion(version, g.Roots, func(r *Root) *release.Range { return &r.Range })
	selected.Exits = entriesForVersion(version, g.Exits, func(e *Exit) *release.Range { return &e.Range })
	selected.Handoffs = entriesForVersion(version, g.Handoffs, func(h *Handoff) *release.Range { return &h.Range })
	selected.Tail = entriesForVersion(version, g.Tail, func(s *Stage) *release.Range { return &s.Range })
	selected.Sources = entriesForVersion(version, g.Sources, sourceRange)
	selected.Causes = hopsForVersion(version, g.Causes)
	selected.Loops = entriesForVersion(version, g.Loops, namedFunctionRange)
	return selected
}

func entriesForVersion[E any](version string, entries []E, releases func(*E) *release.Range) []E {
	var selected []E
	for _, e := range entries {
		if r := releases(&e); r.Has(version) {
			*r = release.Range{}
			selected = append(selected, e)
		}
	}
	return selected
}
