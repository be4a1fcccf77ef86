//go:build go1.26

package probe

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A list grows by chunks. It never moves an item, because a goroutine's labels may point
// to a call for as long as the goroutine lives.
type list[T any] struct {
	next    atomic.Uint32 // items given out, and requests that found no room
	current atomic.Pointer[chunk[T]]
	chunks  []*chunk[T] // guarded by tracing.mu
}

// chunkItems is the number of items in a chunk. It is small, because most tails have few
// calls.
const chunkItems = 32

// A chunk is a part of a list. The label pointer of a goroutine keeps the chunk of its
// call in memory. The chunk keeps the trace, and the trace keeps its other chunks.
type chunk[T any] struct {
	trace *tracing // the only pointer in a chunk of calls; the garbage collector looks no further
	first uint32   // number of items[0] in the list
	items [chunkItems]T
}

// newItem returns an empty item of the trace's list l, and its number. If the trace is over
// or too large, the item is nil.
func newItem[T any](t *tracing, l *list[T]) (*T, uint32) {
	if t.closed.Load() {
		if !t.boot {
			t.in.late.Add(1)
		}
		return nil, 0
	}
	seq := l.next.Add(1) - 1
	if seq >= maxCalls {
		l.next.Store(maxCalls)
		t.dropped.Add(1)
		return nil, 0
	}
	k := l.current.Load()
	if k == nil || seq-k.first >= chunkItems {
		k = l.grow(t, seq)
	}
	return &k.items[seq-k.first], seq
}

// grow returns the chunk with the item seq. It adds chunks up to this chunk.
func (l *list[T]) grow(t *tracing, seq uint32) *chunk[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uint32(len(l.chunks))*chunkItems <= seq {
		k := &chunk[T]{trace: t, first: uint32(len(l.chunks)) * chunkItems}
		l.chunks = append(l.chunks, k)
		l.current.Store(k)
		t.in.retained.Add(int64(unsafe.Sizeof(*k)))
	}
	return l.chunks[seq/chunkItems]
}

// items iterates over all items in the chunks, even items that newItem has not returned. mu
// is the trace's, and must not be held.
func (l *list[T]) items(mu *sync.Mutex) func(yield func(*T) bool) {
	return func(yield func(*T) bool) {
		mu.Lock()
		chunks := l.chunks
		mu.Unlock()
		for _, k := range chunks {
			for i := range k.items {
				if !yield(&k.items[i]) {
					return
				}
			}
		}
	}
}

// at returns an item. The trace's mu must be held.
func (l *list[T]) at(seq uint32) *T { return &l.chunks[seq/chunkItems].items[seq%chunkItems] }

func (l *list[T]) size() int64 { return int64(min(l.next.Load(), maxCalls)) }

// room returns the memory of the chunks, in bytes.
func (l *list[T]) memory(mu *sync.Mutex) int64 {
	mu.Lock()
	defer mu.Unlock()
	return int64(len(l.chunks)) * int64(unsafe.Sizeof(chunk[T]{}))
}
