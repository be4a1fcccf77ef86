package session

import "sync"

// A repeated reports what happens again and again without a flood of lines: each of the first times, then only how often by now, at
// 100, 1,000, 10,000 and so on. The zero value is ready to use. It is safe for concurrent use.
type repeated struct {
	mu sync.Mutex
	n  int
}

// mostRepeated is how many times are reported each.
const mostRepeated = 10

// count counts another time, and returns how often it was by now; each is set if this time is to be reported, sum if the number is.
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
