package apiserver

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// Name is the name of the program in traces.
	Name   = trace.ProcessAPIServer
	module = "k8s.io/kubernetes"
)

// Program returns how to build kube-apiserver of a version in the form that
// ParseVersion returns.
func Program(version string) program.Program {
	return repaired(program.Program{
		Name:    Name,
		Module:  module,
		Version: version,
		Main:    "cmd/kube-apiserver/apiserver.go",
		LocalReplace: func(_, dir string) (string, bool) {
			return stagingVersion(version), strings.HasPrefix(dir, "staging/src/")
		},
		Stamp: stamp,
		Space: 4e9,
	})
}

// stamp gives the variables that upstream's release build sets at link time
// (hack/lib/version.sh). Without them the server and its client library report
// v0.0.0, which kubectl and admission by version do not take.
func stamp(up program.Upstream) []string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(up.Version), "v"), ".")
	if _, err := strconv.Atoi(minor); err != nil {
		major, minor = "", ""
	}
	state := "clean"
	if up.Local != nil && up.Local.Dirty {
		state = "dirty"
	}
	var set []string
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		set = append(set,
			pkg+".gitVersion="+up.Version,
			pkg+".gitMajor="+major,
			pkg+".gitMinor="+minor,
			pkg+".gitTreeState="+state,
			pkg+".gitCommit="+up.Commit)
		if !up.Time.IsZero() { // else a plan is made before upstream was looked at
			// The commit's time, as in upstream's reproducible builds: the same source gives the same binary.
			set = append(set, pkg+".buildDate="+up.Time.Format(time.RFC3339))
		}
	}
	return set
}
