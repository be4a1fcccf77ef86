package group

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// patience is the timeout of a request to the leader's server.
const patience = 5 * time.Second

// client follows no redirects and uses no proxy, because it only sends requests to one
// machine in the room.
var client = &http.Client{
	Timeout:       patience,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// A refusedError reports that the leader's server refused a request.
type refusedError struct {
	status int
	said   string
}

func (e *refusedError) Error() string { return e.said }

// post sends a request to the leader's server and reads the response.
func post[A any](ctx context.Context, m *Membership, path string, body any) (*A, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.Address+path, bytes.NewReader(sent))
	if err != nil {
		return nil, message.Errorf("address %q: %w", m.Address, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Language", m.Lang)
	if m.Token != "" {
		request.Header.Set("Authorization", "Bearer "+m.Token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, message.Errorf("asking the leader's server at %s: %w", m.Address, err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return nil, message.Errorf("asking the leader's server at %s: %w", m.Address, err)
	}
	if response.StatusCode != http.StatusOK {
		var refused Refusal
		if json.Unmarshal(got, &refused) != nil || refused.Message == "" {
			refused.Message = response.Status
		}
		said := refused.Message
		if refused.Action != "" {
			said += "; " + refused.Action
		}
		return nil, &refusedError{response.StatusCode, text.Escape(said)}
	}
	var answer A
	if err := json.Unmarshal(got, &answer); err != nil {
		return nil, message.Errorf("%s does not answer like \"apitrace workshop serve\": %w", m.Address, err)
	}
	return &answer, nil
}

// checkAddress accepts "host:port", with or without "http://".
func checkAddress(address string) (string, error) {
	address = strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || port == "" || strings.ContainsAny(address, "/?#@ ") {
		return "", message.Errorf("address %q: expected host and port, such as 192.168.1.5:4181", address)
	}
	return address, nil
}
