// Package inorder produces values concurrently and delivers them in order.
package inorder

import (
	"iter"
	"runtime"
)

// Each yields the results of produce(0) to produce(n-1), in order.
// At most GOMAXPROCS results exist at the same time, because a value may be large.
func Each[T any](n int, produce func(i int) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		var started []chan result
		for i := range n {
			for len(started) < min(n, i+runtime.GOMAXPROCS(0)) {
				next, done := len(started), make(chan result, 1)
				started = append(started, done)
				go func() {
					value, err := produce(next)
					done <- result{value, err}
				}()
			}
			r := <-started[i]
			if !yield(r.value, r.err) {
				return // nobody waits for the running calls of produce
			}
		}
	}
}
