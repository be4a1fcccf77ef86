// Package storage builds and runs the etcd behind a kube-apiserver, and reads the keys
// that requests changed. Building programs in general belongs in internal/program, and
// running kube-apiserver in apiserver.
package storage

import (
	"regexp"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// Name is the name of the program in traces.
	Name = trace.ProcessEtcd
	// serverModule is the module of etcd's server.
	serverModule = "go.etcd.io/etcd/server/v3"
	// ClientModule is the etcd client in kube-apiserver. apitrace runs the server of the
	// same version: upstream releases both together.
	ClientModule = "go.etcd.io/etcd/client/v3"
	// monolithModule held client and server up to v3.4. Its releases are not versions of
	// a Go module. A go.mod requires a commit, and Kubernetes' go.mod names the release
	// in a comment; see taggedCommits for exceptions.
	monolithModule = "go.etcd.io/etcd"
	// legacyModule was its path up to v3.3.
	legacyModule = "github.com/coreos/etcd"
)

// Traced describes etcd as a program that apitrace traces.
var Traced = traced.Program{
	Name: Name,
	ForVersion: func(k8s string, kubernetes func() (program.Upstream, error)) (program.Program, error) {
		up, err := kubernetes()
		if err != nil {
			return program.Program{}, err
		}
		p, err := ProgramOf(up)
		if err != nil {
			return p, message.Errorf("finding the etcd of Kubernetes %s: %w", k8s, err)
		}
		return p, nil
	},
	GuideVersion: func(p program.Program) (string, error) { return p.Release(), nil },
	Packages:     []string{"go.etcd.io/etcd/server/"},
}

// Program describes the build of etcd at a version, such as "v3.7.0".
func Program(version string) program.Program {
	return program.Program{
		Name:    Name,
		Module:  serverModule,
		Version: version,
		Main:    "main.go",
		Space:   800e6,
	}
}

// ProgramOf describes the build of the etcd for a program with etcd's client. Upstream
// releases both together.
func ProgramOf(up program.Upstream) (program.Program, error) {
	version, err := up.Requires(ClientModule)
	if err == nil {
		return Program(version), nil
	}
	commit, oldErr := up.Requires(monolithModule)
	if oldErr != nil {
		if commit = newerServers[clientVersion(up)]; commit == "" {
			return program.Program{}, err
		}
	}
	p := Program(commit)
	p.Module = monolithModule
	if p.Released = taggedCommits[commit]; p.Released == "" {
		p.Released, err = etcdRelease(up)
		return p, err
	}
	return p, nil
}

// newerServers maps versions of legacyModule, for the client, to newer versions of
// monolithModule, for the server. The server of the same version cannot be built as a
// module: it has no go.mod, and its dependencies are in glide.lock. The client speaks the
// same protocol, v3, to a newer server.
var newerServers = map[string]string{
	"v3.3.17+incompatible": "v0.0.0-20191023171146-3cf2f69b5738", // Kubernetes v1.16; v1.17 took client and server of that commit
}

// clientVersion returns the version of legacyModule that a program requires, or "".
func clientVersion(up program.Upstream) string {
	version, err := up.Requires(legacyModule)
	if err != nil {
		return ""
	}
	return version
}

// taggedCommits maps versions of monolithModule without a comment to the release.
var taggedCommits = map[string]string{
	"v0.0.0-20191023171146-3cf2f69b5738": "v3.4.3", // Kubernetes v1.17; v1.18 names the tag of the same commit
}

// gitTag matches the comment in Kubernetes' go.mod with a commit's release.
var gitTag = regexp.MustCompile(`git tag (v[0-9.]+)`)

// etcdRelease returns the release of monolithModule from a comment in a go.mod.
func etcdRelease(up program.Upstream) (string, error) {
	f, err := up.ModFile()
	if err != nil {
		return "", err
	}
	for _, r := range f.Replace {
		if r.Old.Path != monolithModule || r.Syntax == nil {
			continue
		}
		for _, comment := range r.Syntax.Suffix {
			if m := gitTag.FindStringSubmatch(comment.Token); m != nil && semver.IsValid(m[1]) {
				return m[1], nil
			}
		}
	}
	return "", message.Errorf("the go.mod of %s %s does not say which release of %s it requires: expected a comment such as %q", up.Module, up.Version, monolithModule, "git tag v3.4.3")
}
