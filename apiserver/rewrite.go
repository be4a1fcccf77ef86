package apiserver

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/program"
)

// instrumentation makes the builds of a program traced ones, as the guide says.
func instrumentation(guide *instrument.Guide, p program.Program) *program.Rewrite {
	return &program.Rewrite{
		Key: guide.Key(),
		Run: func(_ context.Context, workspace, out string) (map[string]string, string, error) {
			result, err := instrument.Rewrite(instrument.Options{
				Guide: guide, Program: p.Name, Version: p.Version, Vendor: filepath.Join(workspace, "vendor"), Out: out,
			})
			if err != nil {
				return nil, "", err
			}
			return result.Overlay, fmt.Sprintf("%d functions in %d files", len(result.Functions), result.Files), nil
		},
	}
}
