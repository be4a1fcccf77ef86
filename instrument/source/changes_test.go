package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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

// Same does a thing, with another comment and layout.
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
		{Name: "example.org/p.Generic[...]", Before: true, After: true, Line: 14}, {Name: "example.org/p.Gone", Before: true, Line: 12}, {Name: "example.org/p.New", After: true, Line: 16},
		{Name: "example.org/p.T.Changed", Before: true, After: true, Line: 12},
		{Name: "example.org/p.init", Before: true, After: true, Line: 18, New: []Called{{"New", "example.org/p.New"}}, Gone: []Called{{"Gone", "example.org/p.Gone"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || rest {
		t.Errorf("another declaration changed: %v, expected false; functions, -want +got:\n%s", rest, diff)
	}
	if _, rest, _ := ChangesIn("p", []byte("package p\n\nvar x = 1\n"), []byte("package p\n\nvar x = 2\n")); !rest {
		t.Error("ChangesIn does not report that a variable got another value")
	}
	if got, _, _ := ChangesIn("p", nil, []byte("package p\n\nfunc A() {}\n")); len(got) != 1 || got[0].Name != "p.A" || got[0].Before {
		t.Errorf("a new file has the changes %v, expected the new function p.A", got)
	}
	if _, _, err := ChangesIn("p", []byte("package"), nil); err == nil {
		t.Error("ChangesIn accepted a file that is not Go, expected an error")
	}
}

// TestCallsOfChanges checks the new calls of a changed function. Functions of its own
// package and of other packages must have their full names. Methods and variables must
// have none. Conversions and built-in functions do not count.
func TestCallsOfChanges(t *testing.T) {
	const head = `package p

import (
	"example.org/kit/v2"
	named "example.org/other/package"
)

type T struct{ f func() }

func f(dryrun T) {
`
	got, _, err := ChangesIn("example.org/p", []byte(head+"}\n"), []byte(head+`
	kit.A()
	named.B(len("c"), string(rune(1)))
	own(func() { dryrun.f() })
	T(dryrun).f()
	value := kit.C
	value()
	_ = T(dryrun)
}
`))
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	want := []Called{
		{"T(dryrun).f", ""}, {"dryrun.f", ""}, {"kit.A", "example.org/kit/v2.A"}, {"named.B", "example.org/other/package.B"}, {"own", "example.org/p.own"}, {"value", ""},
	}
	if diff := cmp.Diff(want, got[0].New); diff != "" || len(got[0].Gone) > 0 {
		t.Errorf("gone %v, -want +got:\n%s", got[0].Gone, diff)
	}
}
