package session

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Without a control plane, nothing would follow. The requests are not sent.
func TestFollowNeedsAControlPlane(t *testing.T) {
	server := &apiserver.Server{}
	r := &Running{Server: server, fetcher: newFetcher(server, collect.Secrets{})}
	_, err := r.Follow(t.Context(), time.Second, func() ([]trace.Request, error) {
		t.Error("the requests were sent")
		return nil, nil
	})
	if !errors.As(err, new(*message.UsageError)) {
		t.Errorf("got the error %v, expected a UsageError", err)
	}
	if err := CanFollow("v1.34.1"); !errors.As(err, new(*message.UsageError)) || !strings.Contains(err.Error(), "scheduling") {
		t.Errorf("of v1.34.1, got the error %v, expected a UsageError that names a queue", err)
	}
}
