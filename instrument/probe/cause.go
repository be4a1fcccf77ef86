//go:build go1.26

package probe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A client of kube-apiserver works because of events: a goroutine takes an event from a
// watch, and hands it to others through queues and channels. None of these goroutines
// begins or ends with the work, so the inserted code stands in the middle of functions.
//
// While a session follows, one trace holds all that events cause in this process. Each
// event begins a chain of calls in it; the first call of a chain has no parent.

// followed is the trace of the followed events, or nil.
var followed atomic.Pointer[tracing]

// Chaining reports whether a session follows events. Inserted code calls it
// first.
func Chaining() bool { return followed.Load() != nil }

// followLease limits how long calls are recorded after the last query for the trace, in
// case a session ends without fetching it. It is a variable so that tests can change it.
var followLease = time.Minute

// following guards the beginning and the end of followed.
var following struct {
	mu    sync.Mutex
	lease *time.Timer
}

// follow begins the trace of the events, or prolongs it. It returns an error if
// another session follows.
func follow(id string) error {
	following.mu.Lock()
	defer following.mu.Unlock()
	t := followed.Load()
	switch {
	case t != nil && t.id != id && !t.closed.Load():
		return fmt.Errorf("another session follows what events cause in this program")
	case t == nil || t.id != id || t.closed.Load():
		t = traces.open(id)
		given.reset()
		followed.Store(t)
	}
	if following.lease != nil {
		following.lease.Stop()
	}
	following.lease = time.AfterFunc(followLease, func() {
		traces.undelivered.Add(t.size())
		unfollow(t)
		traces.remove(t)
	})
	return nil
}

// unfollow ends the recording of events, if t is its trace.
func unfollow(t *tracing) {
	following.mu.Lock()
	defer following.mu.Unlock()
	if !followed.CompareAndSwap(t, nil) {
		return
	}
	following.lease.Stop()
	given.reset()
}

// given holds the work that no goroutine has taken yet.
var given work

type work struct {
	mu      sync.Mutex
	waiting map[item][]handed
}

// An item identifies work in a queue.
type item struct {
	queue string
	key   any
}

// handed is a cause of an item: the call that gave it.
type handed struct {
	by *Call
	// number is the number of UpTo, else 0.
	number int64
	// due is when a timer adds the item to its queue. It is zero without a timer.
	due time.Time
}

func (w *work) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = nil
}

// numbered is the result of UpTo.
type numbered struct {
	key    any
	number int64
}

// UpTo returns a key for a version of some work. A taker of a version takes the work of
// all versions up to it.
func UpTo(key any, number uint64) any { return numbered{key, int64(number)} }

// pair is the result of Pair.
type pair struct{ of, key any }

// Pair returns a key for work that key identifies within of, such as a queue. It is nil if
// one of them is nil.
func Pair(of, key any) any {
	if of == nil || key == nil {
		return nil
	}
	return pair{of, key}
}

// Text returns a key of the texts of values, whatever their types.
func Text(values ...any) any { return fmt.Sprint(values...) }

// Slice returns a key for a slice of any type: the address of its elements in memory. It
// returns nil if the slice is empty or v is no slice. field names a field of v that holds
// the slice; "" stands for v itself.
func Slice(v any, field string) any {
	list := reflect.ValueOf(v)
	if field != "" && list.Kind() == reflect.Struct {
		list = list.FieldByName(field)
	}
	if list.Kind() != reflect.Slice || list.Len() == 0 {
		return nil
	}
	return list.Index(0).Addr().UnsafePointer()
}

// WithHeader returns a copy of HTTP headers with one more.
func WithHeader(headers map[string][]string, name, value string) map[string][]string {
	all := make(map[string][]string, len(headers)+1)
	for n, values := range headers {
		all[n] = values
	}
	all[name] = []string{value}
	return all
}

// Note records values on the goroutine's current call, if there is one. values are names
// of attributes, each followed by its value.
func Note(values ...any) {
	c := fromLabels(Labels())
	if c == nil {
		return
	}
	for i := 0; i+1 < len(values); i += 2 {
		c.Attr(values[i].(string), values[i+1])
	}
}

// itemOf returns the item of a key, and the number of its version. ok reports whether the
// key identifies work.
func itemOf(queue string, key any) (i item, number int64, ok bool) {
	if n, is := key.(numbered); is {
		key, number = n.key, n.number
	}
	if key == nil || !reflect.ValueOf(key).Comparable() {
		return i, 0, false
	}
	return item{queue, key}, number, true
}

