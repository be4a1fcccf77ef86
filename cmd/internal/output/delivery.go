package output

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

// A Delivery selects the output of a recording just made.
type Delivery struct {
	Output Options
	// Save is the file to write, or "".
	Save string
	// Quiet prints nothing of the recording.
	Quiet bool
	// Only are numbers, from 1 on, of requests to print and send; empty for all.
	Only []int
	// Export is "otlp" to send the trace, or "".
	Export string
}

// Validate checks the delivery before any work begins.
func (o *Delivery) Validate() error {
	if o.Export != "" && o.Export != "otlp" {
		return message.UsageErrorf("unknown export %q: expected otlp", o.Export)
	}
	return errors.Join(o.Output.Validate(), CheckSave(o.Save))
}

// CheckSave returns an error if a file cannot be written. Call it before building or
// running anything.
func CheckSave(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return message.UsageErrorf("--save %s: that is a folder; name a file in it", file)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return message.UsageErrorf("--save %s: the folder %s does not exist; create it first", file, filepath.Dir(file))
	}
	if err := trace.CheckWritable(file); err != nil {
		return message.UsageErrorf("--save %w", err)
	}
	return nil
}

// Deliver saves, prints and sends the recording. It does each even if another
// fails, so that the user sees the recording if the disk is full. If Only has a number
// without a request, it only saves.
func (o *Delivery) Deliver(ctx context.Context, std *console.Streams, recording *trace.Recording) error {
	var errs []error
	if o.Save != "" {
		err := trace.Save(ctx, o.Save, recording)
		if err == nil {
			std.Notice("saved to %s", o.Save)
		}
		errs = append(errs, err)
	}
	chosen, err := session.Choose(recording.Requests, o.Only)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	shown := *recording
	shown.Requests = chosen
	if len(o.Only) > 0 {
		o.Output.ShowTrees()
	}
	if !o.Quiet {
		errs = append(errs, o.Output.Write(ctx, std, &shown))
	}
	if o.Export != "" {
		errs = append(errs, SendOTLP(ctx, &shown, std))
	}
	return errors.Join(errs...)
}

// SendOTLP sends a recording to the receiver of the OTEL_EXPORTER_OTLP_* variables.
func SendOTLP(ctx context.Context, recording *trace.Recording, to session.Reporter) error {
	sent, err := export.SendOTLP(ctx, recording)
	if err != nil {
		return err
	}
	to.Notice("sent %d spans by OTLP", sent)
	return nil
}
