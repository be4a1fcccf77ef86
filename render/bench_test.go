package render

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

func spanID(i int) string { return fmt.Sprintf("%016x", i+1) }

// big returns a recording of one request with at least n calls. It repeats the
// calls of a recording below the first call.
func big(b *testing.B, n int) *trace.Recording {
	rec := load(b, "handmade-create-deployment")
	r := &rec.Requests[0]
	once := r.Calls
	r.Calls = nil
	for len(r.Calls) < n {
		offset := len(r.Calls)
		index := map[string]int{}
		for i, call := range once {
			index[call.ID] = offset + i
			call.ID = spanID(offset + i)
			call.StartNs += int64(offset) * 1000
			if call.Parent != "" {
				call.Parent = spanID(index[call.Parent])
			} else if offset > 0 {
				call.Parent = spanID(0)
			}
			r.Calls = append(r.Calls, call)
		}
	}
	if err := r.Sort(); err != nil {
		b.Fatal(err)
	}
	return rec
}

// BenchmarkShow100kCalls measures the parts of "apitrace show" with a large
// recording: load it, select the calls, and draw them.
func BenchmarkShow100kCalls(b *testing.B) {
	rec := big(b, 100_000)
	file := filepath.Join(b.TempDir(), "big.jsonl")
	if err := trace.Save(context.Background(), file, rec); err != nil {
		b.Fatal(err)
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := trace.Load(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, choice := range map[string]view.Choice{"default": {}, "everything": {Full: true}} {
		b.Run("draw/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := writeTree(io.Discard, rec, viewtest.FirstGuide{}, Options{Options: view.Options{Choice: choice}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
