package view

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Server is one of a program's API servers.
type Server struct {
	// Name is the server's name, such as "kube-aggregator".
	Name string
	// Versions are its group versions, such as "apps/v1".
	Versions []string
	// Resources counts its resources and subresources. Routes counts their
	// routes.
	Resources, Routes int

	call int // the call that creates the server
	end  int // Tree.End of the call that creates the server and installs its APIs
}

// A startTeller finds the sentences about the start of a program. They
// describe its phases, its servers with their delegation, and one resource
// from its provider to its routes. Releases have different functions. So a
// sentence is left out if the recording does not have its call.
type startTeller struct {
	*sentenceFinder
	process string
	servers []Server
	// followed is the call that completes the followed resource's store, or -1.
	followed int
}

// tellStart adds the sentences about the start of a program.
func (t *sentenceFinder) tellStart() {
	s := &startTeller{sentenceFinder: t, process: t.tree.Call(0).Process}
	s.findServers()
	s.followed = s.follow()
	s.flags()
	s.first("authenticators", 70, "Options).ApplyTo", func(call *trace.Call) bool {
		return strings.Contains(call.Function, "AuthenticationOptions).")
	}, message.Of("the authenticators are built from the flags"))
	s.first("authorizers", 70, "", func(call *trace.Call) bool {
		return strings.HasSuffix(call.Function, ".BuildAuthorizer") || strings.HasSuffix(call.Function, "AuthorizationOptions).ApplyTo")
	}, message.Of("the authorizers are built from the flags"))
	s.plugins()
	for _, server := range s.servers {
		s.add("server", 90, server.call, server.call, message.Of("the server %s is created, with its own filter chain and its own routers", server.Name))
	}
	s.resource()
	s.delegation()
	s.hooks()
	s.first("serve", 88, ".(*SecureServingInfo).Serve", nil, message.Of("the server begins to listen for requests"))
}

// own reports whether call i ran in the program that starts, not in another
// one.
func (s *startTeller) own(i int) bool { return s.tree.Call(i).Process == s.process }

// find returns the first matching call from i up to, but not including, end, or
// -1. The call must be an own call, its function must end with ending, and
// wanted must return true for it. A nil wanted accepts every call.
func (s *startTeller) find(i, end int, ending string, wanted func(*trace.Call) bool) int {
	for ; i < end; i++ {
		if call := s.tree.Call(i); s.own(i) && strings.HasSuffix(call.Function, ending) && (wanted == nil || wanted(call)) {
			return i
		}
	}
	return -1
}

// first adds a sentence about the first matching call, if any; see find.
func (s *startTeller) first(kind string, weight int, ending string, wanted func(*trace.Call) bool, says message.Message) {
	if i := s.find(0, s.tree.Len(), ending, wanted); i >= 0 {
		s.add(kind, weight, i, i, says)
	}
}

// flags adds the sentence about the validation of the flags. The method
// Validate of Options has a pointer receiver in some releases.
func (s *startTeller) flags() {
	s.first("flags", 60, "Options.Validate", nil, message.Of("the values of the flags are checked"))
	if s.end["flags"] == 0 {
		s.first("flags", 60, "Options).Validate", nil, message.Of("the values of the flags are checked"))
	}
}

// plugins counts the admission plugins that are initialized.
func (s *startTeller) plugins() {
	at := s.find(0, s.tree.Len(), "AdmissionOptions).ApplyTo", nil)
	if at < 0 {
		return
	}
	count := 0
	for i := at; i < s.tree.End(at); i++ {
		if strings.HasSuffix(s.tree.Call(i).Function, "admission.(*Plugins).InitPlugin") {
			count++
		}
	}
	if count > 0 {
		s.add("plugins", 80, at, at, message.Plural(count, "%d admission plugin is initialized", "%d admission plugins are initialized", count))
	}
}

