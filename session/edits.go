package session

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

// Edits select the edits to build a server's source with. The zero value selects the
// user's edits.
type Edits struct {
	dir  string
	none bool
}

// NoEdits selects upstream's source without edits.
func NoEdits() Edits { return Edits{none: true} }

// EditsIn selects the edits in a folder; "" selects the user's.
func EditsIn(dir string) Edits { return Edits{dir: dir} }

// Dir returns the folder of the edits, or "" for no edits.
func (e Edits) Dir() (string, error) {
	if e.none || e.dir != "" {
		return e.dir, nil
	}
	state, err := program.StateDir()
	return filepath.Join(state, "edits"), err
}

// reportEdits reports the edits in a build of these programs, and their cost. It is called
// before the build.
func reportEdits(to Reporter, dir, k8s string, programs ...string) error {
	version, err := apiserver.ParseVersion(k8s)
	if err != nil || dir == "" {
		return err
	}
	all, err := apiserver.ListEdits(program.Edits{Dir: dir, Version: version})
	for _, e := range all {
		if e.Changed() && slices.Contains(programs, e.Program) {
			noteEdit(to, e)
		}
	}
	return err
}

// noteEdit reports that a build includes an edit.
func noteEdit(to Reporter, e program.Edit) {
	to.Notice("%s is built with your edit of %s: if that edit is new, its package is compiled and the program linked, in up to a minute", e.Program, e.Name)
}

// of returns the edits of a version, given as for --k8s.
func (e Edits) of(k8s string) (program.Edits, error) {
	dir, err := e.Dir()
	if err != nil {
		return program.Edits{}, err
	}
	version, err := apiserver.ParseVersion(k8s)
	return program.Edits{Dir: dir, Version: version}, err
}

// WriteList lists a version's edited files with the number of changed lines.
func (e Edits) WriteList(k8s string, w io.Writer, p message.Printer, to Reporter) error {
	edits, err := e.of(k8s)
	if err != nil {
		return err
	}
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		to.Notice("no file of Kubernetes %s is edited", edits.Version)
	}
	for _, edit := range all {
		name := edit.Name
		if apiserver.OfOwn(edit) {
			name = edit.Program + ": " + name
		}
		if !edit.Changed() {
			fmt.Fprintf(w, "%s\n  %s\n", p.Sprintf("%s (as upstream's)", name), edit.Path)
			continue
		}
		added, removed := edit.Lines()
		fmt.Fprintf(w, "%s\n  %s\n", p.Sprintf("%s (+%d -%d)", name, added, removed), edit.Path)
	}
	return nil
}

// Revert undoes the edit of a file in a version, or all of the version's edits if name is
// "". If own is set, it considers the edits of API servers behind the aggregator, else the
// edits of a release's programs. Both can have files of the same name.
func (e Edits) Revert(k8s string, own bool, name string, to Reporter) error {
	edits, err := e.of(k8s)
	if err != nil {
		return err
	}
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e program.Edit) bool {
		if own {
			return !apiserver.OfOwn(e) && !trace.ProcessOf(e.Program).Behind
		}
		return apiserver.OfOwn(e)
	})
	var names []string
	for _, edit := range all {
		names = append(names, edit.Name)
		if name != "" && !edit.Is(name) {
			continue
		}
		if err := apiserver.RevertEdit(edits, edit, nil); err != nil {
			return err
		}
		to.Notice("%s is upstream's again", edit.Name)
		if name != "" {
			return nil
		}
	}
	switch {
	case name == "" && len(all) == 0:
		to.Notice("no file of Kubernetes %s is edited", edits.Version)
	case name == "":
	case len(all) == 0:
		return message.UsageErrorf("%q is not edited: no file of Kubernetes %s is edited", name, edits.Version)
	default:
		return message.UsageErrorf("%q is not edited in Kubernetes %s: the edited files are %q", name, edits.Version, names)
	}
	return nil
}

// Add copies a file of a version's source into the folder of the edits, and reports the
// consequences. If own names a server, the file is from its source.
func (e Edits) Add(ctx context.Context, k8s string, own serverconfig.Own, name string, to Reporter) (program.Edit, error) {
	edits, err := e.of(k8s)
	if err != nil {
		return program.Edit{}, err
	}
	if program.IsLocal(edits.Version) && own.IsZero() {
		return program.Edit{}, message.UsageErrorf("apitrace edit changes the source of releases: edit %s in your checkout itself", name)
	}
	progress := to.Building()
	o := apiserver.BuildOptions{Version: k8s, Progress: progress}
	add := func() (program.Edit, error) { return apiserver.AddEdit(ctx, edits, name, o) }
	if !own.IsZero() {
		add = func() (program.Edit, error) { return apiserver.AddOwnEdit(ctx, own, edits, name, o) }
	}
	added, err := add()
	progress.Close()
	if err != nil {
		return program.Edit{}, err
	}
	to.Notice("this is your copy of %s of %s (Kubernetes %s); the next build of the server uses it", added.Name, added.Program, edits.Version)
	revert := path.Base(path.Dir(added.Name)) + "/" + path.Base(added.Name)
	if !own.IsZero() {
		revert += " " + own.CommandLine()
	}
	to.Notice("back to upstream's: apitrace edit --revert %s", revert)
	return added, nil
}
