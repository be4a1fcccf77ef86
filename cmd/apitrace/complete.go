package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// offer completes the value of a flag with names.
func offer(names func() ([]string, error)) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all, err := names()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// offerFirst completes the first argument with names, and with files too if the command accepts them.
func offerFirst(names func() ([]string, error), files bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, err := names()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all = slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, typed) })
		if files {
			return all, cobra.ShellCompDirectiveDefault
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

var (
	completeScenario     = offerFirst(scenarios.Names, true)
	completeScenarioName = offer(scenarios.Names)
	completeRelease      = offer(recordings.Names)
	completeFunction     = offerFirst(func() ([]string, error) { return code.KeySteps(), nil }, false)
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
