package renames

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// The thresholds of evidence. A name without enough evidence counts as gone.
// Its change names similar candidates.
const (
	// nearly is the required equal share of a text without other evidence.
	// The text must have longText tokens or more.
	// ahead is a candidate's required lead over the next.
	nearly, ahead, longText = 0.65, 0.08, 50
	// withCallers is the required share if the same functions call both.
	withCallers = 0.6
	// withName is the required share if the last part of the name stayed.
	// The text must have namedText tokens or more.
	withName, namedText = 0.45, 25
	// anywhere is the required share if the package changed and many packages have the
	// name, or if there is no other evidence.
	// The text must have largeText tokens or more: short texts are alike everywhere.
	anywhere, largeText = 0.8, 100
	// rare limits the packages with the same name.
	// Up to this number, a name identifies its function by itself.
	rare = 2
	// folded is the share of a text that must be new in another function.
	// foldedTokens is the text's minimum length.
	folded, foldedTokens = 0.6, 20
	// share is a split function's minimum share of a text.
	share = 0.15
	// somewhat is the share that makes a candidate worth naming without evidence.
	somewhat = 0.3
	// partedTokens is the minimum length of a text that can lose a part.
	// parted is the share that the new function must have.
	partedTokens, parted = 100, 0.25
	// fewMethods limits the methods of the same name.
	// Up to this number, a call by name identifies the method.
	fewMethods = 3
)

// between finds the changes from one release to the next: the fate of each removed
// name, and functions that lost a part of their text.
func between(old, new *Source) []lineage.Change {
	f := &finder{old: old, new: new, is: map[string]string{}, added: map[key]*declaration{}}
	f.came = map[lineage.Kind][]*declaration{}
	for k, t := range new.declarations {
		if old.declarations[k] == nil {
			f.came[k.kind] = append(f.came[k.kind], t)
		}
	}
	var gone []*declaration
	for k, t := range old.declarations {
		if new.declarations[k] == nil {
			gone = append(gone, t)
		}
	}
	byName := func(a, b *declaration) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
	}
	slices.SortFunc(gone, byName)
	for _, came := range f.came {
		slices.SortFunc(came, byName)
	}
	f.index()
	var changes []lineage.Change
	// A renamed caller is evidence for the functions that it calls.
	// So the second pass finds more.
	for range 2 {
		changes = changes[:0]
		for _, t := range gone {
			c := f.fate(t)
			if c.Fate == lineage.Renamed && c.Kind == lineage.Function {
				f.is[c.From] = c.To[0]
			}
			changes = append(changes, c)
		}
	}
	return append(changes, f.parted()...)
}

type finder struct {
	old, new *Source
	// came has the names in new but not in old, sorted.
	came map[lineage.Kind][]*declaration
	// is maps a name of old to its new name, if found.
	is map[string]string
	// added has the texts of new.
	// Each is reduced to the part that its text in old lacks.
	added map[key]*declaration
	// with has the texts of added by shingle.
	with map[uint64][]*declaration
}

// index fills added and with.
func (f *finder) index() {
	f.with = map[uint64][]*declaration{}
	for k, t := range f.new.declarations {
		fresh := *t
		if before := f.old.declarations[k]; before != nil {
			fresh.shingles = map[uint64]bool{}
			for s := range t.shingles {
				if !before.shingles[s] {
					fresh.shingles[s] = true
				}
			}
		}
		f.added[k] = &fresh
		for s := range fresh.shingles {
			f.with[s] = append(f.with[s], &fresh)
		}
	}
}

// A candidate is a function or type that may have replaced a name.
type candidate struct {
	*declaration
	alike   float64
	callers []string
	named   bool
}

