package front

import (
	"bytes"
	"io"
	"sync"
)

// maxCopied limits how much of a body is kept. kube-apiserver accepts 3 MB.
const maxCopied = 4 << 20

// A copied is a body that keeps a copy of the bytes that the transport reads.
type copied struct {
	io.ReadCloser
	mu   sync.Mutex // because the transport may still read after the answer has arrived
	read bytes.Buffer
}

// Read implements io.Reader.
func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.Write(p[:min(n, max(0, maxCopied-c.read.Len()))])
	return n, err
}

// bytes returns the part of the body that was read, or nil for a nil body.
func (c *copied) bytes() []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.read.Bytes())
}
