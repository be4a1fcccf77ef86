package storage

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// testVersion is the version of etcd in the tests.
const testVersion = "v3.7.0"

// buildEtcd returns the path of an etcd of testVersion. If the cache has a build,
// traced or plain, it returns that, because these tests are only about etcd's
// answers. Otherwise it makes a plain build.
func buildEtcd(t *testing.T) (path string) {
	t.Helper()
	testenv.NeedsServer(t)
	cache, err := program.OpenCache("")
	if err != nil {
		t.Fatal(err)
	}
	built, err := cache.Entries(program.KindBuild)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range built {
		if e.Program == Name && e.Version == testVersion && e.Key != "" && !e.Edited {
			return filepath.Join(e.Dir, Name)
		}
	}
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	binary, err := program.Build(t.Context(), Program(testVersion), program.Options{Cache: cache, Progress: display})
	if err != nil {
		t.Fatal(err)
	}
	return binary.Path
}

func startEtcd(t *testing.T) *Etcd {
	t.Helper()
	binary := buildEtcd(t)
	runDir, err := program.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runDir.Close() })
	e, err := Start(t.Context(), Options{Binary: binary, RunDir: runDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Stop(context.Background()) })
	return e
}

func openReader(t *testing.T, e Endpoint) *Reader {
	t.Helper()
	r, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestChanges(t *testing.T) {
	r := openReader(t, startEtcd(t).Endpoint)
	kv := r.client.KV
	ctx := t.Context()
	do := func(ops ...clientv3.Op) {
		t.Helper()
		if _, err := kv.Txn(ctx).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	do(clientv3.OpPut("/old", `{"apiVersion": "v1", "kind": "Pod"}`))
	from, err := r.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	do(clientv3.OpPut("/b", `{"apiVersion": "v1", "kind": "Node"}`), clientv3.OpPut("/a", "plain"))
	do(clientv3.OpPut("/background", "1"))
	do(clientv3.OpDelete("/old"))
	do(clientv3.OpPut("/b", ""))

	all, err := r.Changes(ctx, from, nil)
	want := []trace.StoredKey{
		{Op: "PUT", Key: "/b", Revision: from + 1, Size: 36, Encoding: "json", APIVersion: "v1", Kind: "Node"},
		{Op: "PUT", Key: "/a", Revision: from + 1, Size: 5, Encoding: "unknown"},
		{Op: "PUT", Key: "/background", Revision: from + 2, Size: 1, Encoding: "unknown"},
		{Op: "DELETE", Key: "/old", Revision: from + 3, Encoding: "json", APIVersion: "v1", Kind: "Pod"},
		{Op: "PUT", Key: "/b", Revision: from + 4},
	}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("got %+v, %v\nwant %+v", all, err, want)
	}
	mine, err := r.Changes(ctx, from, []string{"/a", "/old"})
	if err != nil || !slices.Equal(mine, []trace.StoredKey{want[1], want[3]}) {
		t.Errorf("Changes of two keys: got %+v, %v, want the second and the fourth change", mine, err)
	}
	none, err := r.Changes(ctx, from, []string{})
	if err != nil || len(none) != 0 {
		t.Errorf("Changes of no key: got %+v, %v, want none", none, err)
	}
	if _, err := r.client.Compact(ctx, from+2); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Changes(ctx, from, nil); err == nil || !strings.Contains(err.Error(), "compacted") {
		t.Errorf("Changes after a compacted revision: got the error %v, want one with \"compacted\"", err)
	}
}

// TestPortTaken checks that ExitError.PortTaken knows the message of the real etcd.
func TestPortTaken(t *testing.T) {
	first, binary := startEtcd(t), buildEtcd(t)
	dir := t.TempDir()
	second := endpointIn(dir)
	if err := second.writeKeys(); err != nil {
		t.Fatal(err)
	}
	second.URL = first.Endpoint.URL
	address, err := url.Parse(second.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	_, err = program.Start(t.Context(), second.server(binary, dir))
	var exit *program.ExitError
	if !errors.As(err, &exit) || !exit.PortTaken(port) {
		t.Errorf("Start: got %v, want an ExitError for a taken port", err)
	}
}

// TestStrangersAreRefused checks that a client with the key of another etcd cannot use an etcd.
func TestStrangersAreRefused(t *testing.T) {
	e, other := startEtcd(t).Endpoint, startEtcd(t).Endpoint
	other.URL = e.URL
	config, err := other.tlsConfig()
	if err != nil {
		t.Fatal(err)
	}
	// The server must reject the client. The client must not reject the server first.
	config.InsecureSkipVerify = true
	conn, err := tls.Dial("tcp", strings.TrimPrefix(e.URL, "https://"), config)
	if err == nil {
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1)) // with TLS 1.3 the rejection comes after the handshake
	}
	if err == nil || !strings.Contains(err.Error(), "remote error: tls:") {
		t.Errorf("a connection with the key of another etcd: got the error %v, want a TLS error from etcd", err)
	}
}
