package lineage

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// TestNamesOfArticles follows names that articles about old releases use. A
// person compared each text of want with the sources.
func TestNamesOfArticles(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query string
		kind  Kind
		want  []string // words of the output, in order
	}{
		{"Master.InstallLegacyAPI", Function, []string{"v1.20.15 now controlplane.(*Instance).InstallLegacyAPI", "v1.28.15 controlplane.(*Instance).InstallLegacyAPI is gone", "the functions that it called", "server.(*GenericAPIServer).InstallLegacyAPIGroup", "are now called by", "controlplane.(*Instance).InstallAPIs"}},
		{"NewLegacyRESTStorage", Function, []string{"v1.28.15 gone;", "rest.(*legacyProvider).NewRESTStorage", "rest.(*GenericConfig).NewRESTStorage"}},
		{"CreateKubeAPIServer", Function, []string{"v1.28.15 app.CreateKubeAPIServer is gone", "the functions that it called (controlplane.(*Config).Complete", "controlplane.completedConfig.New", "are now called by app.(*Config).Complete", "app.CreateServerChain"}},
		{"CreateNodeDialer", Function, []string{"v1.22.17 app.CreateNodeDialer is gone"}},
		{"etcd3.newStore", Function, []string{"v1.34.1 gone;", "of its text is now in etcd3.New"}},
		{"BuildInsecureHandlerChain", Function, []string{"v1.21.14 server.BuildInsecureHandlerChain is gone"}},
		{"storage.Cacher.Get", Function, []string{"v1.12.10 now cacher.(*Cacher).Get", "v1.33.13 48% of its text is now in cacher.(*CacheDelegator).Get", "v1.37.1 still there"}},
		{"CacheDelegator.Get", Function, []string{"v1.33.13 cacher.(*CacheDelegator).Get", "v1.33.13 it has 48% of the text of cacher.(*Cacher).Get", "v1.37.1 still there"}},
		{"master.completedConfig.New", Function, []string{"v1.20.15 now controlplane.completedConfig.New", "v1.31.0 now controlplane.CompletedConfig.New", "both are the New of controlplane.CompletedConfig, one of them by embedding", "v1.37.1 still there"}},
		{"getResourceHandler", Function, []string{"v1.10.13", "scope RequestScope", "v1.16.15", "scope *RequestScope", "v1.37.1 still there"}},
		{"RunWardleServer(stopCh)", Function, []string{"v1.10.13", "stopCh <-chan struct{}", "v1.31.0", "ctx context.Context"}},
		{"createAggregatorServer", Function, []string{"v1.31.0 now apiserver.CreateAggregatorServer", "app.CreateServerChain calls it as before"}},
		{"NewAllocatorCIDRRange", Function, []string{"v1.23.17 now ipallocator.New"}},
		{"master.Master", Type, []string{"v1.10.13 master.Master", "v1.20.15 now controlplane.Instance", "methods went with it"}},
		{"genericregistry.Store", Type, []string{"v1.10.13 registry.Store in", "+ `Storage DryRunnableStorage`", "v1.37.1 still there"}},
	} {
		found := l.Find(test.kind, test.query)
		if len(found) != 1 {
			t.Errorf("Find(%s) = %q, expected one name", test.query, found)
			continue
		}
		var out bytes.Buffer
		if err := l.Write(&out, test.kind, found[0], message.For("en")); err != nil {
			t.Fatal(err)
		}
		rest := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range test.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: expected %q, after the texts before it, in:\n%s", test.query, want, &out)
				break
			}
			rest = after
		}
	}
}

