package storage

import (
	"context"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// Stored returns the changes that a request made in etcd.
// The server itself writes at the same time. So Stored returns only changes of keys in
// the request's calls, at revisions of the request's transactions.
func (r *Reader) Stored(ctx context.Context, request *trace.Request) ([]trace.StoredKey, error) {
	keys, revisions := etcdKeys(request), request.Revisions()
	if len(keys) == 0 || len(revisions) == 0 {
		return nil, nil
	}
	changes, err := r.Changes(ctx, slices.Min(revisions)-1, keys)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(changes, func(k trace.StoredKey) bool { return !slices.Contains(revisions, k.Revision) }), nil
}

// etcdKeys returns the etcd keys in the attributes of the request's calls.
func etcdKeys(request *trace.Request) []string {
	var keys []string
	for _, call := range request.Calls {
		if key := call.Attributes[trace.AttrEtcdKey]; key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
