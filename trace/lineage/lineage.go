// Package lineage holds the names of functions and types in all releases of
// Kubernetes from v1.10 on, and the history of each name. The names come from the
// released sources, without a run, so releases that were never recorded are
// included.
//
// Package history follows a function through recordings.
package lineage

import (
	"cmp"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Kind is a function or a type.
type Kind int

// The kinds of a Name.
const (
	Function Kind = iota
	Type
)

// A Name is the full name of a function or type, with its declarations in the releases.
type Name struct {
	Full string
	Kind Kind
	// Texts are the declarations, each with a set of releases.
	Texts []Text
}

// A Text is a declaration of a name.
type Text struct {
	// File is the name of the file, without the path of its package.
	File string
	// Signature is, for a function, its parameters and results, such as "(ctx
	// context.Context) error". For a type, its first line is "struct",
	// "interface" or the underlying type, and a line "Name Type" follows for
	// each field or method.
	Signature string
	// In is a bit set of indices of Library.Releases.
	In uint64
}

// A Fate is how a name ended, or how it lost a part of its text.
type Fate int

// The fates.
const (
	// Gone: no replacement in the release is known. Perhaps has similar names.
	Gone Fate = iota
	// Renamed: To[0] has the same or nearly the same text, or the same own
	// name and callers.
	Renamed
	// Folded: most of its text is in To[0], which does other work, too.
	Folded
	// Split: its text was spread over the functions of To.
	Split
	// Extracted: the name still exists. Part of its text is in To[0], which is
	// new in the release and has the same name after the last dot.
	Extracted
	// Inlined: the function called the functions in Called, and the functions in
	// To call them now. If Called is empty, the function's callers call To
	// instead. A person read this in the sources.
	Inlined
)

// A Change is the end of a name, or of a part of its text.
type Change struct {
	Kind Kind
	From string
	// At is the first release without the name or the part, by index.
	At   int
	Fate Fate
	To   []string
	// Alike is the percentage of the text that is the same in To.
	Alike int
	// Through is a struct type that has the renamed method before and after
	// the change, once declared and once by embedding. So calls of the method
	// on this type stay the same. It is "" if there is no such type.
	Through string
	// Callers are functions that called From in the release before and call
	// To[0] in the release At. If the name is gone, they are its callers that
	// still exist. For a type, they are methods that moved with it.
	Callers []string
	// Called are the functions that an inlined function called.
	Called []string
	// Perhaps are names that are new in the release and somewhat similar. They
	// are not evidence.
	Perhaps []string
}

// A Library is the lineage of all names.
type Library struct {
	// Releases are the releases that were read, oldest first. They are at most
	// 64, because Text.In has a bit for each.
	Releases []string
	// Unread has, by release, the modules that were not available. Their names
	// are not known in that release.
	Unread [][]string
	// Names are sorted by kind and name.
	Names   []Name
	Changes []Change
}

//go:embed data/names.zst
var packed []byte

// Load returns the library that is embedded in the binary.
var Load = sync.OnceValues(func() (*Library, error) {
	l, err := unpack(packed)
	if err == nil {
		l.inline()
	}
	return l, err
})

// Find returns the full names of a kind that match a query in any release; see
// trace.FindFunctions. A query may end in arguments, as in
// "RunWardleServer(stopCh)".
func (l *Library) Find(kind Kind, query string) []string {
	query = WithoutArguments(query)
	names := l.names(kind)
	if found := trace.FindFunctions(query, names); len(found) > 0 {
		return found
	}
	alias, rest, ok := importName(query)
	if !ok {
		return nil
	}
	rest = trace.MarkTypeParameters(rest)
	var found []string
	for _, full := range names {
		if pkg := path.Base(funcname.Package(full)); strings.HasSuffix(alias, pkg) && funcname.HasEnd(funcname.Unmarked(full), funcname.Unmarked(pkg+"."+rest)) {
			found = append(found, full)
		}
	}
	return found
}

// importName splits a query after its package name. Upstream's files often
// import a package under a longer name than its own, such as genericregistry
// for registry.
func importName(query string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(query, ".")
	return name, rest, ok && !strings.ContainsAny(name, "/(*")
}

// names returns the full names of a kind, sorted.
func (l *Library) names(kind Kind) []string {
	var all []string
	for i := range l.Names {
		if l.Names[i].Kind == kind {
			all = append(all, l.Names[i].Full)
		}
	}
	return all
}

// WithoutArguments removes the arguments of a call: "server.Run(stopCh)"
// becomes "server.Run". A receiver in parentheses stays.
func WithoutArguments(query string) string {
	open := strings.LastIndexByte(query, '(')
	if open > 0 && strings.HasSuffix(query, ")") && query[open-1] != '.' && query[open-1] != '/' {
		return query[:open]
	}
	return query
}

// name returns a name of the library, or nil.
func (l *Library) name(kind Kind, full string) *Name {
	at, ok := slices.BinarySearchFunc(l.Names, Name{Full: full, Kind: kind}, CompareNames)
	if !ok {
		return nil
	}
	return &l.Names[at]
}

// CompareNames compares names in the order of Library.Names: by kind, then by
// full name.
func CompareNames(a, b Name) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Full, b.Full))
}

