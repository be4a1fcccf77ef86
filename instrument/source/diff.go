package source

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Version is a function in one program.
type Version struct {
	*Function
	// Of names the program and its version: "kube-apiserver v1.37.1".
	Of string
}

// DiffOptions say how to write the difference of two functions. The zero value is
// plain text.
type DiffOptions struct {
	// Added and Removed are the styles of lines on one side only, Heading of names
	// and places.
	Added, Removed, Heading lipgloss.Style
	// Lang is the language of all text but the source: "en", "zh", or "" for English.
	Lang string
}

// A Hunk is a part of two texts with its differences. Lines are numbered as in
// upstream's files.
type Hunk struct {
	// FromA is the hunk's first line of A, and CountA the number of its lines.
	// FromB and CountB are the same for B. As in a unified diff, the first line
	// of an empty range is the line before it.
	FromA, CountA, FromB, CountB int
	Lines                        []HunkLine
}

// A HunkLine is a line of A, of B, or of both. A and B are its numbers, or 0 for a side
// without the line.
type HunkLine struct {
	A, B int
	Text string
}

// Hunks compares two functions. Equal texts have no hunks.
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

// WriteDiff writes the unified diff of two functions, with upstream's line numbers,
// and returns whether their texts are the same.
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
