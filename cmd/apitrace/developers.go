package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/newrelease"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recordLibraryOptions select the releases to record, and the folder of the files.
type recordLibraryOptions struct {
	versions []string
	folder   string
	// index makes only the index, names only the names of all releases, and faults only the recordings of these faults of the
	// course; "all" stands for all.
	index, names bool
	faults       []string
}

// newRecordLibraryCommand makes a command for the developers of apitrace: "make record" calls it.
func newRecordLibraryCommand(std *console.Streams) *cobra.Command {
	o := &recordLibraryOptions{}
	command := newCommand("record-library", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := session.CheckLibrary(o.versions, o.folder); err != nil {
			return err
		}
		if c.Flags().Changed("faults") {
			names := slices.DeleteFunc(o.faults, func(name string) bool { return name == "all" })
			return session.RecordFaults(c.Context(), apiserver.DefaultVersion, o.folder, names, std)
		}
		if o.names {
			return session.RecordNames(c.Context(), lineage.Folder, std)
		}
		return session.RecordLibrary(c.Context(), o.versions, o.folder, o.index, std)
	})
	command.Hidden = true
	command.Flags().StringArrayVar(&o.versions, "k8s", apiserver.Releases(), "version of Kubernetes to record; may be repeated")
	command.Flags().BoolVar(&o.index, "index", false, "read the sources for the index, and record nothing")
	command.Flags().StringSliceVar(&o.faults, "faults", nil, "record only the faulty servers of the course: all, or these")
	command.Flags().Lookup("faults").NoOptDefVal = "all"
	command.Flags().BoolVar(&o.names, "names", false, "read the sources of all releases for the list of names, and nothing else")
	command.Flags().StringVar(&o.folder, "to", recordings.Folder, "folder of the files")
	return command
}

// newReleaseCommand makes a command for the developers of apitrace.
func newReleaseCommand(std *console.Streams) *cobra.Command {
	add := newCommand("release-add", commandline.OneArgument(message.Of("the tag of the release")), func(c *cobra.Command, args []string) error {
		a := &newrelease.Addition{Root: ".", Version: args[0], Out: std.Out, Err: std.Err, Printer: std.Printer}
		return a.Add(c.Context(), std)
	})
	command := newCommand("release", commandline.KnownCommand, commandline.ShowHelp)
	command.Hidden = true
	command.AddCommand(add)
	return command
}
