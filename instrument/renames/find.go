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
// Its change names similar candidates. Lengths are in tokens.
const (
	// A text of at least longTokens is renamed if it has this similarity, without other
	// evidence.
	minSimilarity, longTokens = 0.65, 50
	// minLead is a candidate's required lead over the next.
	minLead = 0.08
	// minWithCallers is the required similarity if the same functions call both.
	minWithCallers = 0.6
	// minWithName is the required similarity if the last part of the name stayed.
	// The text must have at least namedTokens.
	minWithName, namedTokens = 0.45, 25
	// minAcrossPackages is the required similarity if the package changed, and if many
	// packages have the name or there is no other evidence.
	// The text must have at least largeTokens: short texts are alike everywhere.
	minAcrossPackages, largeTokens = 0.8, 100
	// maxSamePackages is the largest number of packages with the same name for which
	// the name alone identifies its function.
	maxSamePackages = 2
	// minFolded is the share of a text that must be new in another function.
	// The text must have at least foldedTokens.
	minFolded, foldedTokens = 0.6, 20
	// minSplitShare is the minimum share of a text in each part of a split function.
	minSplitShare = 0.15
	// minCandidate is the similarity that makes a candidate worth naming without
	// evidence.
	minCandidate = 0.3
	// minExtracted is the share of a text that a new function must have taken.
	// The text must have at least extractedTokens.
	minExtracted, extractedTokens = 0.25, 100
	// maxSameMethods is the largest number of methods with the same name for which a
	// call by name identifies the method.
	maxSameMethods = 3
)

// changesBetween finds the changes from one release to the next: the fate of each
// removed name, and functions that lost a part of their text.
func changesBetween(old, new *Source) []lineage.Change {
	f := &finder{old: old, new: new, renamedTo: map[string]string{}, newTexts: map[key]*declaration{}}
	f.added = map[lineage.Kind][]*declaration{}
	for k, t := range new.declarations {
		if old.declarations[k] == nil {
			f.added[k.kind] = append(f.added[k.kind], t)
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
	for _, all := range f.added {
		slices.SortFunc(all, byName)
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
				f.renamedTo[c.From] = c.To[0]
			}
			changes = append(changes, c)
		}
	}
	return append(changes, f.extracted()...)
}

type finder struct {
	old, new *Source
	// added has the declarations of names that only new has, sorted.
	added map[lineage.Kind][]*declaration
	// renamedTo maps a name of old to its new name, if found.
	renamedTo map[string]string
	// newTexts has the declarations of new. Each has only the shingles that the
	// declaration with its name in old lacks.
	newTexts map[key]*declaration
	// byShingle has newTexts by shingle.
	byShingle map[uint64][]*declaration
}

// index fills newTexts and byShingle.
func (f *finder) index() {
	f.byShingle = map[uint64][]*declaration{}
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
		f.newTexts[k] = &fresh
		for s := range fresh.shingles {
			f.byShingle[s] = append(f.byShingle[s], &fresh)
		}
	}
}

// A candidate is a function or type that may have replaced a name.
type candidate struct {
	*declaration
	similarity float64
	callers    []string
	sameName   bool
}

