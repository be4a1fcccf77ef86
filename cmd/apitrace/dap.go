package main

import (
	"net"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/ui/dap"
)

func newDAPCommand(std *console.Streams) *cobra.Command {
	var listen string
	command := newCommand("dap", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		library := dap.Local{To: std}
		if listen == "" {
			return dap.Serve(c.Context(), std.In, std.Out, library, std.Printer)
		}
		listener, err := listenLoopback(listen)
		if err != nil {
			return err
		}
		std.Notice("listening on %s", listener.Addr())
		return dap.Listen(c.Context(), listener, library, std.Printer, func(err error) { std.Notice("%v", err) })
	})
	command.Flags().StringVar(&listen, "listen", "", "serve editors that connect to this address of this machine, such as 127.0.0.1:4711")
	return command
}

// listenLoopback listens on a loopback address. It refuses other addresses, because
// every client that connects can read the user's files as recordings.
func listenLoopback(address string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil || !at.IP.IsLoopback() {
		return nil, message.UsageErrorf("--listen %q: expected an address that only this machine reaches, such as 127.0.0.1:4711", address)
	}
	return net.ListenTCP("tcp", at)
}
