package recordings

import (
	linked "container/list"
	"maps"
	"slices"
	"sync"

	"github.com/kubeapitrace/apitrace/trace"
)

// maxCached is the maximum number of calls of all cached recordings together: 100
// MB of memory.
const maxCached = 400_000

// cached has the recordings that were loaded more than once. The servers for
// the page and for editors read the same few recordings for every answer. Copying
// a recording takes an eighth of the time of decoding it (BenchmarkCopied).
var cached = newCache(maxCached)

// A cache keeps the most recently used recordings, within its limit, from their
// second load on. So a command that reads each recording once needs no more memory
// than without a cache. Several goroutines may use it.
type cache struct {
	mu sync.Mutex
	// limit is the maximum number of calls of all recordings together. calls is
	// the current number.
	limit, calls int
	seen         map[cacheKey]bool
	kept         map[cacheKey]*linked.Element
	// order has the recordings as entries, the most recently used first.
	order *linked.List
}

type cacheKey struct {
	archive  *archive
	scenario string
}

type cacheEntry struct {
	cacheKey
	rec   *trace.Recording
	calls int
}

func newCache(limit int) *cache {
	return &cache{limit: limit, seen: map[cacheKey]bool{}, kept: map[cacheKey]*linked.Element{}, order: linked.New()}
}

// load returns a copy of a recording, which the caller may change. It decodes a
// recording that the cache lacks.
func (c *cache) load(a *archive, scenario string) (*trace.Recording, error) {
	key := cacheKey{a, scenario}
	if rec := c.get(key); rec != nil {
		return copied(rec), nil
	}
	rec, err := a.decode(scenario)
	if err == nil && c.put(key, rec) {
		rec = copied(rec)
	}
	return rec, err
}

func (c *cache) get(key cacheKey) *trace.Recording {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.kept[key]
	if at == nil {
		return nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*cacheEntry).rec
}

// put keeps a recording from its second load on, if it is not larger than the limit.
// It reports whether it keeps rec, which must then not be changed.
func (c *cache) put(key cacheKey, rec *trace.Recording) bool {
	calls := countCalls(rec)
	c.mu.Lock()
	defer c.mu.Unlock()
	if again := c.seen[key]; !again || calls > c.limit || c.kept[key] != nil {
		c.seen[key] = true
		return false
	}
	c.kept[key] = c.order.PushFront(&cacheEntry{key, rec, calls})
	for c.calls += calls; c.calls > c.limit; {
		last := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.kept, last.cacheKey)
		c.calls -= last.calls
	}
	return true
}

// copied returns a copy of a recording that shares no changeable data with it.
func copied(rec *trace.Recording) *trace.Recording {
	out := *rec
	out.Edited, out.Servers = slices.Clone(rec.Edited), slices.Clone(rec.Servers)
	out.Requests = slices.Clone(rec.Requests)
	for i := range out.Requests {
		r := &out.Requests[i]
		r.Calls, r.Incomplete, r.Stored = slices.Clone(r.Calls), slices.Clone(r.Incomplete), slices.Clone(r.Stored)
		for j := range r.Calls {
			if values := r.Calls[j].Attributes; values != nil {
				r.Calls[j].Attributes = maps.Clone(values)
			}
		}
	}
	return &out
}
