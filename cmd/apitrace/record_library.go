package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
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
		if err := o.validate(); err != nil {
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

func (o *recordLibraryOptions) validate() error {
	for _, version := range o.versions {
		if _, err := apiserver.ParseVersion(version); err != nil {
			return usage.Wrong(err)
		}
	}
	if info, err := os.Stat(o.folder); err != nil || !info.IsDir() {
		return usage.Errorf("there is no folder %q: run this command in the repository of apitrace, or name the folder with --to", o.folder)
	}
	return nil
}