// findServers finds the servers in the order of their creation, with their
// group versions, resources and routes.
func (s *startTeller) findServers() {
	for i := range s.tree.Len() {
		call := s.tree.Call(i)
		name := call.Attributes[trace.AttrServerName]
		if name != "" && s.own(i) && strings.HasSuffix(call.Function, "/server.completedConfig.New") {
			s.servers = append(s.servers, Server{Name: name, call: i})
		}
	}
	for n := range s.servers {
		server := &s.servers[n]
		at := server.call // include the calls that create only this server
		for p := s.tree.Parent(at); p > 0 && s.created(p) == 1; p = s.tree.Parent(p) {
			at = p
		}
		server.end = s.tree.End(at)
		for i := at; i < server.end; i++ {
			call := s.tree.Call(i)
			switch {
			case !s.own(i):
			case call.Attributes[trace.AttrGroupVersion] != "":
				if version := call.Attributes[trace.AttrGroupVersion]; !slices.Contains(server.Versions, version) {
					server.Versions = append(server.Versions, version)
				}
			case installs(call):
				server.Resources++
				server.Routes += s.routes(i)
			}
		}
	}
}

// created counts the servers that are created in call i.
func (s *startTeller) created(i int) int {
	n := 0
	for _, server := range s.servers {
		if i <= server.call && server.call < s.tree.End(i) {
			n++
		}
	}
	return n
}

// installs reports whether a call registers the handlers of a resource.
func installs(call *trace.Call) bool {
	return strings.HasSuffix(call.Function, ".(*APIInstaller).registerResourceHandlers")
}

// routes counts the routes built in call i.
func (s *startTeller) routes(i int) int {
	n := 0
	for below := i; below < s.tree.End(i); below++ {
		if s.tree.Call(below).Attributes[trace.AttrRoutePath] != "" {
			n++
		}
	}
	return n
}

