package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/apitrace-dev/distribution"
	"github.com/kubeapitrace/apitrace/cmd/apitrace-dev/newrelease"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

func newAddReleaseCommand(std *console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "add-release VERSION", Short: "Add a release of Kubernetes to the checkout", Args: cobra.ExactArgs(1),
		Long: `Bring a new release of Kubernetes into the checkout of apitrace in the current folder.
The command compares the source of the release with the source of the release before it. If
functions of the guide are gone, it lists the functions with their replacements in the source,
if known, and ends: correct the guide by hand, then run the command again. If no function is
gone, it adds the release to the list in apiserver/version.go, builds apitrace,
kube-apiserver, etcd and the sample server, replays two scenarios with --check, records all
scenarios, rebuilds the indexes and documents, writes a draft of a page on the changes, and
lists what to do by hand.

A release replaces another patch release of the same minor version. After a failure, run the
command again: builds and the changed list are kept. Building takes about four minutes on two
cores, recording about three.`,
		Example: `  # In the checkout of apitrace
  apitrace-dev add-release v1.38.0`,
		RunE: func(c *cobra.Command, args []string) error {
			a := &newrelease.Addition{Root: ".", Version: args[0], Out: std.Out, Err: std.Err}
			return a.Add(c.Context(), std)
		},
	}
}

func newDistCommand() *cobra.Command {
	var out, platforms string
	command := &cobra.Command{
		Use: "dist", Short: "Make the files of a release of apitrace", Args: cobra.NoArgs,
		Long: `Make the files of a release from the checkout in the current folder: for each platform an
archive and a software bill of materials, the checksums of both, a manifest for krew and a
formula for Homebrew. The checkout must have no changes. The version is the tag of the commit,
or a pseudo-version. The same commit and the same release of Go give the same bytes.`,
		Example: `  # All platforms, into bin/release
  apitrace-dev dist

  # One platform
  apitrace-dev dist --platforms linux/arm64 --out /tmp/release`,
		RunE: func(c *cobra.Command, _ []string) error {
			return distribution.Release(c.Context(), ".", out, platforms)
		},
	}
	command.Flags().StringVar(&out, "out", filepath.Join("bin", "release"), "folder for the files")
	command.Flags().StringVar(&platforms, "platforms", distribution.Platforms(), "platforms, separated by commas")
	return command
}