func TestResolve(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ query, release, want string }{
		{"app.createAggregatorServer", "v1.37.1", "k8s.io/kubernetes/pkg/controlplane/apiserver.CreateAggregatorServer"},
		{"CreateAggregatorServer", "v1.12.10", "k8s.io/kubernetes/cmd/kube-apiserver/app.createAggregatorServer"},
		{"storage.(*Cacher).Get", "v1.30.4", "k8s.io/apiserver/pkg/storage/cacher.(*Cacher).Get"},
		{"RunWardleServer(stopCh)", "v1.37.1", "k8s.io/sample-apiserver/pkg/cmd/server.WardleServerOptions.RunWardleServer"},
		{"getResourceHandler.func1", "v1.10.13", "k8s.io/apiserver/pkg/endpoints/handlers.getResourceHandler.func1"},
		{"CreateNodeDialer", "v1.37.1", ""},
		{"CreateNodeDialers", "v1.37.1", ""},
	} {
		names, gone := l.Resolve(Function, test.query, test.release)
		if is := strings.Join(names, " "); is != test.want || (len(gone) > 0) != (test.query == "CreateNodeDialer") {
			t.Errorf("Resolve of %s in %s = %q, gone %q, expected %q", test.query, test.release, names, gone, test.want)
		}
	}
	said := l.Gone(Function, "CreateNodeDialer", "k8s.io/kubernetes/cmd/kube-apiserver/app.CreateNodeDialer", "v1.37.1").Error()
	for _, want := range []string{"from v1.10.13 to v1.21.14", "v1.22.17: app.CreateNodeDialer is gone", "apitrace source 'app.CreateNodeDialer' --k8s v1.21.14"} {
		if !strings.Contains(said, want) {
			t.Errorf("expected %q in:\n%s", want, said)
		}
	}
	renamed := l.Gone(Function, "InstallLegacyAPI", "k8s.io/kubernetes/pkg/controlplane.(*Instance).InstallLegacyAPI", "v1.37.1").Error()
	want := "k8s.io/kubernetes/pkg/master.(*Master).InstallLegacyAPI is in the sources from v1.10.13 to v1.19.16, then k8s.io/kubernetes/pkg/controlplane.(*Instance).InstallLegacyAPI from v1.20.15 to v1.27.4\n"
	if !strings.Contains(renamed, want) {
		t.Errorf("expected each name with its releases, %q, in:\n%s", want, renamed)
	}
}

