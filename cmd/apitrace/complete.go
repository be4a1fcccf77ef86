package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
)

var completeRelease = commandline.Offer(recordings.Names)

// completeFunction offers the key steps if nothing is typed. Otherwise it offers the
// names of recorded functions that begin with the typed text. Each function has two
// names: with the package ("cacher.(*Cacher).Get"), and without package and marks
// ("Cacher.Get").
func completeFunction(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return commandline.OfferFirst(func() ([]string, error) {
		if typed == "" {
			return code.KeySteps(), nil
		}
		functions, err := search.Functions()
		var names []string
		for _, function := range functions {
			short := funcname.Short(function)
			_, bare, _ := strings.Cut(funcname.Unmarked(short), ".")
			names = append(names, short, bare)
		}
		slices.Sort(names)
		return slices.Compact(names), err
	}, false)(command, args, typed)
}

// offerReleases completes --k8s on each command with the flag.
func offerReleases(command *cobra.Command) {
	if command.Flags().Lookup("k8s") != nil {
		// It fails only if the flag does not exist or already has a completion.
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

// completePackage offers the release's packages, if its source is on this machine.
func completePackage(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	release := apiserver.DefaultVersion
	if k8s := command.Flag("k8s"); k8s != nil {
		release = k8s.Value.String()
	}
	return commandline.Offer(func() ([]string, error) {
		all, err := apiserver.CachedPackages(release)
		return slices.DeleteFunc(all, func(pkg string) bool { return !strings.HasPrefix(pkg, typed) }), err
	})(command, args, typed)
}

// completeDiff offers scenarios for the first argument and recorded releases for the
// others. It also offers files.
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
