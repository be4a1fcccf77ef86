package testenv

import (
	"bytes"
	"sync"
)

// A Buffer collects the output of a running command.
// One goroutine may write to it while another calls String.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the buffer. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns everything written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
