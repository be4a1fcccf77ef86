// Package storage builds and runs the etcd behind a kube-apiserver, and reads the keys
// that requests changed. Package internal/program builds programs in general, and package
// apiserver runs kube-apiserver.
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
	// ClientModule is the module of etcd's client, which kube-apiserver requires.
	// Upstream releases both together, so apitrace runs the server of the same version.
	ClientModule = "go.etcd.io/etcd/client/v3"
	// monolithModule contained client and server up to v3.4.
	// Its releases are not versions of a Go module, so a go.mod requires a commit.
	// A comment in Kubernetes' go.mod names the release; see also taggedCommits.
	monolithModule = "go.etcd.io/etcd"
	// legacyModule was the path of monolithModule up to v3.3.
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

// ProgramOf describes the build of the etcd for up, a program with etcd's client.
// The etcd has the client's version, except for newerServers.
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

// newerServers maps client versions of legacyModule to newer versions of
// monolithModule for the server. The client's protocol, v3, is the same.
// The server of the client's version cannot be built as a module: it has no go.mod, and
// its dependencies are in glide.lock.
var newerServers = map[string]string{
	"v3.3.17+incompatible": "v0.0.0-20191023171146-3cf2f69b5738", // for Kubernetes v1.16; v1.17 requires this commit
}

// clientVersion returns the version of legacyModule that a program requires, or "".
func clientVersion(up program.Upstream) string {
	version, err := up.Requires(legacyModule)
	if err != nil {
		return ""
	}
	return version
}

// taggedCommits maps versions of monolithModule to their releases, if Kubernetes'
// go.mod has no comment about them.
var taggedCommits = map[string]string{
	"v0.0.0-20191023171146-3cf2f69b5738": "v3.4.3", // Kubernetes v1.17; v1.18 has a comment about this commit
}

// gitTag matches the comment in Kubernetes' go.mod that names the release of a commit.
var gitTag = regexp.MustCompile(`git tag (v[0-9.]+)`)

// etcdRelease returns the release of monolithModule that a comment in up's go.mod names.
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
