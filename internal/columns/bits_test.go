package columns

import (
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// frame compresses data like a file.
func frame(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// Numbers are read as they were written, in every state of the models.
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
		for range 40 { // make the model sure of its prediction, which is then wrong
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
				t.Fatalf("number %d: wrote %d, read %d", i, n.V, got)
			}
		}
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
		if r.data = []byte{0}; r.end() == nil {
			t.Fatal("a byte too many is no error")
		}
		short, m := newBitReader(data[:len(data)-1]), newModel()
		for range 40 {
			short.number(0, m, 0)
		}
		for _, n := range all {
			short.number(0, m, n.Context)
		}
		if short.end() == nil {
			t.Fatal("the last byte is missing, which is no error")
		}
	})
}
