package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/storage"
)

// addEtcdFlags lets the user name an etcd instead of the one that the server would get. They
// are called what kube-apiserver calls them.
func (o *serverOptions) addEtcdFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&o.etcd.URL, "etcd-servers", "", "use this etcd instead of one of its own: its URL, or those of its members with commas between")
	flags.StringVar(&o.etcd.CAFile, "etcd-cafile", "", "file with the authority that verifies that etcd")
	flags.StringVar(&o.etcd.CertFile, "etcd-certfile", "", "file with a client's certificate for that etcd")
	flags.StringVar(&o.etcd.KeyFile, "etcd-keyfile", "", "file with the key of that certificate")
	flags.StringVar(&o.etcd.Prefix, "etcd-prefix", "", "what the keys in that etcd begin with (default \""+storage.DefaultPrefix+"\")")
}

func (o *serverOptions) validateEtcd() error {
	if o.etcd.URL == "" {
		if o.etcd != (storage.Endpoint{}) {
			return usageErrorf("--etcd-cafile, --etcd-certfile, --etcd-keyfile and --etcd-prefix are for an etcd of your own: say where it is with --etcd-servers")
		}
		return nil
	}
	if err := o.etcd.Validate(); err != nil {
		return &usageError{err: fmt.Errorf("--etcd-servers: %w", err)}
	}
	return nil
}

// sayExternal tells what an etcd that somebody else runs means for the traces.
func sayExternal(std *streams, server *apiserver.Server) {
	if server.ExternalEtcd {
		std.notice("its etcd, at %s, is not traced: traces end at the etcd client in kube-apiserver", server.Etcd.URL)
	}
}

// refuseCluster keeps scenarios, which create and delete objects, away from a store in which
// there are nodes: that of a cluster in which somebody works.
func refuseCluster(ctx context.Context, server *apiserver.Server) error {
	if !server.ExternalEtcd {
		return nil
	}
	etcd, err := server.Etcd.Open()
	if err != nil {
		return err
	}
	defer etcd.Close()
	prefix := server.Etcd.Prefix
	if prefix == "" {
		prefix = storage.DefaultPrefix
	}
	nodes, err := etcd.Count(ctx, prefix+"/minions/")
	if err != nil {
		return err
	}
	if nodes > 0 {
		return fmt.Errorf("the etcd at %s holds the objects of a cluster below %s (nodes: %d), and a scenario creates and deletes objects: give it keys of its own, such as --etcd-prefix /apitrace", server.Etcd.URL, prefix, nodes)
	}
	return nil
}
