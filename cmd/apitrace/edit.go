package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session/console"
)

// editOptions say which file of upstream's to edit, or what to do with those that are.
type editOptions struct {
	server serverFlags
	list   bool
	revert bool
	all    bool
}

func newEditCommand(std *console.Streams) *cobra.Command {
	o := &editOptions{}
	command := newCommand("edit", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		if err := errors.Join(o.server.validate(), o.validate(args)); err != nil {
			return err
		}
		return o.run(c.Context(), std, args)
	})
	o.server.addVersion(command)
	flags := command.Flags()
	flags.BoolVar(&o.list, "list", false, "list the edited files, with the lines that are other than upstream's")
	flags.BoolVar(&o.revert, "revert", false, "take an edit back")
	flags.BoolVar(&o.all, "all", false, "with --revert: take all edits of this version back")
	return command
}

func (o *editOptions) validate(args []string) error {
	switch {
	case o.list && (o.revert || len(args) > 0):
		return usage.Errorf("--list lists all edits: give it alone")
	case o.all && !o.revert:
		return usage.Errorf("--all is for --revert")
	case o.revert && o.all == (len(args) > 0):
		return usage.Errorf("--revert needs the file whose edit to take back, or --all")
	case !o.list && !o.revert && len(args) == 0:
		return usage.Errorf("expected the path of a file, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\", or --list or --revert")
	}
	return nil
}

func (o *editOptions) run(ctx context.Context, std *console.Streams, args []string) error {
	dir, err := o.server.Edits.Dir()
	if err != nil {
		return err
	}
	version, err := apiserver.ParseVersion(o.server.Version)
	if err != nil {
		return err
	}
	edits := program.Edits{Dir: dir, Version: version}
	switch {
	case o.list:
		return listEdits(std, edits)
	case o.revert:
		return revert(std, edits, strings.Join(args, "")) // none with --all
	}
	return o.edit(ctx, std, edits, args[0])
}

func listEdits(std *console.Streams, edits program.Edits) error {
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		std.Notice("no file of Kubernetes %s is edited", edits.Version)
	}
	for _, e := range all {
		if !e.Changed() {
			fmt.Fprintf(std.Out, "%s (as upstream's)\n  %s\n", e.Name, e.Path)
			continue
		}
		added, removed := e.Lines()
		fmt.Fprintf(std.Out, "%s (+%d -%d)\n  %s\n", e.Name, added, removed, e.Path)
	}
	return nil
}

// revert takes back the edit of a file, or all of them for "".
func revert(std *console.Streams, edits program.Edits, name string) error {
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
		if name != "" && !e.Is(name) {
			continue
		}
		if err := edits.Revert(e); err != nil {
			return err
		}
		std.Notice("%s is upstream's again", e.Name)
		if name != "" {
			return nil
		}
	}
	switch {
	case name == "" && len(all) == 0:
		std.Notice("no file of Kubernetes %s is edited", edits.Version)
	case name == "":
	case len(all) == 0:
		return usage.Errorf("%q is not edited: no file of Kubernetes %s is", name, edits.Version)
	default:
		return usage.Errorf("%q is not edited in Kubernetes %s: edited are %q", name, edits.Version, names)
	}
	return nil
}

// edit copies the file and opens the copy.
func (o *editOptions) edit(ctx context.Context, std *console.Streams, edits program.Edits, name string) error {
	progress := std.Building()
	e, err := apiserver.AddEdit(ctx, edits, name, apiserver.BuildOptions{Version: o.server.Version, Progress: progress})
	progress.Close()
	if err != nil {
		return err
	}
	fmt.Fprintln(std.Out, e.Path)
	std.Notice("this is your copy of %s of %s (Kubernetes %s); the next build of the server has it", e.Name, e.Program, edits.Version)
	std.Notice("back to upstream's: apitrace edit --revert %s", path.Base(path.Dir(e.Name))+"/"+path.Base(e.Name))
	if std.Width == 0 || os.Getenv("VISUAL") == "" && os.Getenv("EDITOR") == "" {
		return nil
	}
	return openEditor(ctx, std, e.Path, 1, false)
}
