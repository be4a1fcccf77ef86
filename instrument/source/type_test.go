package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
)

const desk = "example.org/shop/desk."

func TestType(t *testing.T) {
	for name, want := range map[string]struct {
		line, first, last int
		begins            string
		methods           []Method
	}{
		desk + "Counter": {10, 9, 15, "// A Counter counts.", []Method{
			{desk + "Counter.Len", "() int", "example.org/shop/desk/desk.go", 12},
			{desk + "Closer.Close", "(now bool) error", "example.org/shop/desk/desk.go", 19},
		}},
		desk + "Closer": {19, 18, 19, "\t// Closer closes.", []Method{{desk + "Closer.Close", "(now bool) error", "example.org/shop/desk/desk.go", 19}}},
		desk + "Desk":   {25, 24, 29, "// A Desk has", []Method{{desk + "(*Desk).Close", "(now bool) error", "example.org/shop/desk/desk.go", 31}}},
		desk + "Outer":  {33, 33, 33, "type Outer struct", nil},
	} {
		typ, err := shop(t).Types().Type(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := typ.Declaration
		if d.Line != want.line || d.First != want.first || d.Last != want.last || !strings.HasPrefix(d.Text, want.begins) {
			t.Errorf("%s: got line %d and the text from line %d to %d, expected %+v; the text is\n%s", name, d.Line, d.First, d.Last, want, d.Text)
		}
		if diff := cmp.Diff(want.methods, typ.Methods); diff != "" {
			t.Errorf("%s: methods -want +got\n%s", name, diff)
		}
	}
	for _, name := range []string{desk + "Deks", "example.org/shop/none.Desk", desk + "Desk.Close", "Desk", ""} {
		if _, err := shop(t).Types().Type(name); !errors.As(err, new(*trace.UnknownFunctionError)) {
			t.Errorf("%s: error %v, expected a *trace.UnknownFunctionError", name, err)
		}
	}
}

func TestThrough(t *testing.T) {
	for _, test := range []struct {
		typ, method string
		want        []string
	}{
		{desk + "Desk", "Add", []string{"*example.org/shop/cart.Cart"}},
		{desk + "Desk", "Close", nil}, // Desk declares it
		{desk + "Outer", "Close", []string{desk + "Alias"}},
		{desk + "Outer", "Add", []string{desk + "Alias", "*example.org/shop/cart.Cart"}},
		{desk + "Desk", "Len", nil},                                     // ambiguous: Cart and Counter have it
		{desk + "Twice", "Add", []string{"example.org/shop/cart.Cart"}}, // nearer than the method of Desk
		{desk + "Desk", "Sell", nil},
		{desk + "Nothing", "Add", nil},
	} {
		got, err := shop(t).Types().Through(test.typ, test.method)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s.%s: error %v, -want +got\n%s", test.typ, test.method, err, diff)
		}
	}
}

func TestLacks(t *testing.T) {
	for _, test := range []struct {
		typ, method string
		want        bool
	}{
		{desk + "Desk", "Close", false},
		{desk + "Desk", "Add", false},   // by embedding Cart
		{desk + "Outer", "Add", false},  // by embedding the alias of Desk
		{desk + "Desk", "Sell", false},  // the tree does not have io.Writer, which Counter embeds
		{desk + "Closer", "Sell", true}, // an interface
		{"example.org/shop/cart.Cart", "Sell", true},
		{desk + "Nothing", "Add", false},
	} {
		if got, err := shop(t).Types().Lacks(test.typ, test.method); err != nil || got != test.want {
			t.Errorf("%s.%s: %t, error %v, expected %t", test.typ, test.method, got, err, test.want)
		}
	}
}
