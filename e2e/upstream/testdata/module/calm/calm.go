// Package calm has tests that end in the same way with and without tracing.
package calm

import "old.test"

func Double(n int) int { return twice(n) }

func twice(n int) int {
	if n == 0 {
		return 0
	}
	return old.Two() + twice(n-1)
}
