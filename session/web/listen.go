package web

import (
	"net"

	"github.com/kubeapitrace/apitrace/internal/usage"
)

// listen listens on an address of this machine alone: "127.0.0.1:4180", or ":0" or a port alone for 127.0.0.1.
// Port 0 is any that is free. For any other address the error is a usage.Error.
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
		return nil, usage.Errorf("address %q: expected a port, or an address of this machine alone, such as 127.0.0.1:4180", address)
	}
	return net.ListenTCP("tcp", at)
}
