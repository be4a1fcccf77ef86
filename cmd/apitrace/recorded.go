package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// recordedOptions select requests of a recording.
type recordedOptions struct {
	// what is the name of a scenario or the path of a file.
	what   string
	server serverFlags
	// only has the numbers of the requests, as in the table of "apitrace show --summary".
	// If it is empty, all requests are selected.
	only []int
}

var oneRecording = commandline.OneArgument(message.Of("the name of a scenario (see \"apitrace scenarios\") or the path of a saved recording"))

// add adds the flags of the selection, and completes the name of the scenario.
func (o *recordedOptions) add(command *cobra.Command, std *console.Streams) {
	command.ValidArgsFunction = completeScenario(std)
	o.server.addVersion(command)
	addOnlyFlag(command, &o.only)
}

func (o *recordedOptions) validate(command *cobra.Command) error {
	if err := errors.Join(o.server.validate(), validateOnly(o.only)); err != nil {
		return err
	}
	if session.IsFile(o.what) && command.Flags().Changed("k8s") {
		return message.UsageErrorf("%q is a recording of one release: leave --k8s out, which is for scenarios", o.what)
	}
	return nil
}

// load validates the selection and returns the recording with the selected requests.
func (o *recordedOptions) load(command *cobra.Command, std *console.Streams, what string) (*trace.Recording, error) {
	o.what = what
	if err := o.validate(command); err != nil {
		return nil, err
	}
	return o.open(std)
}

func (o *recordedOptions) open(std *console.Streams) (*trace.Recording, error) {
	recording, err := session.Open(o.what, o.server.Version, std.In, std)
	if err != nil {
		return nil, err
	}
	recording.Requests, err = session.Choose(recording.Requests, o.only)
	return recording, err
}
