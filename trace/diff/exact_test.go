package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// exactDistance is the number of calls to add and remove to turn one tree into
// the other, if no call may change its function or move. It is the tree edit
// distance of Zhang and Shasha (1989), in time n²·depth². It uses no code of the
// package under test.
func exactDistance(a, b *trace.Tree) int {
	la, lb := postorder(a), postorder(b)
	n, m := len(la.function), len(lb.function)
	distance := make([][]int, n)
	for i := range distance {
		distance[i] = make([]int, m)
	}
	for _, i := range la.keyroots {
		for _, j := range lb.keyroots {
			forestDistance(la, lb, i, j, distance)
		}
	}
	return distance[n-1][m-1]
}

type postorderTree struct {
	function []string
	leftmost []int // by node, the leftmost leaf below it
	keyroots []int
}

func postorder(t *trace.Tree) *postorderTree {
	p := &postorderTree{}
	var walk func(i int) int
	walk = func(i int) int {
		first := -1
		for c := range t.Children(i) {
			if l := walk(c); first < 0 {
				first = l
			}
		}
		if first < 0 {
			first = len(p.function)
		}
		p.function = append(p.function, t.Call(i).Process+t.Call(i).Function)
		p.leftmost = append(p.leftmost, first)
		return first
	}
	walk(0)
	seen := map[int]bool{}
	for i := len(p.function) - 1; i >= 0; i-- {
		if !seen[p.leftmost[i]] {
			seen[p.leftmost[i]] = true
			p.keyroots = append(p.keyroots, i)
		}
	}
	slices.Reverse(p.keyroots)
	return p
}

func forestDistance(a, b *postorderTree, i, j int, distance [][]int) {
	const otherFunction = 2 // as much as removing one and adding the other
	li, lj := a.leftmost[i], b.leftmost[j]
	f := make([][]int, i-li+2)
	for x := range f {
		f[x] = make([]int, j-lj+2)
		f[x][0] = x
	}
	for y := range f[0] {
		f[0][y] = y
	}
	for x := 1; x < len(f); x++ {
		for y := 1; y < len(f[0]); y++ {
			u, v := li+x-1, lj+y-1
			best := min(f[x-1][y], f[x][y-1]) + 1
			if a.leftmost[u] == li && b.leftmost[v] == lj {
				cost := 0
				if a.function[u] != b.function[v] {
					cost = otherFunction
				}
				f[x][y] = min(best, f[x-1][y-1]+cost)
				distance[u][v] = f[x][y]
			} else {
				f[x][y] = min(best, f[a.leftmost[u]-li][b.leftmost[v]-lj]+distance[u][v])
			}
		}
	}
}

// distanceByPath is the distance for a matching that matches calls only if the
// functions on the path from the root are the same.
func distanceByPath(a, b *trace.Tree) int {
	paths := func(t *trace.Tree) map[string]int {
		all := map[string]int{}
		way := make([]uint64, t.Len())
		for i := range t.Len() {
			h := uint64(1)
			if p := t.Parent(i); p >= 0 {
				h = way[p]
			}
			way[i] = mix(h, hashText(t.Call(i).Process+t.Call(i).Function))
			all[fmt.Sprint(way[i])]++
		}
		return all
	}
	inA, inB := paths(a), paths(b)
	distance := a.Len() + b.Len()
	for path, n := range inA {
		distance -= 2 * min(n, inB[path])
	}
	return distance
}

// ourDistance counts the additions and removals in the script of our diff.
// Another name counts as one removal and one addition, and so does another
// place.
func ourDistance(a, b *trace.Tree) int {
	d, n := compare(a, b, Options{}), 0
	for i, j := range d.InB {
		if j != None && a.Call(i).Function != b.Call(j).Function {
			n += 2
		}
	}
	for _, e := range d.Script() {
		switch e.Op {
		case OpAdd, OpRemove:
			n++
		case OpMove:
			n += 2
		}
	}
	return n
}

