package apiserver

import (
	"errors"
	"fmt"
	"go/scanner"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// editable are the programs whose files can be edited, in the order in which AddEdit looks for a file.
var editable = []string{Name, storage.Name, sampleserver.Name}

// ListEdits lists the edits of kube-apiserver, of etcd, of the sample server and of other servers behind the aggregator.
func ListEdits(edits program.Edits) ([]program.Edit, error) {
	var all []program.Edit
	for _, name := range slices.Concat(editable, editedOwn(edits)) {
		of, err := edits.List(name)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// RevertEdit undoes an edit, and removes the builds that include it from the cache; a nil cache means the
// default one. Builds that a server runs stay until later builds replace them.
func RevertEdit(edits program.Edits, e program.Edit, c *program.Cache) error {
	if err := edits.Revert(e); err != nil {
		return err
	}
	if c == nil {
		var err error
		if c, err = program.OpenCache(""); err != nil {
			return err
		}
	}
	if name, version, own := strings.Cut(e.Program, "@"); own {
		return c.DropEdited(name, version, e.Name)
	}
	p := Program(edits.Version)
	switch e.Program {
	case sampleserver.Name:
		p = SampleProgram(edits.Version)
	case storage.Name:
		_, up, _ := program.CachedSource(c, p) // which also knows it without the source
		var err error
		if p, err = storage.ProgramOf(up); err != nil {
			return nil // no etcd of that release was ever built
		}
	}
	return c.DropEdited(p.Name, p.Version, e.Name)
}

// compiled matches the place in a compiler error: a file of the vendor folder or of the overlay,
// and a line. The column includes the code that the rewriter has inserted, so it is left out.
var compiled = regexp.MustCompile(`^(?:\S*/overlay/|(?:\./)?vendor/)(\S+\.go):(\d+)(?::\d+)?: (.*)$`)

// An editError reports that a user's edit does not compile.
type editError struct {
	// Complaints are the compiler's messages, one line each, beginning with the edited
	// file and the line.
	Complaints []string
	err        error
}

func (e *editError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *editError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *editError) message() message.Message {
	return message.Of("your change does not compile:\n\t%s\ncorrect it, or revert it with \"apitrace edit --revert FILE\"", strings.Join(e.Complaints, "\n\t"))
}

func (e *editError) Unwrap() error { return e.err }

// explainCompile lets the compiler's complaints name the files that were edited. Where
// others complain, the edit broke them: they are kept as they are.
func explainCompile(err error, edits []program.Edit) error {
	var compile *program.CompileError
	var syntax scanner.ErrorList
	if len(edits) == 0 {
		return err
	}
	e := &editError{err: err}
	if errors.As(err, &syntax) { // found before anything is compiled
		for _, s := range syntax {
			e.Complaints = append(e.Complaints, s.Error())
		}
		return e
	}
	if !errors.As(err, &compile) {
		return err
	}
	for _, line := range compile.Complaints {
		if found := compiled.FindStringSubmatch(line); found != nil {
			e.Complaints = append(e.Complaints, fmt.Sprintf("%s:%s: %s", pathOf(edits, found[1]), found[2], found[3]))
		} else if !strings.HasPrefix(line, "#") { // the name of the package that follows
			e.Complaints = append(e.Complaints, line)
		}
	}
	return e
}

func pathOf(edits []program.Edit, name string) string {
	for _, e := range edits {
		if e.Name == name {
			return e.Path
		}
	}
	return name
}