// Hand gives work to whoever takes the key from the queue, if the goroutine works for an
// event. Work that was given several times before it is taken has several causes. delay,
// if not 0, is the time until a timer passes the work on.
func Hand(queue string, key any, delay time.Duration) {
	c := fromLabels(Labels())
	i, number, ok := itemOf(queue, key)
	if c == nil || !ok || c.trace() != followed.Load() {
		return
	}
	h := handed{by: c, number: number}
	if delay > 0 {
		h.due = time.Now().Add(delay)
	}
	given.mu.Lock()
	defer given.mu.Unlock()
	if given.waiting == nil {
		given.waiting = map[item][]handed{}
	}
	given.waiting[i] = append(given.waiting[i], h)
}

// take removes the causes of an item, and returns them in order.
func (w *work) take(queue string, key any) (causes []handed) {
	i, number, ok := itemOf(queue, key)
	if !ok {
		return nil
	}
	t := followed.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := w.waiting[i]
	rest := slices.DeleteFunc(slices.Clone(waiting), func(h handed) bool { return h.number <= number })
	for _, h := range waiting {
		if h.number <= number && h.by.trace() == t {
			causes = append(causes, h)
		}
	}
	if len(rest) == 0 {
		delete(w.waiting, i)
	} else {
		w.waiting[i] = rest
	}
	return causes
}

// queued lists the work that was given to t's queues and not taken, by queue and item, the
// longest waiting first.
func (w *work) queued(t *tracing) (all []Queued) {
	var keys []any
	w.mu.Lock()
	for i, waiting := range w.waiting {
		for _, h := range waiting {
			if h.by.trace() != t {
				continue
			}
			q := Queued{Queue: i.queue, By: h.by.spanID()}
			if !h.due.IsZero() {
				q.Due = h.due.UnixNano()
			}
			all, keys = append(all, q), append(keys, i.key)
		}
	}
	w.mu.Unlock()
	for i, key := range keys { // without the lock, because a key may have methods
		all[i].Key = keyText(key)
	}
	slices.SortFunc(all, func(a, b Queued) int {
		return strings.Compare(a.Queue+a.Key+a.By.String(), b.Queue+b.Key+b.By.String())
	})
	return all
}

// keyText returns a key as a person may read it, or "" for an address.
func keyText(key any) string {
	if p, ok := key.(pair); ok {
		key = p.key
	}
	switch v := reflect.ValueOf(key); v.Kind() {
	case reflect.Pointer, reflect.UnsafePointer:
		return ""
	case reflect.Struct:
		for i := range v.NumField() {
			if k := v.Field(i).Kind(); k == reflect.Interface || k == reflect.Pointer {
				return "" // formatting might call methods of the program
			}
		}
	}
	text, _ := Value(func() any { return bounded(fmt.Sprint(key), maxAttr) }).(string)
	return text
}

// attrCauses is the attribute with the further causes of a call: the ids of the calls that
// gave the same work after the call's parent, separated by spaces.
const attrCauses = "apitrace.causes"

// beginCaused begins a call that is caused by others, not called by them. Without causes,
// it begins a chain. depth is the depth of the frame, or 0 if the call outlives its
// function.
func beginCaused(t *tracing, causes []handed, labels unsafe.Pointer, site *Site, at *arrival, depth uint32, queue string) *Call {
	c := t.newCall()
	if c == nil {
		return nil
	}
	c.labels, c.traceAddr, c.prevAddr, c.siteAddr = wordsOf(t.labels), uintptr(unsafe.Pointer(t)), uintptr(labels), uintptr(unsafe.Pointer(site))
	if labels != nil {
		t.keep(labels)
	}
	c.goroutine, c.self, c.depth = at.goroutine.id(), at.pc, depth
	if len(causes) > 0 {
		c.parent = causes[0].by.seq + 1
	}
	c.start = at.ticks()
	if checking {
		check(c, nil)
		c.start = ticks()
	}
	publish(&c.state, running)
	if queue != "" {
		c.Attr(attrHandoff, queue)
	}
	var further []string
	for _, h := range causes {
		if id := h.by.spanID().String(); h.by != causes[0].by && !slices.Contains(further, id) {
			further = append(further, id)
		}
	}
	if len(further) > 0 {
		c.note(noteValue, attrCauses, text{full: strings.Join(further, " ")}, 0)
	}
	return c
}

// over ends a call that beginCaused began.
func (c *Call) over() {
	c.end = ticks()
	publish(&c.state, returned)
}

