package source

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff"
)

// A Version is a function as one program has it.
type Version struct {
	*Function
	// Of says whose: "kube-apiserver v1.37.1".
	Of string
}

// DiffOptions say how the texts of two functions are compared. The zero value is plain text.
type DiffOptions struct {
	// Added and Removed are the styles of lines that only one side has, Heading that of names
	// and places.
	Added, Removed, Heading lipgloss.Style
}

// WriteDiff writes the unified diff of two functions, with upstream's line numbers, and
// reports whether their texts are the same.
func WriteDiff(w io.Writer, a, b Version, o DiffOptions) (same bool, err error) {
	const context = 3
	diff, err := udiff.ToUnifiedDiff("", "", a.Text, udiff.Lines(a.Text, b.Text), context)
	if err != nil {
		return false, fmt.Errorf("comparing %s of %s with that of %s: %w", a.Name, a.Of, b.Of, err)
	}
	var out strings.Builder
	for _, side := range []struct {
		mark string
		Version
	}{{"---", a}, {"+++", b}} {
		out.WriteString(o.Heading.Render(fmt.Sprintf("%s %s  %s:%d, %s", side.mark, side.Name, side.File, side.Line, side.Of)) + "\n")
	}
	if len(diff.Hunks) == 0 {
		out.WriteString("the same text\n")
	}
	for _, hunk := range diff.Hunks {
		writeHunk(&out, hunk, a, b, o)
	}
	_, err = io.WriteString(w, out.String())
	return len(diff.Hunks) == 0, err
}

func writeHunk(out *strings.Builder, hunk *udiff.Hunk, a, b Version, o DiffOptions) {
	var body strings.Builder
	fromCount, toCount := 0, 0
	for _, line := range hunk.Lines {
		text := strings.TrimRight(line.Content, "\n")
		switch line.Kind {
		case udiff.Delete:
			fromCount++
			body.WriteString(o.Removed.TabWidth(lipgloss.NoTabConversion).Render("-"+text) + "\n")
		case udiff.Insert:
			toCount++
			body.WriteString(o.Added.TabWidth(lipgloss.NoTabConversion).Render("+"+text) + "\n")
		default:
			fromCount, toCount = fromCount+1, toCount+1
			body.WriteString(" " + text + "\n")
		}
	}
	// Of an empty range a unified diff gives the line before it.
	from, to := a.First+hunk.FromLine-1, b.First+hunk.ToLine-1
	out.WriteString(o.Heading.Render(fmt.Sprintf("@@ -%d,%d +%d,%d @@", from, fromCount, to, toCount)) + "\n")
	out.WriteString(body.String())
}
