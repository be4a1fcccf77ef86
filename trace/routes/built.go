package routes

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// newHandler makes the two routers of a server. Source: k8s.io/apiserver/pkg/server/handler.go,
// since v1.8.
const newHandler = "k8s.io/apiserver/pkg/server.NewAPIServerHandler"

// A Built has the parts that a start has built, in order. The fields named Call are indices
// of the start's calls.
type Built struct {
	Servers []Server `json:"servers" description:"The servers in the order in which they were built. Each server delegates the requests that it does not serve to the server before it."`
}

// A Server is one of a kube-apiserver's servers.
type Server struct {
	Name    string  `json:"name" description:"The server's name; empty for routes whose server is not in the trace."`
	Call    int     `json:"call" description:"The call that made the server's routers; -1 if unknown."`
	StartNs int64   `json:"startNs" description:"When that was, in nanoseconds from the start."`
	Routes  int     `json:"routes" description:"How many routes it has in all."`
	Groups  []Group `json:"groups" description:"The versions of groups that were installed."`
	// Others belong to no group.
	Others []BuiltRoute `json:"others" description:"The routes that belong to no group: discovery, version, metrics and others."`
}

// A Group is a version of an API group.
type Group struct {
	GroupVersion string       `json:"groupVersion" description:"Such as v1 or apps/v1."`
	Call         int          `json:"call" description:"The call that installed it."`
	StartNs      int64        `json:"startNs" description:"When that was, in nanoseconds from the start."`
	Routes       int          `json:"routes" description:"How many routes it has in all."`
	Resources    []Resource   `json:"resources" description:"Its resources, with their subresources, in order of installation."`
	Others       []BuiltRoute `json:"others" description:"Its routes that belong to no resource: its discovery."`
}

// A Resource is a resource or a subresource.
type Resource struct {
	Name     string       `json:"name" description:"Such as pods or pods/status."`
	Call     int          `json:"call" description:"The call that registered it."`
	Storage  string       `json:"storage" description:"Dynamic type of its storage, with its import path; empty if unknown."`
	Strategy string       `json:"strategy" description:"Dynamic type of its create strategy; empty for a subresource, and for a storage that is not of a generic registry."`
	Store    int          `json:"store" description:"The call that completed its generic registry, -1 if it has none of its own."`
	Routes   []BuiltRoute `json:"routes" description:"Its routes."`
}

// A BuiltRoute is a route with the call that built it.
type BuiltRoute struct {
	Route
	Call int `json:"call" description:"The call that built it."`
}

// BuiltBy returns the servers, groups, resources and routes that a start has built.
func BuiltBy(start *trace.Request) (*Built, error) {
	tree, err := trace.NewTree(start)
	if err != nil {
		return nil, err
	}
	b := &builder{walker: walker{tree: tree, strategies: strategies(start)}, built: &Built{Servers: []Server{}}, stores: map[string]int{}}
	for i := range tree.Len() {
		b.visit(i)
	}
	if len(b.walker.routes) == 0 {
		return nil, message.NewError("no route was built in this trace: expected the start of a kube-apiserver, scenario \"boot\"")
	}
	return b.built, nil
}

// A builder sorts routes into their servers, groups and resources.
type builder struct {
	walker
	built *Built
	// stores has the calls that completed a store, by the registry's name of the
	// resource; see groupResource.
	stores map[string]int
	// made are the calls of newHandler so far.
	made []int
}

func (b *builder) visit(i int) {
	known := len(b.walker.routes)
	b.walker.visit(i)
	c := b.tree.Call(i)
	switch {
	case c.Function == newHandler:
		b.made = append(b.made, i)
		s := b.server(c.Attributes[trace.AttrServerName])
		s.Call, s.StartNs = i, c.StartNs
	case c.Function == complete:
		b.stores[c.Attributes[trace.AttrResource]] = i
	case c.Function == installREST:
		b.group(i)
	case c.Function == register:
		b.resource(i)
	case len(b.walker.routes) > known:
		b.route(BuiltRoute{b.walker.routes[known], i})
	}
}

// serverOf returns the name of the server of call i. It looks for the nearest call above i
// that has already made routers, and returns the server of these routers. It returns "" if
// that call has made routers of several servers, or if there is no such call.
func (b *builder) serverOf(i int) string {
	for above := b.tree.Parent(i); above >= 0; above = b.tree.Parent(above) {
		var below []int
		for _, made := range b.made {
			if made > above && made < b.tree.End(above) {
				below = append(below, made)
			}
		}
		switch len(below) {
		case 0:
		case 1:
			return b.tree.Call(below[0]).Attributes[trace.AttrServerName]
		default:
			return ""
		}
	}
	return ""
}

// server returns the server with a name, and adds it if needed.
func (b *builder) server(name string) *Server {
	at := slices.IndexFunc(b.built.Servers, func(s Server) bool { return s.Name == name })
	if at < 0 {
		at = len(b.built.Servers)
		b.built.Servers = append(b.built.Servers, Server{Name: name, Call: -1, Groups: []Group{}, Others: []BuiltRoute{}})
	}
	return &b.built.Servers[at]
}

func (b *builder) group(i int) {
	s := b.server(b.serverOf(i))
	s.Groups = append(s.Groups, Group{GroupVersion: b.tree.Call(i).Attributes[trace.AttrGroupVersion], Call: i, StartNs: b.tree.Call(i).StartNs, Resources: []Resource{}, Others: []BuiltRoute{}})
}

// in returns the server of call i, and the group that the server is installing at call i,
// or nil.
func (b *builder) in(i int) (*Server, *Group) {
	s := b.server(b.serverOf(i))
	if i >= b.groupEnd || len(s.Groups) == 0 {
		return s, nil
	}
	return s, &s.Groups[len(s.Groups)-1]
}

func (b *builder) resource(i int) {
	_, g := b.in(i)
	if g == nil {
		return
	}
	registered := b.tree.Call(i).Attributes
	r := Resource{Name: registered[trace.AttrPath], Call: i, Storage: registered[trace.AttrStorageType], Store: -1, Routes: []BuiltRoute{}}
	name := groupResource(g.GroupVersion, r.Name)
	r.Strategy = b.strategies[name]
	if store, ok := b.stores[name]; ok && !strings.Contains(r.Name, "/") {
		r.Store = store
	}
	g.Resources = append(g.Resources, r)
}

func (b *builder) route(r BuiltRoute) {
	s, g := b.in(r.Call)
	s.Routes++
	switch {
	case g == nil:
		s.Others = append(s.Others, r)
	case r.Resource == "" || len(g.Resources) == 0:
		g.Routes++
		g.Others = append(g.Others, r)
	default:
		g.Routes++
		last := &g.Resources[len(g.Resources)-1]
		last.Routes = append(last.Routes, r)
	}
}
