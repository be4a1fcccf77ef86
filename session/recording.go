package session

import (
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/trace"
)

// newRecording is what a recording of a server says of it, before there are any requests.
func newRecording(server *apiserver.Server, scenario string) trace.Recording {
	recording := trace.Recording{
		Scenario: scenario, K8sVersion: server.K8sVersion, EtcdVersion: server.EtcdVersion,
		Edited: server.Edited, Recorded: time.Now(),
	}
	recording.Edition, _ = edition() // without the guide there would be no server
	return recording
}
