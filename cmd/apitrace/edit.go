package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// editOptions select the file to edit, or an action on the edits.
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
	addOwnFlags(command, &o.server.Own)
	flags := command.Flags()
	flags.BoolVar(&o.list, "list", false, "list the edited files, with the lines that differ from upstream's")
	flags.BoolVar(&o.revert, "revert", false, "undo an edit")
	flags.BoolVar(&o.all, "all", false, "with --revert: undo all edits of this version")
	return command
}

func (o *editOptions) validate(args []string) error {
	switch {
	case o.list && (o.revert || len(args) > 0):
		return message.UsageErrorf("--list lists all edits: expected no file and no --revert")
	case o.all && !o.revert:
		return message.UsageErrorf("--all needs --revert")
	case o.revert && o.all == (len(args) > 0):
		return message.UsageErrorf("--revert needs the file to revert, or --all")
	case !o.list && !o.revert && len(args) == 0:
		return message.UsageErrorf("expected the path of a file, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\", or --list or --revert")
	}
	return nil
}

func (o *editOptions) run(ctx context.Context, std *console.Streams, args []string) error {
	switch {
	case o.list:
		return o.server.Edits.WriteList(o.server.Version, std.Out, std.Printer, std)
	case o.revert:
		return o.server.Edits.Revert(o.server.Version, !o.server.Own.IsZero(), strings.Join(args, ""), std) // "" with --all
	}
	e, err := o.server.Edits.Add(ctx, o.server.Version, o.server.Own, args[0], std)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.Out, e.Path)
	if std.Width == 0 || os.Getenv("VISUAL") == "" && os.Getenv("EDITOR") == "" {
		return nil
	}
	return std.Edit(ctx, e.Path, 1, false)
}
