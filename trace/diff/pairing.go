package diff

import (
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// pairAll pairs requests. A request without a partner has None in its place.
func pairAll(a, b []trace.Request) []position {
	p := &pairer{a: newCausedSide(a), b: newCausedSide(b)}
	p.pair(withPairs(p.a.roots, p.b.roots, pairRequests(p.a.requestsOf(p.a.roots), p.b.requestsOf(p.b.roots))))
	return p.pairs
}

// A causedSide has the requests of one side by cause.
type causedSide struct {
	requests []trace.Request
	// roots are the indices of requests that no other request caused.
	roots []int
	// causedBy has, by request, those that it caused.
	causedBy [][]int
}

func newCausedSide(requests []trace.Request) *causedSide {
	s := &causedSide{requests: requests, causedBy: make([][]int, len(requests))}
	all := make([]*trace.Request, len(requests))
	for i := range requests {
		all[i] = &requests[i]
	}
	for i, by := range trace.CausedBy(all) {
		if by < 0 {
			s.roots = append(s.roots, i)
		} else {
			s.causedBy[by] = append(s.causedBy[by], i)
		}
	}
	return s
}

func (s *causedSide) requestsOf(indices []int) []trace.Request {
	out := make([]trace.Request, len(indices))
	for i, at := range indices {
		out[i] = s.requests[at]
	}
	return out
}

// caused returns what a request caused; i may be None.
func (s *causedSide) caused(i int) []int {
	if i == None {
		return nil
	}
	return s.causedBy[i]
}

type pairer struct {
	a, b  *causedSide
	pairs []position
}

// pair adds pairs, each followed by what the two requests caused.
func (p *pairer) pair(pairs []position) {
	for _, pair := range pairs {
		p.pairs = append(p.pairs, pair)
		a, b := p.a.caused(pair.a), p.b.caused(pair.b)
		p.pair(withPairs(a, b, p.sameKinds(a, b)))
	}
}

// sameKinds pairs the first of each kind with the first of this kind, and so on.
func (p *pairer) sameKinds(a, b []int) (pairs []position) {
	taken := make([]bool, len(b))
	for i, at := range a {
		kind := kindOf(&p.a.requests[at])
		for j, other := range b {
			if !taken[j] && kindOf(&p.b.requests[other]) == kind {
				taken[j] = true
				pairs = append(pairs, position{i, j})
				break
			}
		}
	}
	return pairs
}

// withPairs returns pairs of a's and b's elements, and each of the other elements alone. The
// pairs are by position in a and b.
func withPairs(a, b []int, pairs []position) []position {
	partner, has := make([]int, len(a)), make([]bool, len(b))
	for i := range partner {
		partner[i] = None
	}
	for _, p := range pairs {
		partner[p.a], has[p.b] = p.b, true
	}
	var all []position
	next := 0
	alone := func(until int) { // of b
		for ; next < until; next++ {
			if !has[next] {
				all = append(all, position{None, b[next]})
			}
		}
	}
	for i, at := range a {
		if partner[i] == None {
			all = append(all, position{at, None})
			continue
		}
		alone(partner[i])
		all = append(all, position{at, b[partner[i]]})
	}
	alone(len(b))
	return all
}

// pairRequests pairs requests in order. If both sides have equally many, it
// pairs them by position. Otherwise it maximizes the sum of the likenesses.
func pairRequests(a, b []trace.Request) []position {
	var pairs []position
	if len(a) == len(b) {
		for i := range a {
			pairs = append(pairs, position{i, i})
		}
		return pairs
	}
	best := likenesses(a, b)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		like := likeness(&a[i], &b[j])
		switch best[i][j] {
		case best[i+1][j]:
			i++
		case best[i][j+1]:
			j++
		case like + best[i+1][j+1]:
			pairs = append(pairs, position{i, j})
			i, j = i+1, j+1
		}
	}
	return pairs
}

// likenesses returns, by i and j, the greatest sum of likenesses for the
// requests a[i:] and b[j:].
func likenesses(a, b []trace.Request) [][]float64 {
	best := make([][]float64, len(a)+1)
	for i := range best {
		best[i] = make([]float64, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like := likeness(&a[i], &b[j]); like > 0 {
				best[i][j] = max(best[i][j], like+best[i+1][j+1])
			}
		}
	}
	return best
}

// same is the likeness of requests with the same method and path. It outweighs
// all other pairs.
const same = 1e6

// likeness returns the similarity of two requests, by path, status, and number
// of calls. It is 0 for different methods.
func likeness(a, b *trace.Request) float64 {
	switch {
	case a.Method != b.Method:
		return 0
	case a.Path == b.Path:
		return same
	}
	less, more := min(len(a.Calls), len(b.Calls)), max(len(a.Calls), len(b.Calls))
	like := 1 + float64(less)/float64(max(more, 1))
	if a.Status == b.Status {
		like++
	}
	return like
}

// kindOf returns the method and path of a caused request or event without the names of objects,
// because these are generated.
func kindOf(r *trace.Request) string {
	if r.Method == trace.MethodEvent {
		return r.Method + " " + r.Path[:max(strings.LastIndexByte(r.Path, ' '), 0)]
	}
	resource, _, subresource := r.Resource()
	return r.Method + " " + resource + "/" + subresource
}