// Has reports whether a release has a name.
func (l *Library) Has(kind Kind, full, release string) bool {
	return l.text(kind, full, release) != nil
}

// File returns the file that declares a name in a release, or "" if the
// release lacks the name.
func (l *Library) File(kind Kind, full, release string) string {
	if t := l.text(kind, full, release); t != nil {
		return t.File
	}
	return ""
}

// Unavailable reports whether a release was read without the module of a name,
// because the module was not available.
func (l *Library) Unavailable(full, release string) bool {
	at := l.release(release)
	return at >= 0 && l.unread(full, at)
}

// text returns a name's declaration in a release, or nil.
func (l *Library) text(kind Kind, full, release string) *Text {
	at, n := l.release(release), l.name(kind, full)
	if at < 0 || n == nil {
		return nil
	}
	return n.text(at)
}

func (n *Name) text(at int) *Text {
	for i := range n.Texts {
		if n.Texts[i].In>>at&1 == 1 {
			return &n.Texts[i]
		}
	}
	return nil
}

// release returns a release's index, ignoring its patch version, or -1.
func (l *Library) release(version string) int {
	return slices.IndexFunc(l.Releases, func(r string) bool { return semver.MajorMinor(r) == semver.MajorMinor(version) })
}

// A Stage is a range of releases with the same name, file and declaration of a
// function or type.
type Stage struct {
	Name string
	Text
	// First and Last are indices of releases.
	First, Last int
	// Change is the end of the name, if the name ends with the stage.
	// Otherwise it is nil: another file or declaration follows, or the library
	// ends.
	Change *Change
}

// Follow returns the stages of a name and its earlier and later names, oldest
// first. It follows only renames. An unknown name has no stages.
func (l *Library) Follow(kind Kind, full string) []Stage {
	if l.name(kind, full) == nil {
		return nil
	}
	seen := map[string]bool{full: true}
	stages := l.stages(kind, full)
	for first := &stages[0]; first.First > 0; first = &stages[0] {
		i := slices.IndexFunc(l.Changes, func(c Change) bool {
			return c.Kind == kind && c.Fate == Renamed && c.At == first.First && c.To[0] == first.Name && !seen[c.From]
		})
		if i < 0 {
			break
		}
		from := l.Changes[i].From
		seen[from] = true
		earlier := slices.DeleteFunc(l.stages(kind, from), func(s Stage) bool { return s.First >= first.First })
		stages = append(earlier, stages...)
	}
	for {
		last := stages[len(stages)-1]
		if last.Change == nil || last.Change.Fate != Renamed || seen[last.Change.To[0]] {
			return stages
		}
		to := last.Change.To[0]
		seen[to] = true
		later := slices.DeleteFunc(l.stages(kind, to), func(s Stage) bool { return s.First <= last.Last })
		if len(later) == 0 {
			return stages
		}
		stages = append(stages, later...)
	}
}

