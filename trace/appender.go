package trace

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Appender writes a recording to a file, request by request. Load can read the
// file at any time. If a request does not fit on the disk, Append removes it again. If
// this process is killed while it writes, Load returns the complete requests and a
// CutError. Load sorts the requests by the time when they were sent. An Appender is not
// safe for concurrent use.
type Appender struct {
	// Requests is the number of requests in the file.
	Requests int

	head Recording // without Requests
	file appendFile
	name string
	lock io.Closer // nil for a file without a name
	size int64
	err  error
}

// appendFile has the methods of *os.File for an Appender.
type appendFile interface {
	io.WriterAt
	io.ReaderAt
	Truncate(size int64) error
	Close() error
}

// Create begins a recording in a file that only its owner can read. head has the
// fields that the requests share. Create replaces an older file with that name,
// unless another process is writing to it; see [errBeingWritten].
func Create(path string, head Recording) (_ *Appender, err error) {
	defer func() {
		if err != nil {
			err = message.Errorf("creating a recording: %w", err)
		}
	}()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := errors.Join(file.Truncate(0), file.Chmod(0o600)); err != nil {
			return nil, errors.Join(err, file.Close(), lock.Close())
		}
	}
	a := newAppender(file, path, head)
	a.lock = lock
	return a, nil
}

// CreateNameless begins a recording in a temporary file without a name. The file
// disappears when it is closed, and when this process ends.
func CreateNameless(head Recording) (*Appender, error) {
	file, err := os.CreateTemp("", "apitrace-session-*.jsonl")
	if err != nil {
		return nil, message.Errorf("creating a recording: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(message.Errorf("creating a recording: %w", err), file.Close())
	}
	return newAppender(file, file.Name(), head), nil
}

func newAppender(file appendFile, name string, head Recording) *Appender {
	head.Requests = nil
	return &Appender{head: head, file: file, name: name}
}

// A Place is the position of a request in the file, in bytes.
type Place struct{ offset, length int64 }

// Append writes a request. If the request is not valid or cannot be encoded, the
// error is a [RequestError]. After an error of the file, later calls of Append write
// nothing and return the same error.
func (a *Appender) Append(ctx context.Context, r *Request) (Place, error) {
	if a.err != nil {
		return Place{}, a.err
	}
	if err := r.Validate(); err != nil {
		return Place{}, &RequestError{r.Method, r.Path, err}
	}
	line, err := otlpLine(ctx, &a.head, r)
	if err != nil {
		return Place{}, &RequestError{r.Method, r.Path, err}
	}
	if _, err := a.file.WriteAt(line, a.size); err != nil {
		a.err = message.Errorf("writing recording %q: %w; requests saved so far: %d", a.name, err, a.Requests)
		// Remove the incomplete line. If that fails, Load reports that the last
		// line is cut.
		_ = a.file.Truncate(a.size)
		return Place{}, a.err
	}
	place := Place{a.size, int64(len(line))}
	a.size += int64(len(line))
	a.Requests++
	return place, nil
}

// Read returns the recording with only the request at p.
func (a *Appender) Read(p Place) (*Recording, error) {
	line := make([]byte, p.length)
	if _, err := a.file.ReadAt(line, p.offset); err != nil {
		return nil, message.Errorf("reading recording %q: %w", a.name, err)
	}
	rec, err := parse(line)
	if err != nil {
		return nil, message.Errorf("reading recording %q: %w", a.name, err)
	}
	return rec, nil
}

// Close ends the recording and releases its lock.
func (a *Appender) Close() error {
	err := a.file.Close()
	if a.lock != nil {
		err = errors.Join(err, a.lock.Close())
	}
	if err != nil {
		return message.Errorf("closing recording %q: %w", a.name, err)
	}
	return nil
}
