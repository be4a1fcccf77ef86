package web

import (
	"net"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// listen listens on a loopback address such as "127.0.0.1:4180". ":4180" and
// "4180" mean 127.0.0.1. Port 0 means any free port. For any other address, the
// error is a message.UsageError.
func listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = "", address
	}
	if host == "" {
		host = "127.0.0.1"
	}
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil || !at.IP.IsLoopback() {
		return nil, message.UsageErrorf("address %q: expected a port, or an address of this machine alone, such as 127.0.0.1:4180", address)
	}
	return net.ListenTCP("tcp", at)
}
