package code

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Type is a release's type: its declaration, and its use in recordings.
type Type struct {
	*source.Type
	// Alias is the alias that the type was looked up under, by full name, else "".
	Alias string
	// Release is the release of Kubernetes or, for a user's own server, the program
	// and its version. Place is the place of the declaration.
	Release string
	Place   Place
	// Recordings counts the searched recordings: 0 for a release without any, or
	// without an index of its source.
	Recordings int
	// Ran maps each method's full name to the number of recorded scenarios that
	// called it. The number is negative for a method without a span, because no
	// recording shows its calls. Ran is empty for an interface.
	Ran map[string]int
	// Behind lists, for an interface, the types whose methods ran when recorded code
	// called methods of the interface. For another type, it lists the type and the types
	// that embed it, if recorded code called their methods through interfaces. A type
	// with more scenarios comes first.
	Behind []Behind
	// Users are the release's functions with the type or Alias in their parameters
	// or results, by full name, sorted. It is empty for an interface, or if Behind is
	// not empty.
	Users []string
}

// OtherMethods returns the methods that the declaration does not show. For an
// interface, these are the methods of embedded interfaces. For another type, these
// are all methods.
func (t *Type) OtherMethods() []source.Method {
	return slices.DeleteFunc(slices.Clone(t.Methods), func(m source.Method) bool {
		return t.Interface && m.Name == t.Name+"."+funcname.Last(m.Name)
	})
}

// A Behind is a concrete type behind interfaces when their methods were called.
type Behind struct {
	// Type is the concrete type's full name, with a "*" for its pointer. Through
	// lists the embedded types that promote the methods to it; see
	// source.Types.Through. If Through is empty, Type declares the methods. Then the
	// value behind the interface had this type, or a type that embeds it.
	Type    string
	Through []string
	// Resources are the requests' resources, with their subresources, if a
	// handler called its storage's methods.
	Resources []string
	// Methods are the called methods of interfaces, Callers the functions that
	// called them, by full name, sorted.
	Methods, Callers []string
	// Scenarios are the scenarios of these calls, sorted.
	Scenarios []string
}

// ResolveType returns the full name of the type that a query means in a release. The
// query may be its name in any release. If there is no such type, the error is a
// *trace.UnknownFunctionError.
func ResolveType(query, release string) (string, error) {
	names, err := lineage.Load()
	if err != nil {
		return "", err
	}
	found, gone := names.Resolve(lineage.Type, query, release)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", &trace.AmbiguousFunctionError{Query: query, Types: true, Candidates: found}
	case len(gone) > 0:
		return "", names.Gone(lineage.Type, query, gone[len(gone)-1], release)
	}
	return "", &trace.UnknownFunctionError{Query: query, Types: true, Where: message.Of("Kubernetes %s and its etcd", release), Near: names.NearTypes(query, release)}
}

// ResolveAny returns the full name of the function that a query means or,
// without one, of the type.
func (c *Base) ResolveAny(ctx context.Context, query string) (name string, kind lineage.Kind, err error) {
	if !c.Own.IsZero() {
		return c.resolveOwn(ctx, query)
	}
	if c.knows(query) {
		name, err = c.resolve(ctx, query)
		return name, lineage.Function, err
	}
	name, err = ResolveType(query, c.Version)
	if err == nil {
		names, err := lineage.Load()
		if err == nil {
			c.noticeRename(names, lineage.Type, query, name)
		}
		return name, lineage.Type, err
	}
	if !errors.As(err, new(*trace.UnknownFunctionError)) {
		return "", lineage.Type, err
	}
	noType := new(trace.UnknownFunctionError)
	errors.As(err, &noType)
	ended := errors.As(err, new(*lineage.GoneError))
	name, notFound := c.resolve(ctx, query)
	if notFound != nil && ended {
		return "", lineage.Type, err
	}
	if unknown := new(trace.UnknownFunctionError); errors.As(notFound, &unknown) {
		unknown.Types, unknown.Near = true, lineage.Near(query, append(unknown.Near, noType.Near...))
	}
	return name, lineage.Function, notFound
}