func (f *finder) fate(t *declaration) lineage.Change {
	c := lineage.Change{Kind: t.kind, From: t.name}
	var all []candidate
	for _, other := range f.came[t.kind] {
		is := candidate{other, alike(t, other), f.shared(t, other), own(t.name) == own(other.name)}
		if is.alike >= somewhat || len(is.callers) > 0 || is.named && samePlace(t.name, other.name) {
			all = append(all, is)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), strings.Compare(a.name, b.name))
	})
	if to, methods := f.byMethods(t); to != nil {
		c.Fate, c.To, c.Alike, c.Callers = lineage.Renamed, []string{to.name}, int(100*alike(t, to)), first(methods, 3)
		return c
	}
	if len(all) > 0 && f.evident(t, all) {
		best := all[0]
		c.Fate, c.To, c.Alike, c.Callers = lineage.Renamed, []string{best.name}, int(100*best.alike), first(best.callers, 3)
		return c
	}
	if to, through := f.byEmbedding(t); to != nil {
		c.Fate, c.To, c.Alike, c.Through = lineage.Renamed, []string{to.name}, int(100*alike(t, to)), through
		return c
	}
	if t.kind == lineage.Function && t.tokens >= foldedTokens {
		if to, much := f.parts(t); len(to) > 0 {
			c.Fate, c.To, c.Alike = lineage.Folded, to, int(100*much)
			if len(to) > 1 {
				c.Fate = lineage.Split
			}
			return c
		}
	}
	for _, is := range all {
		if is.alike >= somewhat && t.tokens >= foldedTokens || is.named && samePlace(t.name, is.name) || len(is.callers) > 0 && is.alike >= 0.15 {
			c.Perhaps = append(c.Perhaps, is.name)
		}
	}
	c.Perhaps = first(c.Perhaps, 3)
	for _, caller := range f.callersOf(f.old, t) {
		if f.new.declarations[key{lineage.Function, caller}] != nil {
			c.Callers = append(c.Callers, caller)
		}
	}
	c.Callers = first(c.Callers, 3)
	return c
}

// byMethods returns the type that took most of t's methods, and their new names.
func (f *finder) byMethods(t *declaration) (to *declaration, methods []string) {
	if t.kind != lineage.Type {
		return nil, nil
	}
	went, of := map[string][]string{}, 0
	for k := range f.old.declarations {
		n := funcname.Parse(k.name)
		if k.kind != lineage.Function || n.Type == "" || n.Package+"."+n.Type != t.name {
			continue
		}
		of++
		if is := f.is[k.name]; is != "" {
			n := funcname.Parse(is)
			typ := n.Package + "." + n.Type
			went[typ] = append(went[typ], is)
		}
	}
	for typ, all := range went {
		if other := f.new.declarations[key{lineage.Type, typ}]; other != nil && len(all) > 1 && 2*len(all) > of && f.old.declarations[key{lineage.Type, typ}] == nil {
			slices.Sort(all)
			return other, all
		}
	}
	return nil, nil
}

// byEmbedding returns the method that calls now reach instead of a removed method.
// through is the struct type of these calls.
// It has the method in both releases: declared in one, by embedding in the other.
// In both, it embeds the other method's type.
func (f *finder) byEmbedding(t *declaration) (to *declaration, through string) {
	n := funcname.Parse(t.name)
	if t.kind != lineage.Function || n.Type == "" {
		return nil, ""
	}
	was := n.Package + "." + n.Type
	for _, other := range f.came[lineage.Function] {
		m := funcname.Parse(other.name)
		is := m.Package + "." + m.Type
		switch {
		case m.Func != n.Func || m.Type == "":
		case f.embeds(is, was) && !f.old.declares(is, n.Func):
			return other, is
		case f.embeds(was, is) && !f.new.declares(was, n.Func):
			return other, was
		}
	}
	return nil, ""
}

// embeds reports whether a struct type embeds another in both releases.
func (f *finder) embeds(outer, inner string) bool {
	for _, s := range []*Source{f.old, f.new} {
		if t := s.declarations[key{lineage.Type, outer}]; t == nil || !slices.Contains(t.embeds, inner) {
			return false
		}
	}
	return true
}

// declares reports whether a type or its pointer has its own method.
func (s *Source) declares(typ, method string) bool {
	pkg := funcname.Package(typ)
	name := strings.TrimPrefix(typ, pkg+".")
	return s.declarations[key{lineage.Function, pkg + "." + name + "." + method}] != nil || s.declarations[key{lineage.Function, pkg + ".(*" + name + ")." + method}] != nil
}

// parted finds functions that lost part of their text to a new function.
// Both have the same last name and package.
func (f *finder) parted() []lineage.Change {
	var changes []lineage.Change
	for _, to := range f.came[lineage.Function] {
		n := funcname.Parse(to.name)
		for k, before := range f.old.declarations {
			after := f.new.declarations[k]
			if after == nil || k.kind != lineage.Function || before.tokens < partedTokens {
				continue
			}
			if m := funcname.Parse(k.name); m.Package != n.Package || m.Func != n.Func {
				continue
			}
			moved := 0
			for s := range before.shingles {
				if !after.shingles[s] && to.shingles[s] {
					moved++
				}
			}
			if much := float64(moved) / float64(len(before.shingles)); much >= parted {
				changes = append(changes, lineage.Change{Kind: lineage.Function, From: k.name, Fate: lineage.Extracted, To: []string{to.name}, Alike: int(100 * much)})
			}
		}
	}
	slices.SortFunc(changes, func(a, b lineage.Change) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To[0], b.To[0]))
	})
	return changes
}

