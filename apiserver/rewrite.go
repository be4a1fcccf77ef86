package apiserver

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// instrumentation returns the rewriter that makes builds of a program traced, as the guide for
// this version says, with the user's edits of its source.
func instrumentation(guide *instrument.Guide, p program.Program, version string, edits []program.Edit) *program.Rewrite {
	return &program.Rewrite{
		Key:   guide.Key(p.Name, version) + program.EditsKey(edits),
		Edits: namesOf(edits),
		Run: func(_ context.Context, workspace, out string) (program.Rewritten, error) {
			options := instrument.Options{
				Guide: guide, Program: p.Name, Version: version, Vendor: filepath.Join(workspace, "vendor"), Out: out,
				Edited: editedFiles(edits),
			}
			rewrite := func(o instrument.Options) (*instrument.Result, []message.Message, error) {
				result, err := instrument.Rewrite(o)
				return result, nil, err
			}
			switch {
			case p.Name != Name && p.Name != sampleserver.Name && p.Name != storage.Name:
				rewrite = func(o instrument.Options) (*instrument.Result, []message.Message, error) { return rewriteOwn(o, p) }
			case program.IsLocal(p.Version):
				rewrite = rewriteTolerantly
			}
			result, missing, err := rewrite(options)
			if err != nil {
				return program.Rewritten{}, err
			}
			summary := fmt.Sprintf("%d functions in %d files", len(result.Functions), result.Files)
			if len(edits) > 0 {
				summary += fmt.Sprintf(", %d of them edited", len(edits))
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

func namesOf(edits []program.Edit) []string {
	var names []string
	for _, e := range edits {
		names = append(names, e.Name)
	}
	return names
}
