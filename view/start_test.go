package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// start makes the trace of a program's start. Each line is a call: two blanks
// for each level, the function, and values as name=value, without "apitrace."
// before the name.
func start(t *testing.T, lines string) *trace.Tree {
	t.Helper()
	r := &trace.Request{TraceID: strings.Repeat("a", 32), Method: trace.MethodStart, Path: "kube-apiserver"}
	var above []string // ids
	for line := range strings.SplitSeq(strings.Trim(lines, "\n"), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		call := trace.Call{ID: fmt.Sprintf("%016x", len(r.Calls)+1), Function: words[0], Process: trace.ProcessAPIServer, Attributes: map[string]string{}, StartNs: int64(len(r.Calls)), DurationNs: 1}
		above = above[:depth]
		if depth > 0 {
			call.Parent = above[depth-1]
		}
		above = append(above, call.ID)
		for _, value := range words[1:] {
			name, value, _ := strings.Cut(value, "=")
			call.Attributes["apitrace."+name] = value
		}
		r.Calls = append(r.Calls, call)
	}
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const twoServers = `
runtime.main
  k8s.io/k/app.newFirst
    k8s.io/apiserver/pkg/server.completedConfig.New server.name=first
    k8s.io/apiserver/pkg/endpoints.(*APIGroupVersion).InstallREST group_version=a.io/v1
      k8s.io/apiserver/pkg/endpoints.(*APIInstaller).registerResourceHandlers path=things
        go-restful.(*RouteBuilder).Build route.method=POST route.path=/apis/a.io/v1/things
        go-restful.(*RouteBuilder).Build route.method=GET route.path=/apis/a.io/v1/things
  k8s.io/k/app.newSecond
    k8s.io/apiserver/pkg/server.completedConfig.New server.name=second
`

// sentencesOf returns the sentences about a tree, and their servers.
func sentencesOf(tree *trace.Tree) (texts []string, servers []view.Server) {
	for _, s := range view.Sentences(tree, viewtest.FirstGuide{}, nil, "en", 15) {
		texts = append(texts, s.Text)
		servers = append(servers, s.Servers...)
	}
	return texts, servers
}

// TestDelegationOfServers checks the servers of the sentence about delegation.
// There is such a sentence only if a call of PrepareRun makes another one.
func TestDelegationOfServers(t *testing.T) {
	_, servers := sentencesOf(start(t, twoServers+`
  k8s.io/apiserver/pkg/server.(*GenericAPIServer).PrepareRun
    k8s.io/apiserver/pkg/server.(*GenericAPIServer).PrepareRun`))
	if len(servers) != 2 || servers[0].Name != "second" || servers[1].Name != "first" {
		t.Fatalf("got the servers %+v, want second and then first, because second was created last", servers)
	}
	if s := servers[1]; !slices.Equal(s.Versions, []string{"a.io/v1"}) || s.Resources != 1 || s.Routes != 2 {
		t.Errorf("the server first is %+v, want the version a.io/v1, 1 resource and 2 routes", s)
	}
	if s := servers[0]; len(s.Versions) != 0 || s.Resources != 0 || s.Routes != 0 {
		t.Errorf("the server second is %+v, want no versions, resources or routes", s)
	}
	if _, servers := sentencesOf(start(t, twoServers+"\n  k8s.io/apiserver/pkg/server.(*GenericAPIServer).PrepareRun")); len(servers) != 0 {
		t.Errorf("with a single call of PrepareRun: got the servers %+v, want none", servers)
	}
}

// TestStartWithoutCalls checks that a sentence about a start is left out if its
// calls are missing.
func TestStartWithoutCalls(t *testing.T) {
	texts, _ := sentencesOf(start(t, twoServers))
	if want := []string{"the server first is created, with its own filter chain and its own routers", "the server second is created, with its own filter chain and its own routers"}; !slices.Equal(texts, want) {
		t.Errorf("got the sentences %q, want %q", texts, want)
	}
	if texts, _ := sentencesOf(start(t, "runtime.main")); len(texts) != 0 {
		t.Errorf("a start with one call: got the sentences %q, want none", texts)
	}
	texts, _ = sentencesOf(start(t, `
runtime.main
  k8s.io/apiserver/pkg/registry/generic/registry.(*Store).CompleteWithOptions resource=things.a.io strategy.type=s storage.type=c
    k8s.io/apiserver/pkg/registry/generic/registry.StorageWithCacher.func1 storage.prefix=/things
      k8s.io/apiserver/pkg/storage/storagebackend/factory.newETCD3Storage storage.prefix=/registry encryption.type=aes
  k8s.io/apiserver/pkg/endpoints.(*APIGroupVersion).InstallREST group_version=b.io/v1
    k8s.io/apiserver/pkg/endpoints.(*APIInstaller).registerResourceHandlers path=things
      go-restful.(*RouteBuilder).Build route.method=POST route.path=/apis/b.io/v1/things
  k8s.io/apiserver/pkg/endpoints.(*APIGroupVersion).InstallREST group_version=a.io/v1
    k8s.io/apiserver/pkg/endpoints.(*APIInstaller).registerResourceHandlers path=things
      go-restful.(*RouteBuilder).Build route.method=POST route.path=/apis/a.io/v1/things`))
	if want := []string{
		"things.a.io: its store gets the strategy s and the storage c",
		"things.a.io: its objects are kept in etcd below /registry/things, encrypted by aes",
		"things.a.io: the installer makes 1 route, POST /apis/a.io/v1/things",
	}; !slices.Equal(texts, want) {
		t.Errorf("got the sentences %q, want %q", texts, want)
	}
}
