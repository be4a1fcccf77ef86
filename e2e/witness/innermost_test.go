package witness

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInnermostFunction checks which function a place in the source belongs to.
func TestInnermostFunction(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	text := "package a\n\nfunc f() {\n\tg(func() { h(func() {}) }, 1)\n}\n\nfunc asm()\n\nvar v = func() {}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &source{functions: map[string][]function{"a/a.go": bodiesIn(t, file, "a/a.go")}}
	for p, want := range map[position]position{
		{3, 10}: {3, 10}, // in the body of f
		{4, 11}: {4, 11}, // in the literal in f
		{4, 22}: {4, 22}, // in the inner literal
		{4, 26}: {4, 11}, // after the inner literal
		{4, 29}: {3, 10},
		{9, 16}: {9, 16},
		{1, 1}:  {},
		{7, 5}:  {},
	} {
		f, ok := s.at("a/a.go", p)
		if f.begin != want || ok != (want != position{}) {
			t.Errorf("%v belongs to the function whose body begins at %v, expected %v", p, f.begin, want)
		}
	}
}
