package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/machine"
)

func newCacheCommand(std *console.Streams) *cobra.Command {
	command := newCommand("cache", commandline.KnownCommand, commandline.ShowHelp)
	command.AddCommand(newCacheListCommand(std), newCacheSizeCommand(std), newCacheCleanCommand(std), newCacheExportCommand(std), newCacheImportCommand(std))
	return command
}

func newCacheExportCommand(std *console.Streams) *cobra.Command {
	o := &machine.BuildExport{}
	command := newCommand("cache-export", commandline.OneArgument(message.Of("the file to write")), func(c *cobra.Command, args []string) error {
		o.File = args[0]
		return o.Export(c.Context(), std)
	})
	command.Flags().StringVar(&o.K8s, "k8s", apiserver.DefaultVersion, "version of Kubernetes to export")
	command.Flags().BoolVar(&o.Plain, "plain", false, "also export upstream's programs without tracing")
	command.Flags().BoolVar(&o.Sample, "sample", false, "also export the sample API server of that version")
	return command
}

func newCacheImportCommand(std *console.Streams) *cobra.Command {
	return newCommand("cache-import", commandline.OneArgument(message.Of("a file that \"apitrace cache export\" wrote")), func(c *cobra.Command, args []string) error {
		return machine.Import(c.Context(), args[0], std.Out, std.Printer, std)
	})
}

func newCacheListCommand(std *console.Streams) *cobra.Command {
	return newCommand("cache-list", cobra.NoArgs, func(*cobra.Command, []string) error { return machine.WriteCache(std.Out, std.Printer) })
}

func newCacheSizeCommand(std *console.Streams) *cobra.Command {
	return newCommand("cache-size", cobra.NoArgs, func(*cobra.Command, []string) error { return machine.WriteSizes(std.Out, std.Printer) })
}

func newCacheCleanCommand(std *console.Streams) *cobra.Command {
	o := &machine.Clean{}
	command := newCommand("cache-clean", func(_ *cobra.Command, args []string) error {
		for _, arg := range args {
			if !slices.Contains(machine.Kinds(), arg) {
				return message.Errorf("unknown kind %q: expected workspace, build, gocache or answers", arg)
			}
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		o.Kinds = args
		if err := message.ToUsageError(o.Validate()); err != nil {
			return err
		}
		return o.Run(c.Context(), std.Out, std.Printer)
	})
	command.ValidArgs = machine.Kinds()
	command.Flags().BoolVar(&o.Edited, "edited", false, "remove only builds with your edits")
	command.Flags().StringVar(&o.Max, "max", "", "remove the least recently used entries until the cache is not larger than this, such as 5GB")
	command.Flags().BoolVar(&o.DryRun, "dry-run", false, "print what would be removed and remove nothing")
	return command
}
