package commands

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestSlowServerCommandsInChinese checks the Chinese output of the commands that need a
// server. TestEveryCommandSpeaksChinese in cmd/apitrace checks the other commands, and
// the errors of these commands.
func TestSlowServerCommandsInChinese(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	names := []string{"interrupt", "none"} // a signal and a node
	library, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range library {
		names = append(names, s.Name)
	}
	output := testenv.Output{Names: names, Commands: []string{"serve", "request", "exec", "run", "show"}, Upstream: []string{
		`of\s+ClusterRole\s+"[^"]*"\s+to User`,                              // the reason why kube-apiserver allowed it
		`nodes\s+"\w+"\s+not\s+found|key\s+not\s+found,\s+Code:\s+1,\s+Key`, // errors of kube-apiserver and etcd
		`sh: .*`, // messages of the client sh
	}}
	check := func(command, printed string) {
		t.Helper()
		if english := output.English(t, printed); len(english) > 0 || printed == "" {
			t.Errorf("%s: no output, or English in the output:\n%s", command, strings.Join(english, "\n"))
		}
	}
	save := t.TempDir() + "/x.jsonl"
	for _, args := range [][]string{
		{"serve", "--background"},
		{"serve"},
		{"serve", "--status"},
		{"run", "get-node"},
		{"run", "get-node", "--check", "--view", "outline", "--save", save},
		{"request", "GET", "/api/v1/nodes/none"},
		{"exec", "--", "true"},
		{"exec", "--", "sh", "-c", "apitrace-no-such-client"},
		{"show", "get-not-found", "--live"},
		{"diff", "get-node", "1.37", "1.37", "--live=b"},
		{"routes", "--live", "--resource", "nodes"},
		{"build"},
		{"serve", "--stop"},
		{"serve", "--stop"},
		{"serve", "--status"},
	} {
		out, said, _ := m.run(slices.Concat(args[:1], []string{"--lang", "zh"}, args[1:])...)
		check(strings.Join(args, " "), out+said)
	}
	for _, args := range [][]string{{"record", "--save", save, "--lang", "zh"}, {"serve", "--otlp", "--sample", "0.5", "--lang", "zh"}} {
		command, said := m.launch(args...)
		testenv.Await(t, "the command says how to end it", func() bool { return strings.Contains(said.String(), "Ctrl-C") })
		if err := command.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		check(strings.Join(args, " "), said.String())
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Log("no curl: exec of a client that sends requests is left out")
		return
	}
	out, said, _ := m.run("exec", "--lang", "zh", "--", "sh", "-c",
		`curl -s -o /dev/null --cacert "$APITRACE_CACERT" -H "Authorization: Bearer $APITRACE_TOKEN" "$APITRACE_SERVER/api/v1/namespaces"`)
	check("exec of curl", out+said)
}