// TestNotFarFromExact compares our matching with the exact one, on changed parts
// of a recorded request. Our distance may be smaller, because only our script has
// moves. It may also be a little greater.
func TestNotFarFromExact(t *testing.T) {
	var ours, exact, byPath int
	for seed := range uint64(20) {
		a, b := largeTree(t, 0, 0, seed), largeTree(t, 0, 5, seed)
		for _, part := range []string{"withAuthentication.func1", "(*configController).startRequest", "GetResource.func1"} {
			x, y := partOf(t, a, part), partOf(t, b, part)
			if x == nil || y == nil {
				continue // the part's first call was renamed or left out
			}
			ours += ourDistance(x, y)
			exact += exactDistance(x, y)
			byPath += distanceByPath(x, y)
		}
	}
	t.Logf("calls added and removed: exact %d, ours %d, by path alone %d", exact, ours, byPath)
	if exact == 0 || ours > exact*11/10 {
		t.Errorf("our scripts take %d additions and removals, expected at most 1.1 times the exact number %d", ours, exact)
	}
}

// partOf returns a tree of the first call of a function with a name that ends
// with suffix, with up to 149 calls below it. It returns nil if there is no
// such call.
func partOf(t *testing.T, tree *trace.Tree, suffix string) *trace.Tree {
	for i := range tree.Len() {
		if !strings.HasSuffix(tree.Call(i).Function, suffix) {
			continue
		}
		var text strings.Builder
		for j := i; j < min(tree.End(i), i+150); j++ {
			fmt.Fprintf(&text, "%s%s\n", strings.Repeat(" ", tree.Depth(j)-tree.Depth(i)), tree.Call(j).Function)
		}
		return treeOf(t, text.String())
	}
	return nil
}

// largeTree makes a tree of about the given number of calls. It repeats a
// recorded request, at least once. It changes about changed percent of the calls:
// it renames a call, wraps it, or leaves it out if it has no callees.
func largeTree(tb testing.TB, calls, changed int, seed uint64) *trace.Tree {
	tb.Helper()
	rec, err := trace.Load("../../cmd/apitrace/testdata/get-node.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	once, err := trace.NewTree(&rec.Requests[0])
	if err != nil {
		tb.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 2))
	var text strings.Builder
	text.WriteString("main.main\n")
	for n := 0; n == 0 || n < calls; n += once.Len() {
		deeper, until := 1, []int{}
		for i := range once.Len() {
			for len(until) > 0 && i >= until[len(until)-1] {
				until = until[:len(until)-1]
				deeper--
			}
			indent := strings.Repeat(" ", once.Depth(i)+deeper)
			name := once.Call(i).Function
			if random.IntN(100) < changed {
				switch random.IntN(3) {
				case 0:
					name += "Changed"
				case 1:
					fmt.Fprintf(&text, "%sp.wrap\n", indent)
					indent += " "
					until = append(until, once.End(i))
					deeper++
				case 2:
					if once.End(i) == i+1 {
						continue
					}
				}
			}
			fmt.Fprintf(&text, "%s%s\n", indent, name)
		}
	}
	return treeOf(tb, text.String())
}

func BenchmarkCompare(b *testing.B) {
	for _, calls := range []int{1_000, 10_000, 100_000} {
		x, y := largeTree(b, calls, 0, 1), largeTree(b, calls, 5, 1)
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			b.ReportAllocs()
			var pairs int
			for b.Loop() {
				pairs = 0
				for _, j := range compare(x, y, Options{}).InB {
					if j != None {
						pairs++
					}
				}
			}
			b.ReportMetric(float64(pairs)/float64(x.Len()), "paired/call")
		})
	}
}

// BenchmarkByPath matches by path alone, for comparison.
func BenchmarkByPath(b *testing.B) {
	for _, calls := range []int{1_000, 10_000, 100_000} {
		x, y := largeTree(b, calls, 0, 1), largeTree(b, calls, 5, 1)
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			var distance int
			for b.Loop() {
				distance = distanceByPath(x, y)
			}
			b.ReportMetric(float64(x.Len()+y.Len()-distance)/2/float64(x.Len()), "paired/call")
		})
	}
}

// BenchmarkExact measures the exact tree edit distance, on a tree that is
// small enough for it.
func BenchmarkExact(b *testing.B) {
	x, y := largeTree(b, 700, 0, 1), largeTree(b, 700, 5, 1)
	b.Run(fmt.Sprintf("calls=%d", x.Len()), func(b *testing.B) {
		var exact int
		for b.Loop() {
			exact = exactDistance(x, y)
		}
		b.ReportMetric(float64(exact), "distance")
		b.ReportMetric(float64(ourDistance(x, y)), "our-distance")
		b.ReportMetric(float64(distanceByPath(x, y)), "by-path-distance")
	})
}
