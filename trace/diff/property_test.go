package diff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawTree draws the text of a tree. Its functions have few names, so that they
// repeat. Some are literals, some have values, some run on their own goroutines.
func drawTree(t *rapid.T, label string) string {
	n := rapid.IntRange(1, 40).Draw(t, label+" calls")
	var b strings.Builder
	depth := 0
	for i := range n {
		if i > 0 {
			depth = rapid.IntRange(1, depth+1).Draw(t, "depth")
		}
		name := rapid.SampledFrom([]string{"p.A", "p.B", "p.(*T).C", "p.(*U).C", "q.D", "q.D.func1", "q.D.func2", "q.d", "etcd.E"}).Draw(t, "name")
		fmt.Fprintf(&b, "%s%s", strings.Repeat(" ", depth), name)
		switch rapid.IntRange(0, 9).Draw(t, "more") {
		case 0:
			fmt.Fprintf(&b, " v=%d", rapid.IntRange(0, 2).Draw(t, "value"))
		case 1:
			b.WriteString(" go=1")
		case 2:
			b.WriteString(" file=p/other.go")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// mutate changes up to 6 lines of a tree's text. It removes, repeats, renames,
// indents or swaps lines.
func mutate(t *rapid.T, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for range rapid.IntRange(0, 6).Draw(t, "mutations") {
		if len(lines) < 2 {
			break
		}
		i := rapid.IntRange(1, len(lines)-1).Draw(t, "at")
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			lines = append(lines[:i:i], lines[i+1:]...)
		case 1:
			lines = append(lines[:i+1:i+1], lines[i:]...)
		case 2:
			lines[i] = strings.Replace(lines[i], "p.A", "p.New", 1)
		case 3:
			lines[i] = " " + lines[i]
		case 4:
			j := rapid.IntRange(1, len(lines)-1).Draw(t, "with")
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	depth := -1 // a line may be at most one level deeper than the line before
	for i, line := range lines {
		name := strings.TrimLeft(line, " ")
		depth = min(len(line)-len(name), depth+1)
		if i > 0 {
			depth = max(depth, 1)
		}
		lines[i] = strings.Repeat(" ", depth) + name
	}
	return strings.Join(lines, "\n")
}

func TestLawsOfAnyTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkLaws(rt, treeOf(t, drawTree(rt, "a")), treeOf(t, drawTree(rt, "b")))
	})
}

func TestLawsOfSimilarTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := drawTree(rt, "a")
		checkLaws(rt, treeOf(t, text), treeOf(t, mutate(rt, text)))
	})
}