// follow chooses the resource to follow: the first resource with a constructor
// that the guide describes, else the first resource with a store. It returns
// the call that completes the store, or -1.
func (s *startTeller) follow() int {
	found := -1
	for i := range s.tree.Len() {
		call := s.tree.Call(i)
		if !s.own(i) || call.Attributes[trace.AttrResource] == "" || !strings.HasSuffix(call.Function, ".(*Store).CompleteWithOptions") {
			continue
		}
		if parent := s.tree.Call(s.tree.Parent(i)); s.classifier.Key(parent.Function) && s.classifier.Layer(parent.Function) == trace.LayerStorageSetup {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// resource describes how the followed resource gets its storage and its routes.
func (s *startTeller) resource() {
	if s.followed < 0 {
		return
	}
	i, end := s.followed, s.tree.End(s.followed)
	call := s.tree.Call(i)
	resource := call.Attributes[trace.AttrResource]
	for above := s.tree.Parent(i); above > 0; above = s.tree.Parent(above) {
		if function := s.tree.Call(above).Function; strings.HasSuffix(function, ".NewRESTStorage") || strings.HasSuffix(function, ".NewLegacyRESTStorage") {
			s.add("provider", 82, above, above, message.Of("one resource is followed from here, %s: its provider makes the storages of %d resources", resource, s.stores(above)))
			break
		}
	}
	if strategy, storage := with(call, trace.AttrStrategyType), with(call, trace.AttrStorageType); strategy != "" && storage != "" {
		s.add("store", 83, i, i, message.Of("%s: its store gets the strategy %s and the storage %s", resource, strategy, storage))
	}
	prefix := func(call *trace.Call) bool { return call.Attributes[trace.AttrStoragePrefix] != "" }
	below, etcd := s.find(i, end, ".StorageWithCacher.func1", prefix), s.find(i, end, ".newETCD3Storage", prefix)
	if below >= 0 && etcd >= 0 {
		key := strings.TrimSuffix(s.tree.Call(etcd).Attributes[trace.AttrStoragePrefix], "/") + s.tree.Call(below).Attributes[trace.AttrStoragePrefix]
		if by := with(s.tree.Call(etcd), trace.AttrEncryptionType); by != "" && by != "nil" {
			s.add("key", 83, etcd, etcd, message.Of("%s: its objects are kept in etcd below %s, encrypted by %s", resource, key, by))
		} else {
			s.add("key", 83, etcd, etcd, message.Of("%s: its objects are kept in etcd below %s", resource, key))
		}
	}
	if cache := s.find(i, end, ".NewCacherFromConfig", nil); cache >= 0 {
		s.add("cache", 83, cache, cache, message.Of("%s: a watch cache is put in front of etcd", resource))
	}
	s.installed(resource)
}

// stores counts the resources with a store completed in call i.
func (s *startTeller) stores(i int) int {
	known := map[string]bool{}
	for below := i; below < s.tree.End(i); below++ {
		if call := s.tree.Call(below); strings.HasSuffix(call.Function, ".(*Store).CompleteWithOptions") {
			known[call.Attributes[trace.AttrResource]] = true
		}
	}
	return len(known)
}

// installed describes the routes of a resource, such as "deployments.apps".
func (s *startTeller) installed(resource string) {
	name, group, _ := strings.Cut(resource, ".")
	at := -1
	for i := 0; i < s.tree.Len() && at < 0; i++ {
		if call := s.tree.Call(i); s.own(i) && installs(call) && call.Attributes[trace.AttrPath] == name && s.groupAbove(i) == group {
			at = i
		}
	}
	if at < 0 {
		return
	}
	example := ""
	for i := at; i < s.tree.End(at) && example == ""; i++ {
		if a := s.tree.Call(i).Attributes; a[trace.AttrRouteMethod] == "POST" {
			example = a[trace.AttrRouteMethod] + " " + a[trace.AttrRoutePath]
		}
	}
	if example != "" {
		n := s.routes(at)
		s.add("routes", 84, at, at, message.Plural(n, "%s: the installer makes %d route, %s", "%s: the installer makes %d routes, one of them is %s", resource, n, example))
	}
}

// groupAbove returns the API group that a call at or above call i installs. It
// returns "" for the core group, and if there is no such call.
func (s *startTeller) groupAbove(i int) string {
	for ; i >= 0; i = s.tree.Parent(i) {
		if version := s.tree.Call(i).Attributes[trace.AttrGroupVersion]; version != "" {
			group, _, ok := strings.Cut(version, "/")
			if !ok {
				return ""
			}
			return group
		}
	}
	return ""
}

// delegation describes how servers pass requests on. PrepareRun of a server
// first calls PrepareRun of the server behind it. If the nested calls are as many
// as the servers, the servers delegate in the reverse order of their creation.
// Otherwise, the sentence only describes PrepareRun.
func (s *startTeller) delegation() {
	const prepare = "/server.(*GenericAPIServer).PrepareRun"
	at := s.find(0, s.tree.Len(), prepare, nil)
	if at < 0 {
		return
	}
	nested := 0
	for i := at; i >= 0; i = s.find(i+1, s.tree.End(i), prepare, nil) {
		nested++
	}
	if nested < 2 || nested != len(s.servers) {
		s.add("prepare", 60, at, at, message.Of("OpenAPI documents and health checks are installed, now that all APIs are known"))
		return
	}
	s.add("delegation", 92, at, at, message.Of("the servers are prepared from the last to the first; each passes the requests that it does not serve on to the next"))
	last := &s.found[len(s.found)-1]
	last.Servers = slices.Clone(s.servers)
	slices.Reverse(last.Servers)
}

// hooks describes the post-start hooks.
func (s *startTeller) hooks() {
	at := s.find(0, s.tree.Len(), ".(*GenericAPIServer).RunPostStartHooks", nil)
	if at < 0 {
		return
	}
	n := 0
	for i := at; i < s.tree.End(at); i++ {
		if s.own(i) && s.tree.Call(i).Attributes[trace.AttrHookName] != "" {
			n++
		}
	}
	if n > 0 {
		s.add("hooks", 86, at, at, message.Plural(n, "%d post-start hook runs on a goroutine of its own", "%d post-start hooks run, each on a goroutine of its own", n))
	}
}
