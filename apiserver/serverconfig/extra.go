// Package serverconfig describes additional flags and files of a kube-apiserver.
// It also describes API servers of the user's own behind its aggregator.
// It does not start servers.
package serverconfig

import (
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Extra has additional flags and files of one kube-apiserver.
type Extra struct {
	// Flags are flags such as "--audit-policy-file=${dir}/policy.yaml". "${dir}" stands for
	// the folder with Files. Prepare adds them to the flags of every server.
	Flags []string `json:",omitempty"`
	// Files maps file names to contents. Only this user can read the files.
	// "${key}" in a file stands for 32 random bytes in base64. They are new for each server,
	// and only the server's files contain them.
	Files map[string]string `json:",omitempty"`
}

// IsZero reports whether e has neither flags nor files.
func (e Extra) IsZero() bool { return len(e.Flags)+len(e.Files) == 0 }

// In Flags, dirPlaceholder stands for the folder with Files. In Files, keyPlaceholder stands
// for the random key.
const (
	dirPlaceholder = "${dir}"
	keyPlaceholder = "${key}"
)

// mergedFlags are flags of every server that may be repeated, because kube-apiserver merges
// their values. Any other flag in Flags replaces apitrace's flag of the same name.
var mergedFlags = []string{"--authorization-mode", "--disable-admission-plugins", "--enable-admission-plugins"}

// reservedFlags are flags that only apitrace sets, to reach the server and to keep other
// users out. For another etcd, see StartOptions.Etcd.
var reservedFlags = []string{
	"--bind-address", "--secure-port", "--tls-cert-file", "--tls-private-key-file", "--token-auth-file",
	"--etcd-servers", "--etcd-cafile", "--etcd-certfile", "--etcd-keyfile", "--etcd-prefix",
}

// Check returns an error for the first flag that is not valid or that a user may not set.
func (e Extra) Check() error {
	for _, flag := range e.Flags {
		if !strings.HasPrefix(flag, "--") || !strings.Contains(flag, "=") {
			return message.Errorf("%q is not a flag of kube-apiserver: expected --name=value", flag)
		}
		if slices.Contains(reservedFlags, flagName(flag)) {
			return message.Errorf("apitrace sets the flag %q itself, for kube-apiserver must run on loopback with users of its own: leave it out (for a store of your own, give --etcd-servers to apitrace)", flag)
		}
	}
	return nil
}

// OutsidePaths returns the flags with a path that is not below ${dir}.
// With such a flag, the server may read and write files elsewhere.
// A value is a path if the flag's name says so, or if the value begins with a slash or with
// ${dir}. The value "-" means standard output.
func (e Extra) OutsidePaths() (flags []string) {
	for _, flag := range e.Flags {
		_, value, _ := strings.Cut(flag, "=")
		named := pathFlag.MatchString(flagName(flag)) && flagName(flag) != "--runtime-config"
		outside := func(path string) bool {
			below, inside := strings.CutPrefix(path, dirPlaceholder+"/")
			return (named && path != "-" || inside || strings.HasPrefix(path, "/")) && !(inside && filepath.IsLocal(below))
		}
		if slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '=' }), outside) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// pathFlag matches the names of kube-apiserver's flags that have a path as value:
// "--audit-log-path", "--tls-sni-cert-key", "--cert-dir".
var pathFlag = regexp.MustCompile(`(^--|-)(path|dir|file|key|cert|certificate|config|kubeconfig|authority|[a-z]+file)$`)

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// Prepare writes Files into dir and returns all flags. base are apitrace's flags of every
// server. Prepare returns an error if a flag or a file is not allowed.
func (e Extra) Prepare(dir string, base []string) ([]string, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if err := e.writeFiles(dir); err != nil {
		return nil, err
	}
	replaced := func(flag string) bool {
		return !slices.Contains(mergedFlags, flagName(flag)) && slices.ContainsFunc(e.Flags, func(f string) bool { return flagName(f) == flagName(flag) })
	}
	flags := slices.DeleteFunc(slices.Clone(base), replaced)
	for _, flag := range e.Flags {
		flags = append(flags, strings.ReplaceAll(flag, dirPlaceholder, dir))
	}
	return flags, nil
}

func (e Extra) writeFiles(dir string) error {
	if len(e.Files) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return message.Errorf("writing files for kube-apiserver: %w", err)
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	for name, text := range e.Files {
		if name != filepath.Base(name) {
			return message.Errorf("writing files for kube-apiserver: %q is not a plain file name", name)
		}
		text = strings.ReplaceAll(text, keyPlaceholder, base64.StdEncoding.EncodeToString(key))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return message.Errorf("writing files for kube-apiserver: %w", err)
		}
	}
	return nil
}
