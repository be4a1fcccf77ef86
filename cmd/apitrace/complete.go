package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

var (
	completeRelease  = commandline.Offer(recordings.Names)
	completeFunction = commandline.OfferFirst(func() ([]string, error) { return code.KeySteps(), nil }, false)
)

// offerReleases completes --k8s on each command that has the flag.
func offerReleases(command *cobra.Command) {
	if command.Flags().Lookup("k8s") != nil {
		// It fails only without the flag, or the second time.
		_ = command.RegisterFlagCompletionFunc("k8s", completeRelease)
	}
	for _, child := range command.Commands() {
		offerReleases(child)
	}
}

// completeScenario offers scenarios with their titles, and files.
func completeScenario(std *console.Streams) cobra.CompletionFunc {
	return commandline.OfferFirst(func() ([]string, error) { return scenarios.Names(std.Printer.Lang()) }, true)
}

// completeDiff offers scenarios, then recorded releases, and files.
func completeDiff(std *console.Streams) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		complete := completeScenario(std)
		if len(args) > 0 {
			complete = completeRelease
		}
		names, _ := complete(command, args, typed)
		return names, cobra.ShellCompDirectiveDefault
	}
}
