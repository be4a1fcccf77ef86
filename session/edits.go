package session

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/usage"
)

// Edits say which edits of the source a server is built with. The zero value takes the user's own.
type Edits struct {
	dir  string
	none bool
}

// noEdits leaves the source as upstream has it.
func noEdits() Edits { return Edits{none: true} }

// EditsIn takes the edits in a folder; those of the user if it is "".
func EditsIn(dir string) Edits { return Edits{dir: dir} }

// Dir is the folder of the edits, "" if there are to be none.
func (e Edits) Dir() (string, error) {
	if e.none || e.dir != "" {
		return e.dir, nil
	}
	state, err := program.StateDir()
	return filepath.Join(state, "edits"), err
}

// reportEdits tells before a build that it has edits, and what that takes.
func reportEdits(to Reporter, dir, k8s string) error {
	version, err := apiserver.ParseVersion(k8s)
	if err != nil || dir == "" {
		return err
	}
	all, err := apiserver.ListEdits(program.Edits{Dir: dir, Version: version})
	for _, e := range all {
		if e.Changed() {
			to.Notice("%s is built with your edit of %s: if that edit is new, its package is compiled and the program linked, in up to a minute", e.Program, e.Name)
		}
	}
	return err
}

// of are the edits of a version, which is given as --k8s takes it.
func (e Edits) of(k8s string) (program.Edits, error) {
	dir, err := e.Dir()
	if err != nil {
		return program.Edits{}, err
	}
	version, err := apiserver.ParseVersion(k8s)
	return program.Edits{Dir: dir, Version: version}, err
}

// WriteList lists the edited files of a version, with the number of their changed lines.
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
		if !edit.Changed() {
			fmt.Fprintf(w, "%s\n  %s\n", p.Sprintf("%s (as upstream's)", edit.Name), edit.Path)
			continue
		}
		added, removed := edit.Lines()
		fmt.Fprintf(w, "%s\n  %s\n", p.Sprintf("%s (+%d -%d)", edit.Name, added, removed), edit.Path)
	}
	return nil
}

// Revert takes back the edit of a file of a version, or all of them for "".
func (e Edits) Revert(k8s, name string, to Reporter) error {
	edits, err := e.of(k8s)
	if err != nil {
		return err
	}
	all, err := apiserver.ListEdits(edits)
	if err != nil {
		return err
	}
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
		return usage.Errorf("%q is not edited: no file of Kubernetes %s is", name, edits.Version)
	default:
		return usage.Errorf("%q is not edited in Kubernetes %s: the edited files are %q", name, edits.Version, names)
	}
	return nil
}

// Add copies a file of the source of a version to where it can be edited, and says what that means.
func (e Edits) Add(ctx context.Context, k8s, name string, to Reporter) (program.Edit, error) {
	edits, err := e.of(k8s)
	if err != nil {
		return program.Edit{}, err
	}
	progress := to.Building()
	added, err := apiserver.AddEdit(ctx, edits, name, apiserver.BuildOptions{Version: k8s, Progress: progress})
	progress.Close()
	if err != nil {
		return program.Edit{}, err
	}
	to.Notice("this is your copy of %s of %s (Kubernetes %s); the next build of the server uses it", added.Name, added.Program, edits.Version)
	to.Notice("back to upstream's: apitrace edit --revert %s", path.Base(path.Dir(added.Name))+"/"+path.Base(added.Name))
	return added, nil
}
