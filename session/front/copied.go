package front

import (
	"bytes"
	"io"
	"sync"
)

// maxCopied bounds how much is kept of a body; kube-apiserver takes 3 MB.
const maxCopied = 4 << 20

// A copied body is kept on its way to the server.
type copied struct {
	io.ReadCloser
	mu   sync.Mutex // the transport may still read when the answer has come
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

// bytes is what was read of the body; nothing of a nil one.
func (c *copied) bytes() []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.read.Bytes())
}
