package session

import "sync"

// A repeated limits the reports of a repeated event. The first mostRepeated events are
// reported. After that, only their number is reported, at 100, 1,000, 10,000 and so on.
// The zero value is ready to use. A repeated is safe for concurrent use.
type repeated struct {
	mu sync.Mutex
	n  int
}

// mostRepeated is how many events are reported one by one.
const mostRepeated = 10

// count counts an event and returns the number of events so far. each is set if this event
// must be reported. sum is set if the number must be reported.
func (r *repeated) count() (n int, each, sum bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	power := 10 * mostRepeated
	for power < r.n {
		power *= 10
	}
	return r.n, r.n <= mostRepeated, r.n == power
}
