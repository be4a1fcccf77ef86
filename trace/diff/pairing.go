package diff

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// pairRequests pairs requests in order. If both sides have equally many, and no causes, it
// pairs them by position. Otherwise it maximizes the sum of the likenesses.
func pairRequests(a, b []trace.Request) []position {
	var pairs []position
	caused := func(r trace.Request) bool { return r.Cause != (trace.Cause{}) }
	if len(a) == len(b) && !slices.ContainsFunc(a, caused) {
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
// of calls. It is 0 for different methods. Caused requests are about objects whose names are
// generated, so it is also 0 if they are not about the same kind of object.
func likeness(a, b *trace.Request) float64 {
	switch {
	case a.Method != b.Method:
		return 0
	case a.Path == b.Path:
		return same
	case a.Cause != (trace.Cause{}) && kindOf(a) != kindOf(b):
		return 0
	}
	less, more := min(len(a.Calls), len(b.Calls)), max(len(a.Calls), len(b.Calls))
	like := 1 + float64(less)/float64(max(more, 1))
	if a.Status == b.Status {
		like++
	}
	return like
}

// kindOf returns the path of a caused request or event without the names of objects.
func kindOf(r *trace.Request) string {
	if r.Method == trace.MethodEvent {
		return r.Path[:max(strings.LastIndexByte(r.Path, ' '), 0)]
	}
	resource, _, subresource := r.Resource()
	return resource + "/" + subresource
}