// resolveOwn is ResolveAny for Own. Generated code has functions with the names
// of types, so resolveOwn looks for both.
func (c *Base) resolveOwn(ctx context.Context, query string) (name string, kind lineage.Kind, err error) {
	name, err = c.resolve(ctx, query)
	ambiguous, unknown := new(trace.AmbiguousFunctionError), new(trace.UnknownFunctionError)
	var functions []string
	switch {
	case err == nil && name == query:
		return name, lineage.Function, nil
	case err == nil:
		functions = []string{name}
	case errors.As(err, &ambiguous):
		functions = ambiguous.Candidates
	case !errors.As(err, &unknown):
		return "", lineage.Function, err
	}
	tree, notRead := c.tree(ctx, ownTree)
	if notRead != nil {
		return "", lineage.Type, notRead
	}
	types, failed := tree.SearchTypes(query)
	switch {
	case failed != nil:
		return "", lineage.Type, failed
	case len(types) == 0:
		unknown.Types = true
		return name, lineage.Function, err
	case len(types) == 1 && len(functions) == 0:
		return types[0], lineage.Type, nil
	}
	all := slices.Sorted(slices.Values(slices.Concat(functions, types)))
	return "", lineage.Type, &trace.AmbiguousFunctionError{Query: query, Functions: len(functions) > 0, Types: true, Candidates: all}
}

// knows reports whether a query means a function of the recordings, or of any
// release's source.
func (c *Base) knows(query string) bool {
	query = lineage.WithoutArguments(query)
	var known []string
	for name := range c.calls {
		known = append(known, name)
	}
	if len(trace.FindFunctions(query, known)) > 0 {
		return true
	}
	names, err := lineage.Load()
	if err != nil {
		return false // resolve returns the same error
	}
	declared, _ := funcname.SplitLiteral(query)
	return len(names.Find(lineage.Function, declared)) > 0
}

// TypeOf returns a type by its full name. It reads the source, and fetches it if
// necessary.
func (c *Base) TypeOf(ctx context.Context, name string) (*Type, error) {
	if !c.Own.IsZero() {
		return c.ownType(ctx, name)
	}
	tree, err := c.tree(ctx, apiserver.Name)
	if err != nil {
		return nil, err
	}
	return typeIn(tree, c.Version, name, c.Recordings)
}

// ownType returns a type of Own with only its declaration. The recordings and the
// index belong to other programs.
func (c *Base) ownType(ctx context.Context, name string) (*Type, error) {
	tree, err := c.tree(ctx, ownTree)
	if err != nil {
		return nil, err
	}
	t, err := declaredIn(tree.Types(), tree, c.Version, name)
	if err != nil {
		return nil, err
	}
	t.Release = tree.String()
	return t, nil
}

// ReleasedType returns a type of kube-apiserver by its full name, with its use in the
// release's embedded recordings. folder has the source.
func ReleasedType(folder, release, name string) (*Type, error) {
	of, err := recordings.All(release)
	if err != nil {
		return nil, err
	}
	return typeIn(&source.Tree{Program: apiserver.Name, Version: release, Dir: folder}, release, name, of)
}

// typeIn returns a release's type by its full name. tree has the source. of are
// recordings of the release.
func typeIn(tree *source.Tree, release, name string, of []*trace.Recording) (*Type, error) {
	reader := tree.Types()
	t, err := declaredIn(reader, tree, release, name)
	if err != nil {
		return nil, err
	}
	if err := t.look(reader, tree.Program, of); err != nil || t.Interface || len(t.Behind) > 0 {
		return t, err
	}
	names, err := lineage.Load()
	if err != nil {
		return t, err
	}
	t.Users = names.Users(t.Name, release)
	if t.Alias != "" {
		t.Users = append(t.Users, names.Users(t.Alias, release)...)
		slices.Sort(t.Users)
		t.Users = slices.Compact(t.Users)
	}
	return t, nil
}

// declaredIn returns the declaration of a type. tree has the source of a program for
// a release.
func declaredIn(reader *source.Types, tree *source.Tree, release, name string) (*Type, error) {
	found, err := reader.Type(name)
	if err != nil {
		return nil, err
	}
	rec := trace.Versions(release, tree.Program, tree.Version)
	at := found.Declaration
	alias := ""
	if at.Name != name {
		alias, found.Name = name, at.Name
	}
	return &Type{Type: found, Alias: alias, Release: release, Place: Place{File: at.File, Line: at.Line, Program: tree.String(), Recording: rec, Call: &trace.Call{Process: tree.Program, File: at.File, Line: at.Line}}}, nil
}

