package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render/dap"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

func newDAPCommand(std *console.Streams) *cobra.Command {
	var listen string
	command := newCommand("dap", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		library := recordedSessions{std}
		if listen == "" {
			return dap.Serve(c.Context(), std.In, std.Out, library)
		}
		listener, err := listenLoopback(listen)
		if err != nil {
			return err
		}
		std.Notice("listening on %s", listener.Addr())
		return dap.Listen(c.Context(), listener, library, func(err error) { std.Notice("%v", err) })
	})
	command.Flags().StringVar(&listen, "listen", "", "serve editors that connect to this address of this machine, such as 127.0.0.1:4711")
	return command
}

// listenLoopback listens on an address that only programs of this machine reach: who connects can read
// the user's files as recordings.
func listenLoopback(address string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil || !at.IP.IsLoopback() {
		return nil, usage.Errorf("--listen %q: expected an address of this machine alone, such as 127.0.0.1:4711", address)
	}
	return net.ListenTCP("tcp", at)
}

// recordedSessions are the recordings and sources of debug sessions.
type recordedSessions struct{ std *console.Streams }

func (l recordedSessions) Recording(launch dap.Launch) (*trace.Recording, error) {
	if launch.File == "" {
		return session.Recorded(launch.K8s, launch.Scenario)
	}
	if launch.K8s != "" || launch.File == "-" {
		return nil, fmt.Errorf("\"file\" is %q: expected the path of a recording, which is of one release: leave \"k8s\" out", launch.File)
	}
	return l.std.Load(launch.File)
}

func (l recordedSessions) SourceFolder(ctx context.Context, rec *trace.Recording, process string, fetch bool) (string, error) {
	if !fetch && process == sampleserver.Name {
		return "", program.ErrNoSource
	}
	if !fetch {
		return apiserver.CachedSourceOf(process, rec.K8sVersion, nil)
	}
	display := program.NewDisplay(l.std.Err, l.std.ErrTerminal)
	defer display.Close()
	src, err := apiserver.SourceOf(ctx, process, apiserver.BuildOptions{Version: rec.K8sVersion, Progress: display})
	if err != nil {
		return "", err
	}
	return src.Dir, nil
}
