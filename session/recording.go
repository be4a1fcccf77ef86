package session

import (
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/trace"
)

// newRecording returns a recording that describes the server and has no requests yet.
func newRecording(server *apiserver.Server, scenario string) trace.Recording {
	recording := trace.Recording{
		Scenario: scenario, K8sVersion: server.K8sVersion, EtcdVersion: server.EtcdVersion,
		Edited: server.Edited, Recorded: time.Now(),
	}
	if own := server.Aggregated; own != nil {
		recording.Servers = []string{own.Name + " " + own.Version}
	}
	recording.Edition, _ = edition() // an invalid guide would have prevented the build of the server
	return recording
}
