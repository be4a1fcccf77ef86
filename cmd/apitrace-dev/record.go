package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/apitrace-dev/library"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recordOptions select the releases to record, and the folder.
type recordOptions struct {
	versions []string
	folder   string
	// If index is set, the command makes only the index. If names is set, it makes only
	// the list of the names in all releases. If faults is set, it makes only the
	// recordings of these faults of the course; "all" stands for all faults.
	index, names bool
	// scenarios, if any, are the only scenarios to record.
	scenarios []string
	faults    []string
}

func newRecordCommand(std *console.Streams) *cobra.Command {
	o := &recordOptions{}
	command := &cobra.Command{
		Use: "record", Short: "Make the recordings that are part of apitrace", Args: cobra.NoArgs,
		Long: `Replay every scenario against a kube-apiserver of each release and write the traces to
files that the next build of apitrace contains, one for each release. A scenario that
fails is reported and left out, with the reason in the file. When a release fails, the
others are still recorded. The file of another patch release of the same minor version is
removed.

The index of all releases lists the functions in their sources and the calls in each function.
It is made from the sources, without building a server; --index makes only the index. --names
makes only the list of the names in all released sources.

With the default release, the recordings of the course's last chapter are made, too: one for
each server with a fault. --faults makes only these, --faults=fault-c only one of them. Each
fault needs a build of up to a minute.`,
		Example: `  # In the checkout of apitrace
  apitrace-dev record --k8s v1.30.4

  # Only scenarios that are new
  apitrace-dev record --k8s v1.30.4 --scenario deployment-to-pod,deployment-scale

  # Only the index
  apitrace-dev record --index --k8s v1.30.4

  # Only the faulty servers of the course
  apitrace-dev record --faults`,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c, std) },
	}
	command.Flags().StringArrayVar(&o.versions, "k8s", apiserver.Releases(), "version of Kubernetes to record; may be repeated")
	command.Flags().BoolVar(&o.index, "index", false, "only make the index, from the sources")
	command.Flags().StringSliceVar(&o.scenarios, "scenario", nil, "record only these scenarios, and keep the other recordings of this binary")
	command.Flags().StringSliceVar(&o.faults, "faults", nil, "record only the faulty servers of the course: all, or the named ones")
	command.Flags().Lookup("faults").NoOptDefVal = "all"
	command.Flags().BoolVar(&o.names, "names", false, "only make the list of names, from the sources of all releases")
	command.Flags().StringVar(&o.folder, "to", recordings.Folder, "folder of the files")
	return command
}

func (o *recordOptions) run(c *cobra.Command, std *console.Streams) error {
	if err := library.Check(o.versions, o.folder); err != nil {
		return err
	}
	if c.Flags().Changed("faults") {
		if c.Flags().Changed("k8s") {
			return message.UsageErrorf("--faults records %s, the release of the course: leave out --k8s", apiserver.DefaultVersion)
		}
		names := o.faults
		if slices.Contains(names, "all") {
			names = nil
		}
		return library.RecordFaults(c.Context(), apiserver.DefaultVersion, o.folder, names, std)
	}
	if o.names {
		if c.Flags().Changed("to") {
			return message.UsageErrorf("--names writes to %s: leave out --to", lineage.Folder)
		}
		return library.RecordNames(c.Context(), lineage.Folder, std)
	}
	if len(o.scenarios) > 0 {
		return library.RecordScenarios(c.Context(), o.versions, o.folder, o.scenarios, std)
	}
	return library.Record(c.Context(), o.versions, o.folder, o.index, std)
}
