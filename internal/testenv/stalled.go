package testenv

import (
	"io"
	"net"
	"testing"
)

// StalledReceiver returns the URL of an HTTP server that accepts connections and
// data, but never answers. The server ends with the test.
func StalledReceiver(tb testing.TB) (endpoint string) {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go io.Copy(io.Discard, conn)
		}
	}()
	return "http://" + listener.Addr().String()
}
