package session

import (
	"context"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

// newRecording returns a recording of the server, without requests yet.
func newRecording(server *apiserver.Server, scenario string) trace.Recording {
	recording := trace.Recording{
		Scenario: scenario, K8sVersion: server.K8sVersion, EtcdVersion: server.EtcdVersion,
		Edited: server.Edited, Recorded: time.Now(),
	}
	if own := server.Aggregated; own != nil {
		module, version, _ := strings.Cut(own.Version, " ")
		recording.Servers = []string{trace.OwnServer{Name: own.Name, Module: module, Version: version, Main: own.Main}.String()}
	}
	recording.Edition, _ = edition() // an invalid guide would have prevented the build of the server
	recording.AddMore(server.More...)
	return recording
}

// SourceOf returns the source of a recording's program, given by its name. It fetches
// the source if necessary.
func SourceOf(ctx context.Context, rec *trace.Recording, process string, o apiserver.BuildOptions) (*traced.Source, error) {
	own, ok := rec.OwnServer(process)
	switch {
	case !ok:
		return controlplane.SourceOf(ctx, process, o)
	case program.IsLocal(own.Version):
		return nil, message.UsageErrorf("%s was built from a folder, and the recording does not name it: the command line takes the folder with --server", process)
	}
	return apiserver.OwnSource(ctx, serverconfig.Own{Server: own.Module + "@" + own.Version, Main: own.Main}, o)
}
