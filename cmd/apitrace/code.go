package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// codeOptions say of which version a function is wanted, and which recordings tell of it.
type codeOptions struct {
	k8s      string
	traces   []string
	scenario string
}

func (o *codeOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&o.k8s, "k8s", "", "version of Kubernetes (default: that of --trace, else "+apiserver.DefaultVersion+")")
	flags.StringArrayVar(&o.traces, "trace", nil, "a saved recording to look into; may be repeated (default: the recordings that apitrace carries)")
	flags.StringVar(&o.scenario, "scenario", "", "look into the recording of this scenario alone")
	_ = command.RegisterFlagCompletionFunc("scenario", completeScenarioName)
}

func (o *codeOptions) validate() error {
	if _, err := apiserver.ParseVersion(o.k8s); err != nil {
		return usage.Wrong(err)
	}
	if o.scenario != "" && len(o.traces) > 0 {
		return usage.Errorf("--scenario names a recording that apitrace carries, --trace a file: choose one of them")
	}
	return nil
}

// detailed tells whether each request of the recordings is of interest: there are few.
func (o *codeOptions) detailed() bool { return o.scenario != "" || len(o.traces) > 0 }

// open opens the source of the wanted version with the recordings that are named, or those of the version
// that apitrace carries.
func (o *codeOptions) open(std *console.Streams) (*code.Base, error) {
	version, of, err := o.load(std)
	if err != nil {
		return nil, err
	}
	return code.Open(version, of, std)
}

func (o *codeOptions) load(std *console.Streams) (version string, of []*trace.Recording, err error) {
	version = o.k8s
	for _, file := range o.traces {
		rec, err := std.Load(file)
		if err != nil {
			return "", nil, err
		}
		if version == "" {
			version = rec.K8sVersion
		} else if version, err = apiserver.ParseVersion(version); err != nil {
			return "", nil, err
		}
		if rec.K8sVersion != version {
			return "", nil, usage.Errorf("%q was recorded on Kubernetes %s, not %s: lines of one version say nothing of another", file, rec.K8sVersion, version)
		}
		of = append(of, rec)
	}
	if version, err = apiserver.ParseVersion(version); err != nil || len(of) > 0 {
		return version, of, err
	}
	if o.scenario != "" {
		rec, err := session.Recorded(version, o.scenario)
		return version, []*trace.Recording{rec}, err
	}
	of, err = recordings.All(version)
	if errors.As(err, new(*recordings.UnknownVersionError)) {
		return version, nil, nil // the source alone tells of the function
	}
	return version, of, err
}

const editUsage = "open the source of the function in $VISUAL or $EDITOR instead"

// openEditor opens a file at a line in the user's editor and waits for it.
func openEditor(ctx context.Context, std *console.Streams, file string, line int, readOnly bool) error {
	args, err := source.EditorCommand(file, line, readOnly, os.Getenv)
	if err != nil {
		return err
	}
	editor := exec.CommandContext(ctx, args[0], args[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = std.In, std.Raw(), std.Err
	if err := editor.Run(); err != nil {
		return fmt.Errorf("editor %q: %w", args[0], err)
	}
	return nil
}

// completeFunction offers the names of key steps.
func completeFunction(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	guide, err := instrument.Load()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, step := range guide.Steps {
		short := funcname.Short(string(step.Function))
		if step.Function.Exact() && strings.HasPrefix(short, typed) && !slices.Contains(names, short) {
			names = append(names, short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
