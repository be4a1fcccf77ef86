package story

import (
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// A history follows the changes in etcd from its first revision on.
type history struct {
	t        *testing.T
	etcd     *storage.Reader
	revision int64
	// keys are the keys that exist, each as its last change wrote it.
	keys map[string]trace.StoredKey
}

// A change is a change of a key. before is nil if the key did not exist.
type change struct {
	trace.StoredKey
	before *trace.StoredKey
}

// event returns the type of the event that watchers of the key get.
func (c *change) event() string {
	switch {
	case c.Op == "DELETE":
		return "DELETED"
	case c.before == nil:
		return "ADDED"
	}
	return "MODIFIED"
}

func newHistory(t *testing.T, server *apiserver.Server) *history {
	t.Helper()
	etcd, err := server.Etcd.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = etcd.Close() }) // the server has ended
	return &history{t: t, etcd: etcd, keys: map[string]trace.StoredKey{}}
}

// advance reads the changes since the last call, in order.
func (h *history) advance() []change {
	h.t.Helper()
	// to is read before the changes, so that no change up to this revision is missing. If
	// the list has later changes, to becomes the last one's revision.
	to, err := h.etcd.Revision(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	stored, err := h.etcd.Changes(h.t.Context(), h.revision, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	var changes []change
	for _, k := range stored {
		c := change{StoredKey: k}
		if before, ok := h.keys[k.Key]; ok {
			c.before = &before
		}
		if k.Op == "DELETE" {
			delete(h.keys, k.Key)
		} else {
			h.keys[k.Key] = k
		}
		changes = append(changes, c)
		to = max(to, k.Revision)
	}
	h.revision = to
	return changes
}
