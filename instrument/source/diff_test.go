package source

import (
	"strings"
	"testing"
)

func TestWriteDiff(t *testing.T) {
	a := Version{&Function{Name: "p.F", File: "p/f.go", Line: 11, First: 10, Text: "// F is.\nfunc F() {\n\tg()\n\th()\n}\n"}, "prog v1"}
	b := Version{&Function{Name: "p.G", File: "p/g.go", Line: 21, First: 20, Text: "// F is.\nfunc F() {\n\tg()\n\ti()\n\tj()\n}\n"}, "prog v2"}
	var out strings.Builder
	same, err := WriteDiff(&out, a, b, DiffOptions{})
	if err != nil || same {
		t.Fatal(same, err)
	}
	want := `--- p.F  p/f.go:11, prog v1
+++ p.G  p/g.go:21, prog v2
@@ -10,5 +20,6 @@
 // F is.
 func F() {
 	g()
-	h()
+	i()
+	j()
 }
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if same, err := WriteDiff(&out, a, a, DiffOptions{}); err != nil || !same || !strings.HasSuffix(out.String(), "the same text\n") {
		t.Error(same, err, out.String())
	}
}
