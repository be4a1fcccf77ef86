package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// editOptions say which file of upstream's to edit, or what to do with those that are.
type editOptions struct {
	server serverFlags
	list   bool
	revert bool
	all    bool
}

func newEditCommand(std *streams) *cobra.Command {
	o := &editOptions{}
	command := &cobra.Command{
		Use:   "edit [PACKAGE/FILE]",
		Short: "Change a file of the server, and see what happens",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(o.server.validate(), o.validate(args)); err != nil {
				return err
			}
			return o.run(c.Context(), std, args)
		},
	}
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
		return usageErrorf("--list lists all edits: give it alone")
	case o.all && !o.revert:
		return usageErrorf("--all is for --revert")
	case o.revert && o.all == (len(args) > 0):
		return usageErrorf("--revert needs the file whose edit to take back, or --all")
	case !o.list && !o.revert && len(args) == 0:
		return usageErrorf("expected the path of a file, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\", or --list or --revert")
	}
	return nil
}

func (o *editOptions) run(ctx context.Context, std *streams, args []string) error {
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
	case o.all:
		return revertAll(std, edits)
	case o.revert:
		return revertOne(std, edits, args[0])
	}
	return o.edit(ctx, std, edits, args[0])
}

func listEdits(std *streams, edits program.Edits) error {
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		std.notice("no file of Kubernetes %s is edited", edits.Version)
	}
	for _, e := range all {
		if !e.Changed() {
			fmt.Fprintf(std.out, "%s (as upstream's)\n  %s\n", e.Name, e.Path)
			continue
		}
		added, removed := changedLines(e)
		fmt.Fprintf(std.out, "%s (+%d -%d)\n  %s\n", e.Name, added, removed, e.Path)
	}
	return nil
}

// changedLines counts the lines that only the copy has, and those that only upstream's file has.
func changedLines(e program.Edit) (added, removed int) {
	counts := map[string]int{}
	for line := range strings.Lines(string(e.Text)) {
		counts[line]++
	}
	for line := range strings.Lines(string(e.Original)) {
		counts[line]--
	}
	for _, n := range counts {
		if n > 0 {
			added += n
		} else {
			removed -= n
		}
	}
	return added, removed
}

func revertAll(std *streams, edits program.Edits) error {
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		std.notice("no file of Kubernetes %s is edited", edits.Version)
	}
	for _, e := range all {
		if err := edits.Revert(e); err != nil {
			return err
		}
		std.notice("%s is upstream's again", e.Name)
	}
	return nil
}

func revertOne(std *streams, edits program.Edits, name string) error {
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range all {
		if e.Name == name || strings.HasSuffix(e.Name, "/"+name) || e.Path == name {
			if err := edits.Revert(e); err != nil {
				return err
			}
			std.notice("%s is upstream's again", e.Name)
			return nil
		}
		names = append(names, e.Name)
	}
	if len(names) == 0 {
		return usageErrorf("%q is not edited: no file of Kubernetes %s is", name, edits.Version)
	}
	return usageErrorf("%q is not edited in Kubernetes %s: edited are %q", name, edits.Version, names)
}

// edit copies the file and opens the copy.
func (o *editOptions) edit(ctx context.Context, std *streams, edits program.Edits, name string) error {
	programName, vendor, file, err := o.find(ctx, std, name)
	if err != nil {
		return err
	}
	e, err := edits.Add(programName, vendor, file)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, e.Path)
	std.notice("this is your copy of %s of %s (Kubernetes %s); the next build of the server has it", e.Name, e.Program, edits.Version)
	std.notice("back to upstream's: apitrace edit --revert %s", path.Base(path.Dir(e.Name))+"/"+path.Base(e.Name))
	if std.width == 0 || os.Getenv("VISUAL") == "" && os.Getenv("EDITOR") == "" {
		return nil
	}
	return openEditor(ctx, std, e.Path, 1, false)
}

// find looks for the file in the sources of kube-apiserver, then of etcd.
func (o *editOptions) find(ctx context.Context, std *streams, name string) (programName, vendor, file string, err error) {
	display := program.NewDisplay(std.err, std.errTerminal)
	defer display.Close()
	for _, programName := range []string{apiserver.Name, storage.Name} {
		src, err := apiserver.SourceOf(ctx, programName, apiserver.BuildOptions{Version: o.server.Version, Progress: display})
		if err != nil {
			return "", "", "", err
		}
		found, err := filesCalled(src.Dir, name)
		if err != nil {
			return "", "", "", err
		}
		switch len(found) {
		case 0:
		case 1:
			return programName, src.Dir, found[0], nil
		default:
			return "", "", "", usageErrorf("%q names %d files; say which, by as much of its path as it takes:\n  %s", name, len(found), strings.Join(found, "\n  "))
		}
	}
	return "", "", "", usageErrorf("Kubernetes %s and its etcd have no file %q: expected a path as traces show it, such as \"k8s.io/apiserver/pkg/storage/etcd3/store.go\"", o.server.Version, name)
}

// filesCalled lists the Go files whose path is the name or ends in it.
func filesCalled(vendor, name string) ([]string, error) {
	name = filepath.ToSlash(name)
	if info, err := os.Stat(filepath.Join(vendor, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, ".go") {
		return []string{name}, nil
	}
	var found []string
	err := filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != path.Base(name) {
			return err
		}
		rel, err := filepath.Rel(vendor, file)
		if rel = filepath.ToSlash(rel); strings.HasSuffix(rel, "/"+name) && strings.HasSuffix(rel, ".go") {
			found = append(found, rel)
		}
		return err
	})
	return found, err
}
