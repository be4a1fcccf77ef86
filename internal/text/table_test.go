package text

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	table := NewTable(2)
	table.Row("NAME", "", "TITLE")
	table.Row("名称", 12, "x")
	table.Row("a", "-", "a long title that stays on its line, however long it is: 0123456789 0123456789 0123456789 0123456789")
	table.Row("b", "-", "")
	var out strings.Builder
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	const want = `NAME      TITLE
名称  12  x
a     -   a long title that stays on its line, however long it is: 0123456789 0123456789 0123456789 0123456789
b     -
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