// look adds the use of the type in recordings.
func (t *Type) look(reader *source.Types, program string, of []*trace.Recording) error {
	known, err := recordings.CodeOf(t.Release)
	if err != nil || known == nil || len(of) == 0 {
		return err
	}
	t.Recordings = len(of)
	if !t.Interface {
		var methods []string
		for _, m := range t.Methods {
			methods = append(methods, m.Name)
		}
		t.Ran = explain.Ran(methods, of)
		for _, m := range methods {
			if in := known.Function(program, m); t.Ran[m] == 0 && (in == nil || in.Spanless != recordings.Spanned) {
				t.Ran[m] = -1
			}
		}
	}
	dispatches, err := explain.Dispatches(known, of, t.concerns())
	if err != nil {
		return err
	}
	names, err := lineage.Load()
	if err != nil {
		return err
	}
	for _, d := range dispatches {
		typ, through, err := concrete(reader, names, t.Release, d)
		if err != nil {
			return err
		}
		if fits, err := t.fits(reader, d.Method, typ); err != nil {
			return err
		} else if !fits {
			continue
		}
		t.add(d, typ, through)
	}
	slices.SortStableFunc(t.Behind, func(a, b Behind) int {
		return cmp.Or(cmp.Compare(len(b.Scenarios), len(a.Scenarios)), cmp.Compare(a.Type, b.Type))
	})
	return nil
}

// fits reports whether typ can be behind the interface t. A method of typ ran when
// recorded code called the given method of an interface. The interface can be one
// that t embeds, such as rest.Creater in rest.StandardStorage; then typ may lack
// methods of t.
func (t *Type) fits(reader *source.Types, method, typ string) (bool, error) {
	if !t.Interface || method == t.Name+"."+funcname.Last(method) {
		return true, nil
	}
	for _, m := range t.Methods {
		if lacks, err := reader.Lacks(strings.TrimPrefix(typ, "*"), funcname.Last(m.Name)); err != nil || lacks {
			return false, err
		}
	}
	return true, nil
}

// concerns returns a function that selects the calls of interface methods that
// concern the type.
func (t *Type) concerns() func(method, ran string) bool {
	if !t.Interface {
		return func(_, ran string) bool { return explain.Receiver(ran) == t.Name }
	}
	methods := map[string]bool{}
	for _, m := range t.Methods {
		methods[m.Name] = true
	}
	return func(method, _ string) bool { return methods[method] }
}

// concrete returns the type with the method that ran, with a "*" for its pointer, and
// the embedded types that promote the method to it. For a call on a handler's storage,
// it returns the storage's type if that type has the method by embedding. reader tells
// which types it embeds. For a type that reader lacks, such as a type of the sample
// server, names does.
func concrete(reader *source.Types, names *lineage.Library, release string, d explain.Dispatch) (typ string, through []string, err error) {
	declares := explain.Receiver(d.Ran)
	outer := strings.TrimPrefix(d.Storage, "*")
	if outer != "" && outer != declares {
		through, err = reader.Through(outer, funcname.Last(d.Ran))
		if err != nil {
			return "", nil, err
		}
		if len(through) > 0 && strings.TrimPrefix(through[len(through)-1], "*") == declares {
			return d.Storage, through, nil
		}
		for _, embedded := range names.Embeds(outer, release) {
			if len(through) == 0 && strings.TrimPrefix(embedded, "*") == declares {
				return d.Storage, []string{embedded}, nil
			}
		}
	}
	if strings.Contains(path.Base(d.Ran), ".(*") {
		declares = "*" + declares
	}
	return declares, nil, nil
}

// add adds calls to the entry with the same type and chain of embedded types.
// Calls of requests for resources have separate entries, because an entry lists
// its requests' resources.
func (t *Type) add(d explain.Dispatch, typ string, through []string) {
	i := slices.IndexFunc(t.Behind, func(b Behind) bool {
		return b.Type == typ && slices.Equal(b.Through, through) && (len(b.Resources) == 0) == (d.Resource == "")
	})
	if i < 0 {
		i = len(t.Behind)
		t.Behind = append(t.Behind, Behind{Type: typ, Through: through})
	}
	b := &t.Behind[i]
	put := func(all *[]string, s string) {
		if at, has := slices.BinarySearch(*all, s); !has && s != "" {
			*all = slices.Insert(*all, at, s)
		}
	}
	put(&b.Resources, d.Resource)
	put(&b.Methods, d.Method)
	put(&b.Callers, d.Caller)
	for _, s := range d.Scenarios {
		put(&b.Scenarios, s)
	}
}

// FileOf returns the file on this machine of a function or type, by its full name,
// and the line where it begins.
func (c *Base) FileOf(ctx context.Context, name string, kind lineage.Kind) (file string, line int, err error) {
	if kind == lineage.Type {
		t, err := c.TypeOf(ctx, name)
		if err != nil {
			return "", 0, err
		}
		return t.Declaration.Path, t.Declaration.Line, nil
	}
	f, _, err := c.SourceOf(ctx, name)
	if err != nil {
		return "", 0, err
	}
	return f.Path, f.Line, nil
}
