package recordings

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// indexFile is the name of the file with the index of all releases. It lies
// beside their recordings.
const indexFile = "index.zst"

//go:embed data/index.zst
var embeddedIndex []byte

var loadIndex = sync.OnceValues(func() (*index, error) { return unpackIndex(embeddedIndex) })

// A Code is the index of a release. It has every function of the traced packages.
type Code struct {
	release string
	// functions are the functions of the traced packages, by program, sorted by
	// name. The codes of other releases share them.
	functions map[string][]*Source
	// gates has, by program and gate, whether a gate is on by default.
	gates map[string]map[string]bool
	// packages are the import paths of the traced packages, by program.
	packages func() map[string]map[string]bool
}

// CodeOf returns the index of a release, such as "v1.37.1". It returns nil if the
// release is not in the index.
func CodeOf(release string) (*Code, error) {
	x, err := loadIndex()
	if err != nil {
		return nil, err
	}
	loaded.Lock()
	defer loaded.Unlock()
	code, ok := loaded.codes[release]
	if !ok {
		code = x.code(release)
		loaded.codes[release] = code
	}
	return code, nil
}

// loaded caches the results of CodeOf, because a history needs each release twice.
var loaded = struct {
	sync.Mutex
	codes map[string]*Code
}{codes: map[string]*Code{}}

func (x *index) code(release string) *Code {
	r := slices.Index(x.releases, release)
	if r < 0 {
		return nil
	}
	functions, gates := map[string][]*Source{}, map[string]map[string]bool{}
	for p, program := range x.programs {
		if found := x.functions(r, p); len(found) > 0 {
			functions[program], gates[program] = found, x.gatesOf(r, p)
		}
	}
	return newCode(release, functions, gates)
}

// NewCode returns the index of a release. programs has its programs by name.
func NewCode(release string, programs map[string]*Program) *Code {
	functions, gates := map[string][]*Source{}, map[string]map[string]bool{}
	for name, p := range programs {
		functions[name], gates[name] = []*Source{}, p.Gates
		for i := range p.Functions {
			functions[name] = append(functions[name], &p.Functions[i])
		}
	}
	return newCode(release, functions, gates)
}

func newCode(release string, functions map[string][]*Source, gates map[string]map[string]bool) *Code {
	return &Code{release: release, functions: functions, gates: gates, packages: sync.OnceValue(func() map[string]map[string]bool {
		all := map[string]map[string]bool{}
		for name, of := range functions {
			all[name] = map[string]bool{}
			for _, f := range of {
				all[name][funcname.Package(f.Name)] = true
			}
		}
		return all
	})}
}

// Function returns a function of a program, or nil if no traced package has it.
func (c *Code) Function(program, name string) *Source {
	functions := c.functions[program]
	at, ok := slices.BinarySearchFunc(functions, name, func(f *Source, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return nil
	}
	return functions[at]
}

// Spanless lists the calls in a function's text that call functions without a span.
func (c *Code) Spanless(program, name string) []SourceCall {
	f := c.Function(program, name)
	if f == nil {
		return nil
	}
	var calls []SourceCall
	for _, call := range f.Calls {
		if called := c.Function(program, call.Name); call.Kind == CallStatic && called != nil && called.Spanless != Spanned {
			calls = append(calls, call)
		}
	}
	return calls
}

// Traces reports whether a program has traced functions of a package.
func (c *Code) Traces(program, pkg string) bool { return c.packages()[program][pkg] }

// Functions returns all functions of a program's traced packages, sorted by name.
func (c *Code) Functions(program string) []*Source { return c.functions[program] }

// Programs returns the names of the traced programs, sorted.
func (c *Code) Programs() []string {
	var names []string
	for name := range c.functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Gate reports whether a feature gate of a program is on by default. known is
// false if the program does not have the gate.
func (c *Code) Gate(program, gate string) (on, known bool) {
	on, known = c.gates[program][gate]
	return on, known
}

// GateSince returns the minor version, such as "v1.36", since which the gate has the
// default that it has in this release. It looks back as far as the index does. It
// returns "" if the index lacks the release or the gate, or the program of the release before.
func (c *Code) GateSince(program, gate string) string {
	x, err := loadIndex()
	if err != nil {
		return ""
	}
	return x.gateSince(c.release, program, gate)
}

// A Gate is a feature gate of a program.
type Gate struct {
	Program, Name string
	// Defaults has a default for each release of the index, oldest first.
	Defaults []GateDefault
}

// A GateDefault is the default of a feature gate in a release.
type GateDefault struct {
	Release string
	// Indexed is set if the index has the program of this release, Known if the
	// program has the gate, On if the gate is on by default.
	Indexed, Known, On bool
}

// Gates returns the feature gates of all releases of the index, sorted by program and
// name.
func Gates() ([]Gate, error) {
	x, err := loadIndex()
	if err != nil {
		return nil, err
	}
	indexed := x.indexed()
	var all []Gate
	for _, g := range x.gates {
		gate := Gate{Program: x.programs[g.program], Name: g.name}
		for r, release := range x.releases {
			gate.Defaults = append(gate.Defaults, GateDefault{
				Release: release, Indexed: indexed[g.program]>>r&1 == 1, Known: g.known>>r&1 == 1, On: g.on>>r&1 == 1,
			})
		}
		all = append(all, gate)
	}
	return all, nil
}

// indexed returns, by program, the set of releases in which the index has it.
func (x *index) indexed() []uint64 {
	sets := make([]uint64, len(x.programs))
	for i := range x.texts {
		for p, in := range x.texts[i].in {
			sets[p] |= in
		}
	}
	return sets
}

func (x *index) gateSince(release, program, gate string) string {
	p, r := slices.Index(x.programs, program), slices.Index(x.releases, release)
	at := slices.IndexFunc(x.gates, func(g indexGate) bool { return g.program == p && g.name == gate })
	if at < 0 || r < 0 {
		return ""
	}
	g := x.gates[at]
	for r > 0 && g.known>>(r-1)&1 == 1 && g.on>>(r-1)&1 == g.on>>r&1 {
		r--
	}
	if r > 0 && x.indexed()[p]>>(r-1)&1 == 0 {
		return "" // the program of the release before is not known
	}
	return semver.MajorMinor(x.releases[r])
}

// PutIndex adds a release's programs, by name, to the index in a folder. It removes
// the programs of another patch release of the same minor version.
func PutIndex(folder, release string, programs map[string]*Program) error {
	releases := map[string]map[string]*Program{}
	if err := readIndexFile(folder, releases); err != nil {
		return err
	}
	for other := range releases {
		if semver.MajorMinor(other) == semver.MajorMinor(release) {
			delete(releases, other)
		}
	}
	releases[release] = programs
	packed, err := packIndex(releases)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, indexFile), packed, 0o644)
}

// readIndexFile adds the index in a folder to releases. The file may be missing.
func readIndexFile(folder string, releases map[string]map[string]*Program) error {
	path := filepath.Join(folder, indexFile)
	packed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = readReleases(packed, releases)
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", path, err)
	}
	return nil
}

func readReleases(packed []byte, releases map[string]map[string]*Program) error {
	x, err := unpackIndex(packed)
	if err != nil {
		return err
	}
	for _, release := range x.releases {
		releases[release] = map[string]*Program{}
		for _, program := range x.programs {
			if p := x.program(release, program); p != nil {
				releases[release][program] = p
			}
		}
	}
	return nil
}
