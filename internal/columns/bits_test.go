package columns

import (
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// frame compresses data with zstd, as a file is compressed.
func frame(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// TestBits checks that numbers are read as they were written, in any state of the models,
// and that a missing or additional byte is an error.
func TestBits(t *testing.T) {
	type number struct {
		V       uint64
		Context int
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) number {
			return number{rapid.Uint64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift"), rapid.IntRange(0, 5).Draw(t, "context")}
		})).Draw(t, "numbers")
		w, m := newBitWriter(), newModel()
		for range 40 { // make the model sure of a prediction that other numbers contradict
			w.number(1, m, 0)
		}
		for _, n := range all {
			w.number(n.V, m, n.Context)
		}
		data := w.written()
		r, m := newBitReader(data), newModel()
		for range 40 {
			r.number(0, m, 0)
		}
		for i, n := range all {
			if got := r.number(0, m, n.Context); got != n.V {
				t.Fatalf("number %d: wrote %d, read %d, expected the same", i, n.V, got)
			}
		}
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
		if r.data = []byte{0}; r.end() == nil {
			t.Fatal("data with an additional byte: got no error from end, expected one")
		}
		short, m := newBitReader(data[:len(data)-1]), newModel()
		for range 40 {
			short.number(0, m, 0)
		}
		for _, n := range all {
			short.number(0, m, n.Context)
		}
		if short.end() == nil {
			t.Fatal("data without the last byte: got no error from end, expected one")
		}
	})
}