// TestSpanOfOneRelease checks the sentence about names that only one release has.
func TestSpanOfOneRelease(t *testing.T) {
	l := &Library{Releases: []string{"v1.10.13", "v1.11.10", "v1.12.10"}}
	whole := func(name string) string { return name }
	for want, stages := range map[string][]Stage{
		"a is in the sources of v1.10.13": {{Name: "a"}},
		"a is in the sources of v1.10.13, then b only in v1.11.10, then c only in v1.12.10": {{Name: "a"}, {Name: "b", First: 1, Last: 1}, {Name: "c", First: 2, Last: 2}},
		"a is in the sources from v1.10.13 to v1.11.10":                                     {{Name: "a", Last: 1}},
	} {
		if got := l.Span(stages, whole).String(); got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}

// TestSuccessorsExist checks that the release where a name ended has the names
// in Change.To.
func TestSuccessorsExist(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	renamed := 0
	for i := range l.Changes {
		c := &l.Changes[i]
		if l.Has(c.Kind, c.From, l.Releases[c.At]) != (c.Fate == Extracted) {
			t.Errorf("%s has the fate %d in %s, but the release has the name: %t", c.From, c.Fate, l.Releases[c.At], c.Fate != Extracted)
		}
		if c.Fate == Gone {
			continue
		}
		renamed++
		for _, to := range c.To {
			if !l.Has(c.Kind, to, l.Releases[c.At]) {
				t.Errorf("%s became %s in %s, but the release does not have that name", c.From, to, l.Releases[c.At])
			}
		}
		if c.Fate == Renamed && c.Alike < 30 && len(c.Callers) == 0 && c.Through == "" {
			t.Errorf("%s became %s, with %d%% of its text and no callers, expected other evidence for less than 30%%", c.From, c.To, c.Alike)
		}
	}
	if len(l.Names) < 20000 || renamed < 1000 {
		t.Errorf("got %d names and %d changes with a successor, expected at least 20000 and 1000", len(l.Names), renamed)
	}
}

func TestPack(t *testing.T) {
	l := &Library{
		Releases: []string{"v1.1.0", "v1.2.0"}, Unread: [][]string{nil, {"a"}},
		Names:   []Name{{"a.F", Function, []Text{{"f.go", "()", 1}}}, {"a.T", Type, []Text{{"t.go", "struct\nA int", 3}}}},
		Changes: []Change{{Kind: Function, From: "a.F", At: 1, Fate: Renamed, To: []string{"b.F"}, Alike: 70, Through: "a.T", Callers: []string{"c.G"}}},
	}
	packed, err := l.pack()
	if err != nil {
		t.Fatal(err)
	}
	read, err := unpack(packed)
	if err != nil || !reflect.DeepEqual(read, l) {
		t.Errorf("read %+v, %v, expected %+v", read, err, l)
	}
	if _, err := unpack(packed[:len(packed)-3]); err == nil {
		t.Error("unpack of a cut file returned no error")
	}
}

func TestWithoutArguments(t *testing.T) {
	for query, want := range map[string]string{
		"RunWardleServer(stopCh)": "RunWardleServer", "etcd3.(*store).Get": "etcd3.(*store).Get", "(*store)": "(*store)", "a.F()": "a.F", "Run": "Run",
	} {
		if is := WithoutArguments(query); is != want {
			t.Errorf("WithoutArguments(%s) = %s, expected %s", query, is, want)
		}
	}
}

// TestInlined checks that the library has the names in inlined, and that the
// comparison of releases found no other end of these functions.
func TestInlined(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range inlined {
		at := slices.Index(l.Releases, in.release)
		if at < 1 || !l.Has(Function, in.from, l.Releases[at-1]) || l.Has(Function, in.from, in.release) {
			t.Errorf("%s: expected that it is in the release before %s, and not in this release", in.from, in.release)
			continue
		}
		if c := l.change(Function, in.from, at); c == nil || c.Fate != Inlined {
			t.Errorf("the change of %s is %+v, expected the fate Inlined", in.from, c)
		}
		for _, to := range slices.Concat(in.to, in.calls) {
			if !l.Has(Function, to, in.release) {
				t.Errorf("%s does not have the function %s, which inlined names", in.release, to)
			}
		}
	}
}

func TestUsers(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	users := l.Users("k8s.io/apiserver/pkg/server.APIGroupInfo", "v1.37.1")
	for _, want := range []string{
		"k8s.io/apiserver/pkg/server.(*GenericAPIServer).InstallAPIGroups",        // in the same package
		"k8s.io/kubernetes/pkg/registry/apps/rest.StorageProvider.NewRESTStorage", // which imports it as genericapiserver.APIGroupInfo
	} {
		if !slices.Contains(users, want) {
			t.Errorf("got the users %q, expected %s in them", users, want)
		}
	}
	if users := l.Users("k8s.io/apiserver/pkg/server.APIGroupInfo", "v1.2.3"); users != nil {
		t.Errorf("Users in a release that was not read = %q, expected nil", users)
	}
}

func TestEmbeds(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[string][]string{
		"k8s.io/sample-apiserver/pkg/registry.REST":                             {"*k8s.io/apiserver/pkg/registry/generic/registry.Store"}, // imported as genericregistry.Store
		"k8s.io/apiserver/pkg/registry/generic/registry.Store":                  nil,
		"k8s.io/apiserver/pkg/registry/rest.Patcher":                            nil, // an interface
		"k8s.io/apiserver/pkg/storage/cacher.CacheDelegator":                    nil,
		"k8s.io/kubernetes/pkg/kubeapiserver.completedStorageFactoryConfig":     {"*k8s.io/kubernetes/pkg/kubeapiserver.StorageFactoryConfig"}, // of the same package
		"k8s.io/kubernetes/pkg/registry/core/pod/storage.NoSuchTypeInAnySource": nil,
	} {
		if got := l.Embeds(typ, "v1.37.1"); !slices.Equal(got, want) {
			t.Errorf("Embeds(%s) = %q, expected %q", typ, got, want)
		}
	}
}