// A Work is the work of a block of a function for an event. Its zero value is for nobody.
type Work struct {
	call   *Call
	labels unsafe.Pointer // of the goroutine before the block
	active bool
}

// Event begins a chain for an event that a goroutine has taken from a watch. The chain's
// first call lasts until End. revision is the object's resourceVersion. values are names
// of attributes, each followed by its value. If revision is not a text, there is no chain.
//
//go:noinline
func (w *Work) Event(site *Site, revision any, values ...any) {
	at := callerOf(here())
	w.End()
	t := followed.Load()
	rev, ok := revision.(string)
	if t == nil {
		return
	}
	w.begin(&at)
	if !ok {
		return
	}
	if w.call = beginCaused(t, nil, w.labels, site, &at, uint32(at.depth), ""); w.call == nil {
		return
	}
	w.call.Attr(attrRevision, rev)
	for i := 0; i+1 < len(values); i += 2 {
		w.call.Attr(values[i].(string), values[i+1])
	}
	setLabels(unsafe.Pointer(w.call))
}

// begin begins a block. If a traced goroutine started this one, the block is not its work.
func (w *Work) begin(at *arrival) {
	w.labels, w.active = Labels(), true
	if c := fromLabels(w.labels); c != nil && c.goroutine != at.goroutine.id() {
		setLabels(nil)
	}
}

// Take takes work from a queue. The call of the block lasts until End. If nobody gave the
// work, the block belongs to the call around it, but not to one of another goroutine, which
// started this one.
//
//go:noinline
func (w *Work) Take(site *Site, queue string, key any) {
	at := callerOf(here())
	w.End()
	t := followed.Load()
	if t == nil {
		return
	}
	w.begin(&at)
	causes := given.take(queue, key)
	if len(causes) == 0 {
		return
	}
	if w.call = beginCaused(t, causes, w.labels, site, &at, uint32(at.depth), queue); w.call != nil {
		setLabels(unsafe.Pointer(w.call))
	}
}

// End ends the block.
func (w *Work) End() {
	if !w.active {
		return
	}
	if w.call != nil {
		w.call.over()
	}
	setLabels(w.labels)
	*w = Work{}
}

// Begin begins the call of a function that takes work. On a goroutine that is already
// traced, Begin is like Enter.
//
//go:noinline
func Begin(labels unsafe.Pointer, site *Site, queue string, key any) *Call {
	at := callerOf(here())
	if parent := fromLabels(labels); parent != nil {
		return begin(parent.trace(), parent, labels, site, &at)
	}
	t := followed.Load()
	if t == nil {
		return nil
	}
	causes := given.take(queue, key)
	if len(causes) == 0 {
		return nil
	}
	c := beginCaused(t, causes, labels, site, &at, uint32(at.depth), queue)
	if c != nil {
		setLabels(unsafe.Pointer(c))
	}
	return c
}

// Carry takes work from a queue for the callers of the function. The call lasts until
// Drop. The goroutine's calls until then are below it.
//
//go:noinline
func Carry(site *Site, queue string, key any) {
	at := callerOf(here())
	t := followed.Load()
	if t == nil {
		return
	}
	causes := given.take(queue, key)
	if len(causes) == 0 {
		return
	}
	labels := Labels()
	own := fromLabels(labels)
	if own == nil || own.site() != site || own.goroutine != at.goroutine.id() {
		if c := beginCaused(t, causes, labels, site, &at, 0, queue); c != nil {
			setLabels(unsafe.Pointer(c))
		}
		return
	}
	// The function's own call ends before the carried one, so it goes on top.
	if c := beginCaused(t, causes, own.prev(), site, &at, 0, queue); c != nil {
		own.trace().keep(unsafe.Pointer(c))
		own.prevAddr = uintptr(unsafe.Pointer(c))
	}
}

// carried reports whether the call outlives its function; see Carry.
func (c *Call) carried() bool { return c.depth == 0 }

// Drop ends the innermost call of the goroutine that Carry began, if there is one.
func Drop() {
	g := goroutine{getg()}
	var above *Call
	for c := fromLabels(Labels()); c != nil && c.goroutine == g.id(); above, c = c, fromLabels(c.prev()) {
		if !c.carried() {
			continue
		}
		c.over()
		if above == nil {
			setLabels(c.prev())
		} else {
			above.prevAddr = c.prevAddr // Exit of the call above restores what was before
		}
		return
	}
}

// Detach takes a goroutine out of its trace, for a loop that outlives what started it.
func Detach() { setLabels(nil) }
