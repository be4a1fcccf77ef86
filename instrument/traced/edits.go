package traced

import (
	"errors"
	"fmt"
	"go/scanner"
	"regexp"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// compileMessage matches a compiler error with a file of the vendor folder or of the
// overlay. It captures no column, because inserted code shifts the columns.
var compileMessage = regexp.MustCompile(`^(?:\S*/overlay/|(?:\./)?vendor/)(\S+\.go):(\d+)(?::\d+)?: (.*)$`)

// SplitComplaint splits a line of a compiler error into a file, a line number and a
// text. file is the path below the vendor folder.
func SplitComplaint(complaint string) (file, line, text string, ok bool) {
	found := compileMessage.FindStringSubmatch(complaint)
	if found == nil {
		return "", "", "", false
	}
	return found[1], found[2], found[3], true
}

// An EditError reports that a user's edit does not compile.
type EditError struct {
	// Complaints are the compiler's messages, one line each. A message begins with
	// the edited file and the line number.
	Complaints []string
	err        error
}

func (e *EditError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *EditError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *EditError) message() message.Message {
	return message.Of("your change does not compile:\n\t%s\ncorrect it, or revert it with \"apitrace edit --revert FILE\"", strings.Join(e.Complaints, "\n\t"))
}

func (e *EditError) Unwrap() error { return e.err }

// explainCompile makes the compiler's messages name the edited files. It keeps
// messages about other files, because the edit broke these files.
func explainCompile(err error, edits []program.Edit) error {
	var compile *program.CompileError
	var syntax scanner.ErrorList
	if len(edits) == 0 {
		return err
	}
	e := &EditError{err: err}
	if errors.As(err, &syntax) { // found before the compiler runs
		for _, s := range syntax {
			e.Complaints = append(e.Complaints, s.Error())
		}
		return e
	}
	if !errors.As(err, &compile) {
		return err
	}
	for _, line := range compile.Complaints {
		if file, at, text, ok := SplitComplaint(line); ok {
			e.Complaints = append(e.Complaints, fmt.Sprintf("%s:%s: %s", pathOf(edits, file), at, text))
		} else if !strings.HasPrefix(line, "#") { // a line with "#" only names a package
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
