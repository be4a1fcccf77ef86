package text

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// A Table writes rows of cells in columns. Unlike a tabwriter, it knows that a Chinese
// character is two columns wide.
type Table struct {
	gap  int
	rows [][]string
}

// NewTable returns an empty table with gap blanks between columns.
func NewTable(gap int) *Table { return &Table{gap: gap} }

// Row adds a row. It formats cells with fmt.Sprint.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// Write writes the rows. No line ends in blanks.
func (t *Table) Write(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	drawn := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(int, int) lipgloss.Style { return lipgloss.NewStyle().PaddingRight(t.gap) }).
		Rows(t.rows...).String()
	for line := range strings.Lines(drawn) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
