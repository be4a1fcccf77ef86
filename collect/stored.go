package collect

import (
	"context"
	"slices"
	"strconv"

	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// Stored reads from etcd what the request has changed there. The server writes on
// its own account at the same time, so the trace says what was the request's: the
// keys that its calls name, at the revisions of its own transactions.
func Stored(ctx context.Context, etcd *storage.Reader, request *trace.Request) ([]trace.StoredKey, error) {
	keys, revisions := writes(request)
	if len(keys) == 0 || len(revisions) == 0 {
		return nil, nil
	}
	changes, err := etcd.Changes(ctx, slices.Min(revisions)-1, keys)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(changes, func(k trace.StoredKey) bool { return !slices.Contains(revisions, k.Revision) }), nil
}

// writes returns the keys that the calls name, and the revisions that their
// successful transactions made.
func writes(request *trace.Request) (keys []string, revisions []int64) {
	for _, call := range request.Calls {
		if key := call.Attributes["apitrace.etcd.key"]; key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		if call.Attributes["apitrace.etcd.txn.succeeded"] != "true" {
			continue
		}
		revision, err := strconv.ParseInt(call.Attributes["apitrace.etcd.revision"], 10, 64)
		if err == nil && !slices.Contains(revisions, revision) {
			revisions = append(revisions, revision)
		}
	}
	return keys, revisions
}
