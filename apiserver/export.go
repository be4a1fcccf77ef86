package apiserver

import (
	"context"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// ProgramsForExport returns the contents of a release's export: kube-apiserver, its
// etcd and, if optional is set, the sample API server.
// If rebuild is set, the importer can build them with edits.
// The export has no edits of this user.
func ProgramsForExport(ctx context.Context, o BuildOptions, optional, rebuild bool) ([]program.ExportedProgram, error) {
	o.EditsDir = ""
	options, err := o.traced(ctx)
	if err != nil {
		return nil, err
	}
	var all []program.ExportedProgram
	for _, p := range Programs() {
		if p.Optional && !optional {
			continue
		}
		recipe, err := p.Recipe(options)
		if err != nil {
			return nil, err
		}
		all = append(all, recipe.ForExport(rebuild))
	}
	return all, nil
}
