package source

import (
	"slices"
	"testing"
)

func TestChangesIn(t *testing.T) {
	const before = `package p

import "fmt"

type T struct{ a int }

// Same does a thing.
func (t *T) Same() { fmt.Println(t.a) }

func (t T) Changed() int { return 1 }

func Gone() {}

func Generic[V any](v V) V { return v }

func init() { Gone() }
`
	const after = `package p

import "fmt"

type T struct{ a int }

// Same does the same thing, told and laid out otherwise.
func (t *T) Same() {
	fmt.Println(t.a) // here
}

func (t T) Changed() int { return func() int { return 2 }() }

func Generic[V any](v V) V { w := v; return w }

func New() {}

func init() { New() }
`
	got, rest, err := ChangesIn("example.org/p", []byte(before), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{
		{"example.org/p.Generic[...]", true, true}, {"example.org/p.Gone", true, false}, {"example.org/p.New", false, true},
		{"example.org/p.T.Changed", true, true}, {"example.org/p.init", true, true},
	}
	if !slices.Equal(got, want) || rest {
		t.Errorf("%v, rest %v; expected %v", got, rest, want)
	}
	if _, rest, _ := ChangesIn("p", []byte("package p\n\nvar x = 1\n"), []byte("package p\n\nvar x = 2\n")); !rest {
		t.Error("a variable that got another value is not reported")
	}
	if got, _, _ := ChangesIn("p", nil, []byte("package p\n\nfunc A() {}\n")); !slices.Equal(got, []Change{{"p.A", false, true}}) {
		t.Errorf("a new file has the changes %v", got)
	}
	if _, _, err := ChangesIn("p", []byte("package"), nil); err == nil {
		t.Error("a file that is not Go gives no error")
	}
}
