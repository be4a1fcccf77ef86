package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/session/web"
)

func newWebCommand(std *console.Streams) *cobra.Command {
	o, listen, noOpen := web.Options{Token: web.NewToken(), Version: machine.Version()}, "", false
	command := newCommand("web", cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		for _, path := range args {
			rec, err := std.Load(path)
			if err != nil {
				return err
			}
			file, err := web.NewFile(path, rec)
			if err != nil {
				return err
			}
			o.Files = append(o.Files, file)
		}
		listener, err := web.Listen(listen)
		if err != nil {
			return err
		}
		address := web.Address(listener.Addr(), o.Token)
		fmt.Fprintln(std.Out, address)
		if !noOpen {
			if err := web.OpenBrowser(address); err != nil {
				std.Notice("%v", err)
			}
		}
		if err := web.Serve(c.Context(), listener, o); err != nil {
			return err
		}
		return &exitError{} // Ctrl-C is how it is meant to end
	})
	command.Flags().StringVar(&listen, "listen", "0", "the port, or an address of this machine, to listen on; 0 is any free port")
	command.Flags().BoolVar(&noOpen, "no-open", false, "do not open the browser")
	return command
}
