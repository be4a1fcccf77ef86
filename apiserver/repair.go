package apiserver

import (
	gomod "golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// A repair changes a released module that otherwise does not build, or does not run
// when a current version of Go has built it.
// apitrace changes nothing else of upstream's source.
type repair struct {
	// Range holds the releases that need it.
	release.Range
	// replace has the meaning of program.Program.Replace.
	replace map[string]gomod.Version
	// generate is nil if there is nothing to generate.
	generate *program.Generator
}

// repairs lists the repairs of old releases.
var repairs = []repair{
	{
		// The domain is gone. Its owner moved the repository.
		Range:   release.Range{Until: "v1.19"},
		replace: map[string]gomod.Version{"vbom.ml/util": {Path: "github.com/fvbommel/util"}},
	},
	{
		// Since Go 1.18, encoding a map as JSON with v1.0.1 ends the program ("concurrent map
		// iteration and map write"): v1.0.1 relies on the old layout of maps.
		// Upstream moved to v1.0.2 with that Go.
		Range:   release.Range{Until: "v1.22"},
		replace: map[string]gomod.Version{"github.com/modern-go/reflect2": {Version: "v1.0.2"}},
	},
	{
		// v0.25.16 is not available from the module proxy.
		// The Go files are the same from v0.25.0 to v0.26.0. v0.25.8 is the newest version in
		// between that the checksum database knows.
		Range:   release.Range{Since: "v1.25.16", Until: "v1.25.16"},
		replace: map[string]gomod.Version{"k8s.io/cluster-bootstrap": {Version: "v0.25.8"}},
	},
	{
		// "make generated_files" made the definitions until v1.24 brought them into the
		// repository (gen_openapi in build/root/Makefile.generated_files).
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
