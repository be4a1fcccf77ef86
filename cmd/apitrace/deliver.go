package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

// A delivery says what becomes of a recording that was just made.
type delivery struct {
	output output.Options
	save   string
	export string
}

func (o *delivery) addFlags(command *cobra.Command) {
	addOutputFlags(command, &o.output)
	command.Flags().StringVar(&o.save, "save", "", "save the trace to this file as OTLP JSON, for \"apitrace show\" and other viewers")
	command.Flags().StringVar(&o.export, "export", "", "send the trace as well: otlp, to where the OTEL_EXPORTER_OTLP_* variables say")
	_ = command.RegisterFlagCompletionFunc("export", cobra.FixedCompletions([]string{"otlp"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *delivery) validate() error {
	if o.export != "" && o.export != "otlp" {
		return usage.Errorf("unknown export %q: expected otlp", o.export)
	}
	return errors.Join(o.output.Validate(), checkSave(o.save))
}

// checkSave tells before anything is built or run that a file cannot be written.
func checkSave(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return usage.Errorf("--save %s: that is a folder; name a file in it", file)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return usage.Errorf("--save %s: there is no folder %s; make it first", file, filepath.Dir(file))
	}
	if err := trace.CheckWritable(file); err != nil {
		return usage.Errorf("--save %w", err)
	}
	return nil
}

// deliver saves, prints and sends the recording, each also if another fails: with a full disk it can still be seen.
func (o *delivery) deliver(ctx context.Context, std *console.Streams, recording *trace.Recording) error {
	var errs []error
	if o.save != "" {
		err := trace.Save(ctx, o.save, recording)
		if err == nil {
			std.Notice("saved to %s", o.save)
		}
		errs = append(errs, err)
	}
	errs = append(errs, o.output.Write(ctx, std, recording))
	if o.export != "" {
		errs = append(errs, sendOTLP(ctx, std, recording))
	}
	return errors.Join(errs...)
}
