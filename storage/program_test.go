package storage

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestProgramOf checks that etcd has the release of the client, also if a go.mod
// requires a commit.
func TestProgramOf(t *testing.T) {
	for name, test := range map[string]struct{ goMod, module, version, release, err string }{
		"v3.5 and newer": {
			"module m\n\nrequire go.etcd.io/etcd/client/v3 v3.5.10\n",
			"go.etcd.io/etcd/server/v3", "v3.5.10", "v3.5.10", "",
		},
		"a commit with a comment": {
			"module m\n\nrequire go.etcd.io/etcd v0.5.0-alpha.5.0.20200819165624-17cef6e3e9d5\n\n" +
				"replace go.etcd.io/etcd => go.etcd.io/etcd v0.5.0-alpha.5.0.20200819165624-17cef6e3e9d5 // 17cef6e3e9d5 is the SHA for git tag v3.4.12\n",
			"go.etcd.io/etcd", "v0.5.0-alpha.5.0.20200819165624-17cef6e3e9d5", "v3.4.12", "",
		},
		"a commit of taggedCommits": {
			"module m\n\nrequire go.etcd.io/etcd v0.0.0-20191023171146-3cf2f69b5738\n",
			"go.etcd.io/etcd", "v0.0.0-20191023171146-3cf2f69b5738", "v3.4.3", "",
		},
		"an unknown commit without a comment": {
			goMod: "module m\n\nrequire go.etcd.io/etcd v0.0.0-20191001000000-000000000000\n",
			err:   "does not say which release of go.etcd.io/etcd it requires",
		},
		"no etcd": {goMod: "module m\n", err: `does not require "go.etcd.io/etcd/client/v3"`},
	} {
		p, err := ProgramOf(program.Upstream{Module: "m", GoMod: test.goMod})
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: got %v, want an error with %q", name, err, test.err)
			}
			continue
		}
		if err != nil || p.Module != test.module || p.Version != test.version || p.Release() != test.release {
			t.Errorf("%s: got module %s %s, release %s, error %v, want %s %s, release %s", name, p.Module, p.Version, p.Release(), err, test.module, test.version, test.release)
		}
	}
}