// score orders candidates.
// An unchanged name counts as a tenth of the text. So do common callers.
func (c candidate) score() float64 {
	s := c.alike
	if c.named {
		s += 0.1
	}
	if len(c.callers) > 0 {
		s += 0.1
	}
	return s
}

// evident reports whether the first candidate took the place of a name.
// The candidates are sorted, best first.
func (f *finder) evident(t *declaration, all []candidate) bool {
	best := all[0]
	if len(all) > 1 && best.score() < all[1].score()+ahead {
		return false
	}
	called := len(best.callers) > 0
	if funcname.Package(t.name) != funcname.Package(best.name) && (!f.rare(t) || !best.named && !called) {
		return best.alike >= anywhere && t.tokens >= largeText
	}
	switch {
	case best.named && (best.alike == 1 || called && best.alike >= somewhat):
		return true
	case best.named && best.alike >= withName && t.tokens >= namedText:
		return true
	case best.alike == 1 && t.tokens >= namedText, called && best.alike >= withCallers:
		return true
	}
	return best.alike >= nearly && t.tokens >= longText
}

// rare reports whether few packages have the name, including its type.
func (f *finder) rare(t *declaration) bool {
	n := inPackage(t.name)
	return f.old.count[n] <= rare && f.new.count[n] <= rare
}

// inPackage returns a full name without its package.
func inPackage(full string) string { return strings.TrimPrefix(full, funcname.Package(full)+".") }

// own returns the last part of a name, without package and type.
// Lower case keeps it the same when a function becomes exported.
func own(full string) string {
	n := funcname.Parse(full)
	return strings.ToLower(n.Func)
}

// samePlace reports whether two names have the same package, or the same type name.
func samePlace(a, b string) bool {
	x, y := funcname.Parse(a), funcname.Parse(b)
	return x.Package == y.Package || x.Type != "" && x.Type == y.Type
}

// Callers returns the functions that call another, by full name, sorted.
// A call identifies a method only if few types have one of its name.
// Otherwise known is false.
func (s *Source) Callers(full string) (callers []string, known bool) {
	n := funcname.Parse(full)
	called := strings.TrimSuffix(full, funcname.GenericMark)
	if n.Type != "" {
		if s.methods[n.Func] > fewMethods {
			return nil, false
		}
		called = "." + n.Func
	}
	return slices.Sorted(maps.Keys(s.callers[called])), true
}

func (f *finder) callersOf(s *Source, t *declaration) []string {
	if t.kind != lineage.Function {
		return nil
	}
	callers, _ := s.Callers(t.name)
	return callers
}

// shared returns the callers of t in old that also call other in new.
// Their names are the names in new.
func (f *finder) shared(t, other *declaration) []string {
	var both []string
	there := f.callersOf(f.new, other)
	for _, caller := range f.callersOf(f.old, t) {
		if is := f.is[caller]; is != "" {
			caller = is
		}
		if slices.Contains(there, caller) && caller != other.name {
			both = append(both, caller)
		}
	}
	return both
}

// parts finds one to three functions that newly contain most of a text.
func (f *finder) parts(t *declaration) (to []string, much float64) {
	type part struct {
		*declaration
		has map[uint64]bool
	}
	parts := map[*declaration]*part{}
	for s := range t.shingles {
		for _, other := range f.with[s] {
			if other.kind != lineage.Function || len(f.with[s]) > 8 {
				continue
			}
			if parts[other] == nil {
				parts[other] = &part{other, map[uint64]bool{}}
			}
			parts[other].has[s] = true
		}
	}
	left := maps.Clone(t.shingles)
	all := slices.SortedFunc(maps.Values(parts), func(a, b *part) int { return cmp.Or(len(b.has)-len(a.has), strings.Compare(a.name, b.name)) })
	if len(all) > 0 && float64(len(all[0].has)) >= folded*float64(len(t.shingles)) {
		return []string{all[0].name}, float64(len(all[0].has)) / float64(len(t.shingles))
	}
	covered := 0
	for len(to) < 3 {
		var best *part
		most := 0
		for _, p := range all[:min(len(all), 20)] {
			n := 0
			for s := range p.has {
				if left[s] {
					n++
				}
			}
			if n > most {
				best, most = p, n
			}
		}
		if best == nil || float64(most) < share*float64(len(t.shingles)) {
			break
		}
		to, covered = append(to, best.name), covered+most
		for s := range best.has {
			delete(left, s)
		}
	}
	if much = float64(covered) / float64(len(t.shingles)); len(to) < 2 || much < folded || t.tokens < largeText {
		return nil, 0
	}
	return to, much
}

func first(all []string, n int) []string { return all[:min(len(all), n)] }
