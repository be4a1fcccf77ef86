package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// fails runs a command that should fail. It returns the text on standard error and the
// exit status.
func fails(t *testing.T, args ...string) (said string, status int) {
	t.Helper()
	var out, notices bytes.Buffer
	err := execute(t.Context(), append([]string{"apitrace"}, args...), &console.Streams{In: strings.NewReader(""), Out: &out, Err: &notices})
	report(&notices, message.Printer{}, err)
	return notices.String(), exitCode(err)
}

// TestFlagsOfOwnServers checks that flags after "--" are only accepted for the server
// that --server names.
func TestFlagsOfOwnServers(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	for _, command := range [][]string{{"run", "boot"}, {"request", "GET", "/"}, {"record"}, {"routes"}, {"watch", "get-node"}, {"mcp", "--live"}} {
		for _, test := range []struct {
			args []string
			want string
		}{
			{[]string{"--server", "./nowhere", "--", "--v=2", "--secure-port=1"}, `apitrace sets the flag "--secure-port" of the server itself`},
			{[]string{"--server", "./nowhere", "--", "v=2"}, `"v=2" is not a flag of the server: expected --name=value`},
			{[]string{"--", "--v=2"}, `unexpected "--v=2" after --: flags after -- are for the API server that --server names, and --server is missing`},
		} {
			args := append(command[:len(command):len(command)], test.args...)
			if said, status := fails(t, args...); status != 2 || !strings.Contains(said, test.want) {
				t.Errorf("%q: status %d, expected %q in\n%s", args, status, test.want, said)
			}
		}
	}
	if said, status := fails(t, "run", "--", "get-nodes"); status != 2 || !strings.Contains(said, `unknown scenario "get-nodes"`) {
		t.Errorf("run -- get-nodes: exit status %d, expected 2 and the error \"unknown scenario\" in\n%s", status, said)
	}
	if said, status := fails(t, "request", "--server", "./nowhere", "GET", "--", "--v=2"); status != 2 || !strings.Contains(said, "expected a method and a path") {
		t.Errorf("request GET without a path: exit status %d, expected 2 and the error about the arguments in\n%s", status, said)
	}
}
