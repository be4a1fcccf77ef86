package calm_test

import (
	"testing"

	"upstream.test/calm"
)

func TestDouble(t *testing.T) {
	done := make(chan int)
	go func() { done <- calm.Double(2) }()
	if n := <-done; n != 4 {
		t.Error(n)
	}
}
