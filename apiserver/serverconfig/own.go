package serverconfig

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// An Own names an API server to run behind a kube-apiserver's aggregator.
// The zero value names no server.
type Own struct {
	// Server is a module, such as "sigs.k8s.io/metrics-server@v0.9.0", or a folder, such as
	// "./mine". A module without a version means the newest version.
	Server string
	// Main is the folder of package main in the module, such as "./cmd/server".
	// If the module has only one such folder, Main may be "".
	Main string
	// Flags are the user's flags of this server. apitrace sets further flags.
	Flags []string
}

// IsZero reports whether no server is named.
func (o Own) IsZero() bool { return o.Server == "" }

// IsFolder reports whether Server is a folder rather than a released module.
func (o Own) IsFolder() bool {
	return o.Server == "." || o.Server == ".." || strings.HasPrefix(o.Server, "./") || strings.HasPrefix(o.Server, "../") || strings.HasPrefix(o.Server, "/")
}

// CommandLine returns the flags that name the server to a command, quoted for the
// shell. It leaves out Flags, which a command takes after "--".
func (o Own) CommandLine() string {
	flags := "--server " + text.ShellWord(o.Server)
	if o.Main != "" {
		flags += " --main " + text.ShellWord(o.Main)
	}
	return flags
}

// RelativeTo puts dir in front of the server's folder, if the folder is relative.
func (o Own) RelativeTo(dir string) Own {
	if o.IsFolder() && !filepath.IsAbs(o.Server) {
		o.Server = filepath.Join(dir, o.Server)
		if !o.IsFolder() {
			o.Server = "./" + o.Server
		}
	}
	return o
}

// Equal reports whether both name the same server with the same flags.
func (o Own) Equal(other Own) bool {
	return o.Server == other.Server && o.Main == other.Main && slices.Equal(o.Flags, other.Flags)
}

// reservedOwnFlags are flags that only apitrace sets, to reach the server and to keep
// other users out.
var reservedOwnFlags = []string{"--bind-address", "--secure-port", "--tls-cert-file", "--tls-private-key-file", "--etcd-servers"}

// Check returns an error if Main is set without Server, or for the first flag that is not
// valid or that a user may not set.
func (o Own) Check() error {
	if o.IsZero() && o.Main != "" {
		return message.NewError("--main names the package of an API server: name the server with --server")
	}
	for _, flag := range o.Flags {
		if !strings.HasPrefix(flag, "--") {
			return message.Errorf("%q is not a flag of the server: expected --name=value", flag)
		}
		if slices.Contains(reservedOwnFlags, flagName(flag)) {
			return message.Errorf("apitrace sets the flag %q of the server itself: leave it out", flagName(flag))
		}
	}
	return nil
}

// Replace returns others followed by Flags. It leaves out flags in others that Flags sets.
func (o Own) Replace(others []string) []string {
	others = slices.DeleteFunc(slices.Clone(others), func(other string) bool {
		return slices.ContainsFunc(o.Flags, func(f string) bool { return flagName(f) == flagName(other) })
	})
	return append(others, o.Flags...)
}
