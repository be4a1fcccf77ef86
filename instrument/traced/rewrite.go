package traced

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// rewrite returns the rewriter that inserts the spans into a build. The rewriter
// follows the guide for this version, and includes the user's edits.
func (p Program) rewrite(guide *instrument.Guide, found program.Program, version string, edits []program.Edit) *program.Rewrite {
	rewrite := p.Rewrite
	switch {
	case rewrite != nil:
	case program.IsLocal(found.Version):
		rewrite = RewriteTolerantly
	default:
		rewrite = func(o instrument.Options) (*instrument.Result, []message.Message, error) {
			result, err := instrument.Rewrite(o)
			return result, nil, err
		}
	}
	return &program.Rewrite{
		Key:   guide.Key(p.Name, version) + program.EditsKey(edits),
		Edits: NamesOf(edits),
		Run: func(_ context.Context, workspace, out string) (program.Rewritten, error) {
			result, missing, err := rewrite(instrument.Options{
				Guide: guide, Program: p.Name, Version: version, Vendor: filepath.Join(workspace, "vendor"), Out: out,
				Edited: editedFiles(edits),
			})
			if err != nil {
				return program.Rewritten{}, err
			}
			summary := fmt.Sprintf("%d functions in %d files", len(result.Functions), result.Files)
			if len(edits) > 0 {
				summary += fmt.Sprintf(", and %d edited files", len(edits))
			}
			return program.Rewritten{Overlay: result.Overlay, Summary: summary, Missing: missing}, nil
		},
	}
}

func editedFiles(edits []program.Edit) map[string]instrument.EditedFile {
	files := map[string]instrument.EditedFile{}
	for _, e := range edits {
		files[e.Name] = instrument.EditedFile{Path: e.Path, Text: e.Text}
	}
	return files
}

// NamesOf returns the names of the edited files.
func NamesOf(edits []program.Edit) []string {
	var names []string
	for _, e := range edits {
		names = append(names, e.Name)
	}
	return names
}