// stages returns the stages of one name, oldest first.
func (l *Library) stages(kind Kind, full string) []Stage {
	n := l.name(kind, full)
	if n == nil {
		return nil
	}
	var all []Stage
	goesOn := false // the previous release that was read has the name
	for at := range l.Releases {
		if l.unread(full, at) {
			continue
		}
		t := n.text(at)
		last := len(all) - 1
		switch {
		case t == nil && goesOn:
			all[last].Change = l.change(kind, full, at)
		case t != nil && goesOn && all[last].Text == *t:
			all[last].Last = at
		case t != nil:
			all = append(all, Stage{Name: full, Text: *t, First: at, Last: at})
		}
		goesOn = t != nil
	}
	return all
}

// unread reports whether the release with index at was read without a name's
// module.
func (l *Library) unread(full string, at int) bool {
	return slices.ContainsFunc(l.Unread[at], func(module string) bool { return InModule(full, module) })
}

// InModule reports whether a function or type is in a module.
func InModule(full, module string) bool {
	rest, ok := strings.CutPrefix(full, module)
	return ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "."))
}

// change returns the end of a name at a release, or nil.
func (l *Library) change(kind Kind, full string, at int) *Change {
	for i := range l.Changes {
		if c := &l.Changes[i]; c.At == at && c.Kind == kind && c.From == full && c.Fate != Extracted {
			return c
		}
	}
	return nil
}

// Current returns the name of a function or type in a release. full is its
// name in any release. The result is "" if no name is known for the release.
// For a function literal, its number stays the same.
func (l *Library) Current(kind Kind, full, release string) string {
	declared, literal := funcname.SplitLiteral(full)
	at := l.release(release)
	if at < 0 {
		return ""
	}
	for _, s := range l.Follow(kind, declared) {
		if s.First <= at && at <= s.Last {
			return s.Name + literal
		}
	}
	return ""
}

// Embeds returns the full names of the types that a struct type embeds in a
// release, with a "*" before a pointer. It leaves out a name that does not
// lead to exactly one type of the release.
func (l *Library) Embeds(typ, release string) []string {
	t := l.text(Type, typ, release)
	if t == nil || !strings.HasPrefix(t.Signature, "struct\n") {
		return nil
	}
	var all []string
	for _, field := range strings.Split(t.Signature, "\n")[1:] {
		name, pointer := strings.CutPrefix(field, "*")
		if strings.Contains(name, " ") {
			continue // a field with a name
		}
		if !strings.Contains(name, ".") {
			name = funcname.Package(typ) + "." + name
		}
		found := slices.DeleteFunc(l.Find(Type, name), func(full string) bool { return !l.Has(Type, full, release) })
		if len(found) == 1 && pointer {
			found[0] = "*" + found[0]
		}
		if len(found) == 1 {
			all = append(all, found[0])
		}
	}
	return all
}

// Users returns the functions of a release with a type in their parameters or
// results, by full name, sorted. It compares names only. In other packages, it
// accepts any import name that ends in the package's name, because upstream's
// files name imports as they like.
func (l *Library) Users(typ, release string) []string {
	at := l.release(release)
	if at < 0 {
		return nil
	}
	pkg := funcname.Package(typ)
	own := strings.TrimPrefix(typ, pkg+".")
	inside := regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(own) + `\b`)
	outside := regexp.MustCompile(`\b\w*` + regexp.QuoteMeta(path.Base(pkg)+"."+own) + `\b`)
	var all []string
	for i := range l.Names {
		n := &l.Names[i]
		if n.Kind != Function {
			break
		}
		t := n.text(at)
		if t == nil || !strings.Contains(t.Signature, own) {
			continue
		}
		if in := funcname.Package(n.Full) == pkg; in && inside.MatchString(t.Signature) || !in && outside.MatchString(t.Signature) {
			all = append(all, n.Full)
		}
	}
	return all
}
