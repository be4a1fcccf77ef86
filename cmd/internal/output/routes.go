package output

import (
	"context"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/routes"
)

// RouteFormats are the formats of the table of routes.
var RouteFormats = []string{"table", "wide", "json"}

// bootScenario is the scenario that shows a server building its routes.
const bootScenario = "boot"

// Routes select a server's routes to print, and the format.
type Routes struct {
	// Format is one of RouteFormats.
	Format string
	Filter routes.Filter
	// Live traces a server's start instead of reading the recording.
	Live bool
	// Trace is a file with a recording of the boot scenario to read instead, or "".
	Trace string
}

// Validate checks the options before any work begins.
func (o *Routes) Validate() error {
	if !slices.Contains(RouteFormats, o.Format) {
		return message.UsageErrorf("unknown output %q: expected table, wide or json", o.Format)
	}
	return nil
}

// Write prints the routes of a server.
func (o *Routes) Write(ctx context.Context, std *console.Streams, server session.ServerOptions) error {
	recording, err := o.load(ctx, std, server)
	if err != nil {
		return err
	}
	wanted, err := routes.Choose(recording, o.Filter)
	if err != nil {
		return err
	}
	if o.Format == "json" {
		return std.WriteJSON(wanted)
	}
	return routes.Write(std.Out, wanted, o.Format == "wide", std.Printer)
}

func (o *Routes) load(ctx context.Context, std *console.Streams, server session.ServerOptions) (*trace.Recording, error) {
	switch {
	case o.Trace != "":
		return std.Load(o.Trace)
	// There is no recording of the start of a user's own server.
	case o.Live || !server.Own.IsZero():
		scenario, err := scenarios.Find(bootScenario)
		if err != nil {
			return nil, err
		}
		recording, _, err := session.RunTraced(ctx, server, scenario, std)
		return recording, err
	}
	recording, err := session.Recorded(server.Version, bootScenario)
	if err != nil {
		return nil, message.Errorf("%w; or add --live", err)
	}
	std.Notice("from a recording of Kubernetes %s, made on %s; --live starts a server now", recording.K8sVersion, recording.Recorded.Format(time.DateOnly))
	return recording, nil
}
