package program

import (
	"errors"
	"net"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// FreePort returns a free TCP port of the loopback interface. Another process may
// take the port before the caller uses it; see WithFreePort.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, message.Errorf("finding a free port on 127.0.0.1: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// portAttempts is how often WithFreePort starts a server, if other processes take its
// port before it listens.
const portAttempts = 5

// WithFreePort starts a server on a free port. If another process takes that port
// meanwhile, it tries another one, up to portAttempts times in all.
func WithFreePort(start func(port int) (*Child, error)) (*Child, error) {
	var lastErr error
	for range portAttempts {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		child, err := start(port)
		var exit *ExitError
		if err == nil || !errors.As(err, &exit) {
			return child, err
		}
		if other := exit.takenPort(); other != port && other != 0 {
			return nil, message.Errorf("%w\n%s also listens on port %d, which apitrace does not choose, but another program uses that port; is \"apitrace serve\" running the same server?", err, exit.Name, other)
		}
		if !exit.PortTaken(port) {
			return nil, err
		}
		lastErr = err
	}
	return nil, message.Errorf("no port stayed free in %d attempts: %w", portAttempts, lastErr)
}
