package source

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff"

	"github.com/kubeapitrace/apitrace/internal/message"
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
	// Lang is the language of what is not the source itself: "en" or "zh"; "" is English.
	Lang string
}

// A Hunk is a part of two texts with what differs in it. Lines are counted as upstream's files have them.
type Hunk struct {
	// FromA and CountA are its first line of A and how many there are, FromB and CountB those of B. Of an empty
	// range, as in a unified diff, the first line is the one before it.
	FromA, CountA, FromB, CountB int
	Lines                        []HunkLine
}

// A HunkLine is a line of A, of B, or of both. The number of a side that does not have it is 0.
type HunkLine struct {
	A, B int
	Text string
}

// Hunks compares the texts of two functions; there are none if they are the same.
func Hunks(a, b Version) ([]Hunk, error) {
	const context = 3
	diff, err := udiff.ToUnifiedDiff("", "", a.Text, udiff.Lines(a.Text, b.Text), context)
	if err != nil {
		return nil, message.Errorf("comparing %s of %s with that of %s: %w", a.Name, a.Of, b.Of, err)
	}
	var hunks []Hunk
	for _, h := range diff.Hunks {
		hunk := Hunk{FromA: a.First + h.FromLine - 1, FromB: b.First + h.ToLine - 1}
		for _, line := range h.Lines {
			l := HunkLine{A: hunk.FromA + hunk.CountA, B: hunk.FromB + hunk.CountB, Text: strings.TrimRight(line.Content, "\n")}
			switch line.Kind {
			case udiff.Delete:
				l.B = 0
				hunk.CountA++
			case udiff.Insert:
				l.A = 0
				hunk.CountB++
			default:
				hunk.CountA++
				hunk.CountB++
			}
			hunk.Lines = append(hunk.Lines, l)
		}
		hunks = append(hunks, hunk)
	}
	return hunks, nil
}

// WriteDiff writes the unified diff of two functions, with upstream's line numbers, and
// reports whether their texts are the same.
func WriteDiff(w io.Writer, a, b Version, o DiffOptions) (same bool, err error) {
	hunks, err := Hunks(a, b)
	if err != nil {
		return false, err
	}
	var out strings.Builder
	for _, side := range []struct {
		mark string
		Version
	}{{"---", a}, {"+++", b}} {
		out.WriteString(o.Heading.Render(fmt.Sprintf("%s %s  %s:%d, %s", side.mark, side.Name, side.File, side.Line, side.Of)) + "\n")
	}
	if len(hunks) == 0 {
		out.WriteString(message.For(o.Lang).Sprintf("the same text") + "\n")
	}
	for _, hunk := range hunks {
		hunk.write(&out, o)
	}
	_, err = io.WriteString(w, out.String())
	return len(hunks) == 0, err
}

func (h *Hunk) write(out *strings.Builder, o DiffOptions) {
	out.WriteString(o.Heading.Render(fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.FromA, h.CountA, h.FromB, h.CountB)) + "\n")
	for _, line := range h.Lines {
		switch {
		case line.B == 0:
			out.WriteString(o.Removed.TabWidth(lipgloss.NoTabConversion).Render("-"+line.Text) + "\n")
		case line.A == 0:
			out.WriteString(o.Added.TabWidth(lipgloss.NoTabConversion).Render("+"+line.Text) + "\n")
		default:
			out.WriteString(" " + line.Text + "\n")
		}
	}
}
