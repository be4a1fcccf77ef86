package session

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/storage"
)

// refuseCluster returns an error if the server's external etcd has nodes. Such an etcd
// belongs to a real cluster, where no scenario may create or delete objects.
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
		return message.Errorf("the etcd at %s holds the objects of a cluster below %s (nodes: %d), and a scenario creates and deletes objects: use other keys, such as --etcd-prefix /apitrace", server.Etcd.URL, prefix, nodes)
	}
	return nil
}
