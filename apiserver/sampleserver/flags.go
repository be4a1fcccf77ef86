package sampleserver

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// helpFlag matches a flag in a help text.
var helpFlag = regexp.MustCompile(`--[a-z0-9][a-z0-9-]*`)

// knownFlags returns the names of the flags in a server's help.
func knownFlags(ctx context.Context, binary string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "--help")
	cmd.Env = []string{}
	cmd.WaitDelay = time.Second
	help, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, message.Errorf("asking the server for its flags: %w", err)
	}
	known := map[string]bool{}
	for _, flag := range helpFlag.FindAllString(string(help), -1) {
		known[flag] = true
	}
	if !known["--secure-port"] {
		return nil, message.Errorf("%q lists no flag --secure-port: it is not a server that is built on the options of k8s.io/apiserver; it says:\n%s", "--help", firstLines(string(help)))
	}
	return known, nil
}

// ownFlags returns the flags of a server of the user's own, in this order:
//
//   - the flags of the sample server that this server knows
//   - the path of the kubeconfig, for each other flag with a name that ends in -kubeconfig
//   - the user's flags, which replace other flags of the same name
//
// ${kubeconfig} in a flag stands for the path of the kubeconfig. Some servers need it for
// a client of their own, with a flag such as --lister-kubeconfig.
// samples are the sample server's flags. known has the names of this server's flags.
func (o Options) ownFlags(samples []string, known map[string]bool) []string {
	flags := slices.DeleteFunc(slices.Clone(samples), func(flag string) bool { return !known[flagName(flag)] })
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if strings.HasSuffix(name, "-kubeconfig") && !slices.ContainsFunc(flags, func(flag string) bool { return flagName(flag) == name }) {
			flags = append(flags, name+"="+o.Kubeconfig)
		}
	}
	flags = o.Own.Replace(flags)
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "${kubeconfig}", o.Kubeconfig)
	}
	return flags
}

// firstLines returns the first 12 lines of a text.
func firstLines(s string) string {
	const most = 12
	lines := strings.SplitN(strings.TrimSpace(s), "\n", most+1)
	return strings.Join(lines[:min(most, len(lines))], "\n")
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}
