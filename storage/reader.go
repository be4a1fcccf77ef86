package storage

import (
	"bytes"
	"context"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Reader reads from an etcd. It writes nothing.
type Reader struct {
	client *clientv3.Client
}

// Open returns a Reader for the endpoint. The caller must close it.
func (e Endpoint) Open() (*Reader, error) {
	config, err := e.tlsConfig()
	if err != nil {
		return nil, message.Errorf("reading the keys for etcd: %w", err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: e.urls(), TLS: config,
		// The client's log would only repeat errors that its methods return.
		Logger: zap.NewNop(),
	})
	if err != nil {
		return nil, message.Errorf("connecting to etcd at %s: %w", e.URL, err)
	}
	return &Reader{client: client}, nil
}

// Close ends the connection.
func (r *Reader) Close() error { return r.client.Close() }

// Revision returns etcd's current revision. Each transaction with changes raises it by 1.
func (r *Reader) Revision(ctx context.Context) (int64, error) {
	// The answer's header has the revision, whichever key is requested.
	resp, err := r.client.Get(ctx, "/", clientv3.WithCountOnly())
	if err != nil {
		return 0, message.Errorf("asking etcd for its revision: %w", err)
	}
	return resp.Header.Revision, nil
}

// Count returns the number of keys with a prefix.
func (r *Reader) Count(ctx context.Context, prefix string) (int64, error) {
	resp, err := r.client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, message.Errorf("asking etcd for the keys below %s: %w", prefix, err)
	}
	return resp.Count, nil
}

// version returns the version of the first member that answers, or "".
func (r *Reader) version(ctx context.Context, timeout time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, member := range r.client.Endpoints() {
		if status, err := r.client.Status(ctx, member); err == nil {
			return "v" + status.Version
		}
	}
	return ""
}

// Changes lists the changes of keys after revision from, in etcd's order.
// If keys is nil, it lists the changes of all keys.
//
// The list has the changes of all writers, and the server itself writes all the time
// (leases, events, its own endpoints). To find the changes of a request, take keys from
// the etcd transactions in its trace.
// Then compare StoredKey.Revision with the revisions in the trace.
func (r *Reader) Changes(ctx context.Context, from int64, keys []string) ([]trace.StoredKey, error) {
	to, err := r.Revision(ctx)
	if err != nil {
		return nil, err
	}
	if to <= from {
		return nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Watch all keys: some key has an event at the last revision, which ends the loop.
	watch := r.client.Watch(clientv3.WithRequireLeader(ctx), "\x00", clientv3.WithFromKey(), clientv3.WithRev(from+1), clientv3.WithPrevKV())
	var changes []trace.StoredKey
	for resp := range watch {
		if err := resp.Err(); err != nil {
			return nil, message.Errorf("reading etcd's changes after revision %d: %w", from, err)
		}
		for _, event := range resp.Events {
			if event.Kv.ModRevision > to {
				return changes, nil
			}
			if keys == nil || slices.Contains(keys, string(event.Kv.Key)) {
				changes = append(changes, storedKey(event))
			}
		}
		// etcd sends all events of a revision in one answer.
		if n := len(resp.Events); n > 0 && resp.Events[n-1].Kv.ModRevision == to {
			return changes, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, message.Errorf("reading etcd's changes after revision %d: %w", from, err)
	}
	return nil, message.NewError("reading etcd's changes: etcd ended the watch")
}

func storedKey(event *clientv3.Event) trace.StoredKey {
	k := trace.StoredKey{Op: "PUT", Key: string(event.Kv.Key), Revision: event.Kv.ModRevision}
	value := event.Kv.Value
	if event.Type == mvccpb.Event_DELETE {
		k.Op = "DELETE"
		// For a deletion, describe the previous value.
		if value = nil; event.PrevKv != nil {
			value = event.PrevKv.Value
		}
	} else {
		k.Size = len(value)
	}
	if len(bytes.TrimSpace(value)) > 0 {
		k.Encoding, k.APIVersion, k.Kind = describeValue(value)
	}
	return k
}
