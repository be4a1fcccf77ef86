package apiserver

import (
	gomod "golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// A repair is for a release that a current version of Go cannot build, or that would not
// run after such a build.
// It replaces a dependency, or generates source that the released module lacks.
// Apart from repairs, only the instrumentation and the user's edits change upstream's
// source.
type repair struct {
	// Range holds the releases that need the repair.
	release.Range
	// replace has the meaning of program.Program.Replace.
	replace map[string]gomod.Version
	// generate is nil if there is nothing to generate.
	generate *program.Generator
}

// repairs lists the repairs of old releases.
var repairs = []repair{
	{
		// The domain vbom.ml is gone. Its owner moved the repository.
		Range:   release.Range{Until: "v1.19"},
		replace: map[string]gomod.Version{"vbom.ml/util": {Path: "github.com/fvbommel/util"}},
	},
	{
		// reflect2 v1.0.1 relies on the layout that maps had before Go 1.18. With Go
		// 1.18 or newer, encoding a map as JSON ends the program ("concurrent map
		// iteration and map write").
		// Kubernetes v1.23 itself uses reflect2 v1.0.2.
		Range:   release.Range{Until: "v1.22"},
		replace: map[string]gomod.Version{"github.com/modern-go/reflect2": {Version: "v1.0.2"}},
	},
	{
		// cluster-bootstrap v0.25.16 is not available from the module proxy.
		// The module's Go files are the same in all versions from v0.25.0 to v0.26.0.
		// v0.25.8 is the newest v0.25 that the checksum database knows.
		Range:   release.Range{Since: "v1.25.16", Until: "v1.25.16"},
		replace: map[string]gomod.Version{"k8s.io/cluster-bootstrap": {Version: "v0.25.8"}},
	},
	{
		// Up to v1.23, "make generated_files" generated the OpenAPI definitions
		// (gen_openapi in build/root/Makefile.generated_files). Since v1.24, they are
		// in the repository.
		Range: release.Range{Until: "v1.23"},
		generate: &program.Generator{
			Tool:   "k8s.io/kube-openapi/cmd/openapi-gen",
			Marker: "+k8s:openapi-gen=",
			Args: []string{
				"--input-dirs=${packages}",
				"--output-package=" + module + "/pkg/generated/openapi",
				"--output-file-base=zz_generated.openapi",
				"--output-base=${vendor}",
				"--go-header-file=${empty}",
			},
		},
	},
}

// withRepairs returns the program with the repairs that its version needs.
func withRepairs(p program.Program) program.Program {
	for _, r := range repairs {
		if !r.Has(p.Version) {
			continue
		}
		for path, by := range r.replace {
			if p.Replace == nil {
				p.Replace = map[string]gomod.Version{}
			}
			p.Replace[path] = by
		}
		if r.generate != nil {
			p.Generate = append(p.Generate, *r.generate)
		}
	}
	return p
}
