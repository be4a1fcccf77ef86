package session

import (
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// Edits say which edits of the source a server is built with. The zero value takes the user's own.
type Edits struct {
	dir  string
	none bool
}

// NoEdits leaves the source as upstream has it.
func NoEdits() Edits { return Edits{none: true} }

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
			to.Notice("%s is built with your edit of %s: if that is new, its package is compiled, and the program is linked, which takes up to a minute", e.Program, e.Name)
		}
	}
	return err
}
