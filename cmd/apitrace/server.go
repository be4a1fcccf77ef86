package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/storage"
)

// serverFlags are the flags that select a kube-apiserver.
type serverFlags struct {
	session.ServerOptions
	fresh bool
}

// anyServer returns the flags of commands that may use a running server even if it has
// extras that the command did not ask for.
func anyServer() serverFlags {
	return serverFlags{ServerOptions: session.ServerOptions{Reuse: session.ReuseAny}}
}

func (o *serverFlags) addVersion(command *cobra.Command) {
	command.Flags().StringVar(&o.Version, "k8s", apiserver.DefaultVersion, "version of Kubernetes to trace")
}

// addOwnFlags adds the flags that name an API server behind the aggregator.
func addOwnFlags(command *cobra.Command, own *serverconfig.Own) {
	command.Flags().StringVar(&own.Server, "server", "", "use this API server behind the aggregator: a module, MODULE[@VERSION], or its folder, ./DIR")
	command.Flags().StringVar(&own.Main, "main", "", "folder of the package main of that API server, such as ./cmd/server")
}

// takeOwnFlags lets a command accept flags after "--" for the API server that --server
// names.
func takeOwnFlags(command *cobra.Command, own *serverconfig.Own) {
	commandline.TakeAfterDash(command, &own.Flags, func() bool { return !own.IsZero() },
		message.Of("unexpected %q after --: flags after -- are for the API server that --server names, and --server is missing"))
}

// add adds the flags of the commands that use a server.
func (o *serverFlags) add(command *cobra.Command) {
	commandline.InSection(command, whichServer, func() { o.addServer(command) })
}

func (o *serverFlags) addServer(command *cobra.Command) {
	o.addVersion(command)
	addOwnFlags(command, &o.Own)
	flags := command.Flags()
	addSecretFlags(command, &o.Secrets)
	addTrace(command, &o.Trace)
	flags.BoolVar(&o.Check, "check", false, "compare each recorded call with the real stack of its goroutine (slower), and fail if one differs")
	// These flags have the names of kube-apiserver's own flags.
	flags.StringVar(&o.Etcd.URL, "etcd-servers", "", "use this etcd instead of starting one: its URL, or the URLs of its members, separated by commas")
	flags.StringVar(&o.Etcd.CAFile, "etcd-cafile", "", "file with the certificate authority that verifies that etcd")
	flags.StringVar(&o.Etcd.CertFile, "etcd-certfile", "", "file with a client certificate for that etcd")
	flags.StringVar(&o.Etcd.KeyFile, "etcd-keyfile", "", "file with the key of that certificate")
	flags.StringVar(&o.Etcd.Prefix, "etcd-prefix", "", "prefix of the keys in that etcd (default \""+storage.DefaultPrefix+"\")")
}

// addTrace adds the flag that names more packages to trace.
func addTrace(command *cobra.Command, packages *[]string) {
	command.Flags().StringArrayVar(packages, "trace", nil, "also trace this package, such as k8s.io/kubernetes/pkg/api/pod; with /... at the end, all packages at and below this path (repeat for more)")
	_ = command.RegisterFlagCompletionFunc("trace", completePackage)
}

// addDebuggable adds --debuggable, for commands that prepare or keep a server.
func (o *serverFlags) addDebuggable(command *cobra.Command) {
	commandline.InSection(command, whichServer, func() {
		command.Flags().BoolVar(&o.Debuggable, "debuggable", false, "build programs that a debugger such as dlv can attach to: the build takes longer, and the binaries are larger")
	})
}

// addOutsidePaths adds --outside-paths, for commands that replay scenario files.
func (o *serverFlags) addOutsidePaths(command *cobra.Command) {
	commandline.InSection(command, whichServer, func() {
		command.Flags().BoolVar(&o.OutsidePaths, "outside-paths", false, "let the scenario pass kube-apiserver paths outside of the folder of the run, such as a log file to keep")
	})
}

// addFresh adds --fresh, for commands that would otherwise use a server that
// "apitrace serve" keeps running.
func (o *serverFlags) addFresh(command *cobra.Command) {
	commandline.InSection(command, whichServer, func() {
		command.Flags().BoolVar(&o.fresh, "fresh", false, "start a server for this command only, even if \"apitrace serve\" keeps one running")
	})
}

func (o *serverFlags) validate() error {
	if o.fresh {
		o.Reuse = session.ReuseNone
	}
	return o.ServerOptions.Validate()
}
