package session

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestTell checks the notices about an answer. They have the time until the player hung
// up, and the server's message and warnings, unless these may hold secrets.
func TestTell(t *testing.T) {
	warned := http.Header{"Warning": {`299 - "unknown field \"spec.x\""`, `299 - "old"`}}
	cut := fmt.Errorf("no answer: %w", context.DeadlineExceeded)
	for _, test := range []struct {
		sent scenarios.Sent
		want []string
	}{
		{scenarios.Sent{Path: "/api/v1/pods", Status: 200}, nil},
		{scenarios.Sent{Path: "/api/v1/pods", Status: 201, Header: warned}, []string{`warning: unknown field "spec.x"`, "warning: old"}},
		{scenarios.Sent{Path: "/api/v1/pods", Status: 422, Header: warned, Body: []byte(`{"message": "bad"}`)}, []string{"the answer: bad", `warning: unknown field "spec.x"`, "warning: old"}},
		{scenarios.Sent{Path: "/api/v1/secrets", Status: 201, Header: warned}, nil},
		{scenarios.Sent{Path: "/api/v1/pods", Status: 200, Duration: 1234 * time.Millisecond, Err: cut}, []string{"hung up after 1.23s: the answer, 200, went on"}},
		{scenarios.Sent{Path: "/api/v1/pods", Duration: 40*time.Second + time.Millisecond, Err: cut}, []string{"hung up after 40s: there was no answer"}},
	} {
		to := &noticed{}
		(&Running{}).tell(&test.sent, to)
		if !slices.Equal(to.lines, test.want) {
			t.Errorf("%+v: got the notices %q, expected %q", test.sent, to.lines, test.want)
		}
	}
}
