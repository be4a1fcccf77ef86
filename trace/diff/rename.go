package diff

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// findRenames pairs functions that only A calls with functions that only B
// calls, if they are similar in name, place, callees and file. It returns the
// number of new pairs. The sides must be matched.
func (id *identity) findRenames(a, b *side) int {
	inA, inB := a.counts(id.count), b.counts(id.count)
	gone := a.profiles(func(name int32) bool { return inB[id.a[name]] == 0 }, a.label, inB)
	come := b.profiles(func(name int32) bool { return inA[id.b[name]] == 0 }, b.label, inA)
	r := &renames{id: id, a: a, b: b, gone: gone, come: come, parsed: map[int32]parsedName{}, tried: map[[2]int32]bool{}}
	r.packages()
	r.byName()
	r.byPlace()
	return id.accept(r.pairs)
}

type renames struct {
	id   *identity
	a, b *side
	// gone has the functions that only A calls, come the functions that only B
	// calls.
	gone, come map[int32]*profile
	parsed     map[int32]parsedName
	tried      map[[2]int32]bool
	pairs      []likely
	// inA and inB are the packages of each side. having counts, by a
	// function's name without its package, the packages with such a function.
	inA, inB map[string]bool
	having   map[parsedName]int
}

// packages sets inA, inB and having.
func (r *renames) packages() {
	r.inA, r.inB, r.having = map[string]bool{}, map[string]bool{}, map[parsedName]int{}
	seen := make([]bool, len(r.id.names.list))
	collect := func(s *side, in map[string]bool) {
		known := make([]bool, len(seen))
		for _, name := range s.name {
			if known[name] {
				continue
			}
			known[name] = true
			in[r.parse(name).pkg] = true
			if !seen[name] {
				seen[name] = true
				r.having[r.parse(name).anywhere()]++
			}
		}
	}
	collect(r.a, r.inA)
	collect(r.b, r.inB)
}

// sameForMany reports whether so many packages have a function of this name
// that the name does not identify it. For example, each version of an API
// group has RegisterConversions.
func (r *renames) sameForMany(name int32) bool {
	const many = 6 // both sides together: three packages that moved
	return r.having[r.parse(name).anywhere()] > many
}

// movedWhole reports whether a package may have moved with all its contents:
// only A has it under the path of x, only B under the path of y, and both have
// the same package name; see packageName.
func (r *renames) movedWhole(x, y int32) bool {
	from, to := r.parse(x).pkg, r.parse(y).pkg
	return !r.inB[from] && !r.inA[to] && packageName(from) == packageName(to)
}

// byName tries pairs of functions with the same key.
func (r *renames) byName() {
	byFun := map[string][]int32{}
	for y := range r.come {
		key := r.key(y)
		byFun[key] = append(byFun[key], y)
	}
	for x := range r.gone {
		for _, y := range byFun[r.key(x)] {
			r.try(x, y)
		}
	}
}

// key is a function's process and own name in lower case, without the package
// and the receiver's type. A literal has the key of its enclosing function.
func (r *renames) key(name int32) string {
	declared, _ := funcname.SplitLiteral("." + r.parse(name).fun)
	return r.id.names.list[name].process + " " + strings.ToLower(declared)
}

// byPlace tries pairs of functions that are called in the same place.
func (r *renames) byPlace() {
	const most = 24 // per place; with more changes, the place means little
	at := map[int32][]int32{}
	for y, p := range r.come {
		for above := range p.places {
			at[above] = append(at[above], y)
		}
	}
	for x, p := range r.gone {
		for above := range p.places {
			if near := at[r.a.partner[above]]; len(near) <= most {
				for _, y := range near {
					r.try(x, y)
				}
			}
		}
	}
}

func (r *renames) parse(name int32) parsedName {
	p, ok := r.parsed[name]
	if !ok {
		p = parseName(r.id.names.list[name].name)
		r.parsed[name] = p
	}
	return p
}

// try adds x and y to the likely pairs if they are similar enough.
func (r *renames) try(x, y int32) {
	if x == y { // literals that are known to be different
		return
	}
	if _, _, ok := initOf(r.id.names.list[x].name); ok { // their names say nothing; matchInits pairs them by file
		return
	}
	if r.tried[[2]int32{x, y}] || r.id.names.list[x].process != r.id.names.list[y].process {
		return
	}
	r.tried[[2]int32{x, y}] = true
	if r.parse(x).anywhere() == r.parse(y).anywhere() && r.sameForMany(x) && !r.movedWhole(x, y) {
		return
	}
	p, q := r.gone[x], r.come[y]
	name, place, content := r.likeness(x, y), r.samePlaces(p, q), sameContent(p, q)
	if name >= 0.8 {
		content = max(content, r.commonBelow(p, q))
	}
	near := nearness(p.file, q.file)
	score := 0.4*name + 0.2*(place+content+near)
	// A function that moves to another package may have to be exported, so its
	// name may differ in case.
	moved := name >= 0.9 && near >= 0.4
	if moved {
		score++
	}
	if moved || score >= 0.6 && (place > 0 || content >= 0.5 && len(p.callees) > 0) {
		r.pairs = append(r.pairs, likely{x, y, score})
	}
}

// likeness compares names. Literals of a renamed function count as if the
// function had kept its name.
func (r *renames) likeness(x, y int32) float64 {
	p, q := r.parse(x), r.parse(y)
	declaredA, restA := funcname.SplitLiteral(r.id.names.list[x].name)
	declaredB, restB := funcname.SplitLiteral(r.id.names.list[y].name)
	if restA != "" && restB != "" && r.same(x, declaredA, declaredB) {
		if restA == restB {
			return 0.95
		}
		return 0.85
	}
	if (restA == "") != (restB == "") {
		return 0.5 * p.likeness(q)
	}
	return p.likeness(q)
}

// same reports whether two declared functions, in the process of x, have the
// same name or the same label. A function has a label only if a trace calls it.
// The function that makes a handler may have run long before the request.
func (r *renames) same(x int32, declaredA, declaredB string) bool {
	if declaredA == declaredB {
		return true
	}
	process := r.id.names.list[x].process
	a, okA := r.id.names.index[function{process, declaredA}]
	b, okB := r.id.names.index[function{process, declaredB}]
	return okA && okB && r.id.a[a] == r.id.b[b]
}

// samePlaces is the fraction of calls made in the same places.
func (r *renames) samePlaces(p, q *profile) float64 {
	common := 0
	for above, n := range p.places {
		common += min(n, q.places[r.a.partner[above]])
	}
	return float64(common) / float64(max(p.calls, q.calls))
}

// commonBelow returns the fraction of the calls below two functions that have
// a partner below the other function. It distinguishes functions with similar
// callees, such as the filters of a chain. It is 0 unless both are called
// once.
func (r *renames) commonBelow(p, q *profile) float64 {
	if p.calls != 1 || q.calls != 1 {
		return 0
	}
	x, y, common := p.first, q.first, 0
	for i := x + 1; i < r.a.end[x]; i++ {
		if j := r.a.partner[i]; j > y && j < r.b.end[y] {
			common++
		}
	}
	return 2 * float64(common) / float64(r.a.size(x)+r.b.size(y))
}

// sameContent compares the callees of two functions. It returns 0.5 if neither
// has any. Half of the result comes from profile.callees, half from
// profile.through.
func sameContent(p, q *profile) float64 {
	if len(p.callees)+len(q.callees) == 0 {
		return 0.5
	}
	return 0.5*shared(p.callees, q.callees) + 0.5*shared(p.through, q.through)
}
