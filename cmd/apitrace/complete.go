package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/commandline"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

var (
	completeScenario     = commandline.OfferFirst(scenarios.Names, true)
	completeScenarioName = commandline.Offer(scenarios.Names)
	completeRelease      = commandline.Offer(recordings.Names)
	completeFunction     = commandline.OfferFirst(func() ([]string, error) { return code.KeySteps(), nil }, false)
)

// completeDiff offers scenarios, then recorded releases, and files.
func completeDiff(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	complete := completeScenario
	if len(args) > 0 {
		complete = completeRelease
	}
	names, _ := complete(command, args, typed)
	return names, cobra.ShellCompDirectiveDefault
}
