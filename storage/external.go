package storage

import (
	"context"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

const (
	// pingInterval is the interval of the checks of an external etcd.
	pingInterval = time.Second
	// goneTimeout is how long etcd may be silent before it counts as gone.
	// A cluster needs a second or two to elect a new leader.
	goneTimeout = 6 * time.Second
)

// An External is another program's etcd. It is checked regularly and never stopped.
type External struct {
	// Version is the version that etcd reports, such as "v3.7.0"; "" if unknown.
	Version string

	endpoint Endpoint
	reader   *Reader
	end      context.CancelFunc
	done     chan struct{}
	// err is set before done is closed.
	err error
}

// UseExternal connects to another program's etcd. The caller must call Stop.
// It returns an error if etcd does not answer within goneTimeout.
func UseExternal(ctx context.Context, e Endpoint) (*External, error) {
	reader, err := e.Open()
	if err != nil {
		return nil, err
	}
	x := &External{endpoint: e, reader: reader, done: make(chan struct{})}
	if err := x.ping(ctx, goneTimeout); err != nil {
		reader.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, message.Errorf("the etcd at %s does not answer: %w; is it running, is that its client address, and does it accept these certificates?", e.URL, err)
	}
	x.Version = reader.version(ctx, goneTimeout)
	watched, end := context.WithCancel(context.Background())
	x.end = end
	go x.watch(watched)
	return x, nil
}

func (x *External) ping(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := x.reader.Revision(ctx)
	return err
}

// watch closes done when no member has answered for goneTimeout. It ends with ctx.
func (x *External) watch(ctx context.Context) {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	answered := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := x.ping(ctx, 2*pingInterval)
		if err == nil {
			answered = time.Now()
		} else if ctx.Err() == nil && time.Since(answered) > goneTimeout {
			x.err = message.Errorf("the etcd at %s has not answered for %s: %w", x.endpoint.URL, goneTimeout, err)
			close(x.done)
			return
		}
	}
}

// Done is closed when the etcd no longer answers.
func (x *External) Done() <-chan struct{} { return x.done }

// Err returns why etcd counts as gone, or nil before Done is closed.
func (x *External) Err() error {
	select {
	case <-x.done:
		return x.err
	default:
		return nil
	}
}

// Stop closes the connection. The etcd keeps running.
func (x *External) Stop(context.Context) error {
	x.end()
	return x.reader.Close()
}