func (f *finder) fate(t *declaration) lineage.Change {
	c := lineage.Change{Kind: t.kind, From: t.name}
	var all []candidate
	for _, other := range f.added[t.kind] {
		cand := candidate{other, similarity(t, other), f.sharedCallers(t, other), lastPart(t.name) == lastPart(other.name)}
		if cand.similarity >= minCandidate || len(cand.callers) > 0 || cand.sameName && samePlace(t.name, other.name) {
			all = append(all, cand)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), strings.Compare(a.name, b.name))
	})
	if to, methods := f.byMethods(t); to != nil {
		c.Fate, c.To, c.Alike, c.Callers = lineage.Renamed, []string{to.name}, int(100*similarity(t, to)), first(methods, 3)
		return c
	}
	if len(all) > 0 && f.hasEvidence(t, all) {
		best := all[0]
		c.Fate, c.To, c.Alike, c.Callers = lineage.Renamed, []string{best.name}, int(100*best.similarity), first(best.callers, 3)
		return c
	}
	if to, through := f.byEmbedding(t); to != nil {
		c.Fate, c.To, c.Alike, c.Through = lineage.Renamed, []string{to.name}, int(100*similarity(t, to)), through
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
	for _, cand := range all {
		if cand.similarity >= minCandidate && t.tokens >= foldedTokens || cand.sameName && samePlace(t.name, cand.name) || len(cand.callers) > 0 && cand.similarity >= 0.15 {
			c.Perhaps = append(c.Perhaps, cand.name)
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
		if is := f.renamedTo[k.name]; is != "" {
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
// through is the struct type of these calls. It embeds another type in both releases.
// In one release the struct type declares the method, in the other the embedded type.
func (f *finder) byEmbedding(t *declaration) (to *declaration, through string) {
	n := funcname.Parse(t.name)
	if t.kind != lineage.Function || n.Type == "" {
		return nil, ""
	}
	was := n.Package + "." + n.Type
	for _, other := range f.added[lineage.Function] {
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

// declares reports whether a type or its pointer has a method of its own.
func (s *Source) declares(typ, method string) bool {
	pkg := funcname.Package(typ)
	name := strings.TrimPrefix(typ, pkg+".")
	return s.declarations[key{lineage.Function, pkg + "." + name + "." + method}] != nil || s.declarations[key{lineage.Function, pkg + ".(*" + name + ")." + method}] != nil
}

// extracted finds functions that lost part of their text to a new function.
// Both have the same package, and the same name apart from a method's type.
func (f *finder) extracted() []lineage.Change {
	var changes []lineage.Change
	for _, to := range f.added[lineage.Function] {
		n := funcname.Parse(to.name)
		for k, before := range f.old.declarations {
			after := f.new.declarations[k]
			if after == nil || k.kind != lineage.Function || before.tokens < extractedTokens {
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
			if much := float64(moved) / float64(len(before.shingles)); much >= minExtracted {
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
// An unchanged name adds 0.1 to the similarity, and so do common callers.
func (c candidate) score() float64 {
	s := c.similarity
	if c.sameName {
		s += 0.1
	}
	if len(c.callers) > 0 {
		s += 0.1
	}
	return s
}

// hasEvidence reports whether the first candidate took the place of a name.
// The candidates are sorted, best first.
func (f *finder) hasEvidence(t *declaration, all []candidate) bool {
	best := all[0]
	if len(all) > 1 && best.score() < all[1].score()+minLead {
		return false
	}
	called := len(best.callers) > 0
	if funcname.Package(t.name) != funcname.Package(best.name) && (!f.isRare(t) || !best.sameName && !called) {
		return best.similarity >= minAcrossPackages && t.tokens >= largeTokens
	}
	switch {
	case best.sameName && (best.similarity == 1 || called && best.similarity >= minCandidate):
		return true
	case best.sameName && best.similarity >= minWithName && t.tokens >= namedTokens:
		return true
	case best.similarity == 1 && t.tokens >= namedTokens, called && best.similarity >= minWithCallers:
		return true
	}
	return best.similarity >= minSimilarity && t.tokens >= longTokens
}

// isRare reports whether few packages have the name, including its type.
func (f *finder) isRare(t *declaration) bool {
	n := withoutPackage(t.name)
	return f.old.count[n] <= maxSamePackages && f.new.count[n] <= maxSamePackages
}

// withoutPackage returns a full name without its package.
func withoutPackage(full string) string { return strings.TrimPrefix(full, funcname.Package(full)+".") }

// lastPart returns the last part of a name, without package and type, in lower case.
// So it stays the same when a function becomes exported.
func lastPart(full string) string {
	n := funcname.Parse(full)
	return strings.ToLower(n.Func)
}

// samePlace reports whether two names have the same package, or the same type name.
func samePlace(a, b string) bool {
	x, y := funcname.Parse(a), funcname.Parse(b)
	return x.Package == y.Package || x.Type != "" && x.Type == y.Type
}

// Callers returns the full names of the functions that call the function full, sorted.
// If many types have a method with its name, a call does not tell which one it means,
// and known is false.
func (s *Source) Callers(full string) (callers []string, known bool) {
	n := funcname.Parse(full)
	called := strings.TrimSuffix(full, funcname.GenericMark)
	if n.Type != "" {
		if s.methods[n.Func] > maxSameMethods {
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

// sharedCallers returns the callers of t in old that also call other in new.
// Their names are the names in new.
func (f *finder) sharedCallers(t, other *declaration) []string {
	var both []string
	there := f.callersOf(f.new, other)
	for _, caller := range f.callersOf(f.old, t) {
		if is := f.renamedTo[caller]; is != "" {
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
		for _, other := range f.byShingle[s] {
			if other.kind != lineage.Function || len(f.byShingle[s]) > 8 {
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
	if len(all) > 0 && float64(len(all[0].has)) >= minFolded*float64(len(t.shingles)) {
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
		if best == nil || float64(most) < minSplitShare*float64(len(t.shingles)) {
			break
		}
		to, covered = append(to, best.name), covered+most
		for s := range best.has {
			delete(left, s)
		}
	}
	if much = float64(covered) / float64(len(t.shingles)); len(to) < 2 || much < minFolded || t.tokens < largeTokens {
		return nil, 0
	}
	return to, much
}

func first(all []string, n int) []string { return all[:min(len(all), n)] }
