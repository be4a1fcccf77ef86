package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/collect"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// A fetcher gets the traces of requests from a server's probes, and what they have left in etcd.
// Several goroutines may use it.
type fetcher struct {
	server *apiserver.Server
	etcd   *storage.Reader

	mu sync.Mutex
	// checked is what the checking mode has found so far.
	checked collect.Check
}

func newFetcher(server *apiserver.Server) (*fetcher, error) {
	etcd, err := server.Etcd.Open()
	if err != nil {
		return nil, err
	}
	return &fetcher{server: server, etcd: etcd}, nil
}

func (f *fetcher) close() error { return f.etcd.Close() }

// fetch gets the trace of a request that is over.
func (f *fetcher) fetch(ctx context.Context, sent collect.Sent) (*trace.Request, error) {
	request, check, err := collect.Request(ctx, f.server.ProbeSockets, sent)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.checked.Calls = max(f.checked.Calls, check.Calls)
	f.checked.Mismatches = append(f.checked.Mismatches, check.Mismatches...)
	f.mu.Unlock()
	request.Stored, err = stored(ctx, f.etcd, request)
	return request, err
}

// verdict is an error if recorded calls were not what they must be; checked is whether they
// were compared.
func (f *fetcher) verdict(checked bool, io *streams) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if checked {
		io.notice("compared %d calls with the real stack: %d differ", f.checked.Calls, len(f.checked.Mismatches))
	}
	if len(f.checked.Mismatches) > 0 {
		return fmt.Errorf("recorded calls differ from the real stack:\n%s", strings.Join(f.checked.Mismatches, "\n"))
	}
	return nil
}
