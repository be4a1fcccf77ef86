// Package routes lists a kube-apiserver's routes, with their handlers and storage. It
// finds them in the trace of the server's start.
package routes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Route is a method and a path that the server answers.
type Route struct {
	Method string `json:"method"`
	// Path is the path in the form of go-restful, such as
	// "/api/v1/namespaces/{namespace}/pods/{name}".
	Path string `json:"path"`
	// Operation is its name in OpenAPI, such as "readCoreV1NamespacedPod".
	Operation string `json:"operation,omitempty"`
	// Handler is, for a resource, the function that made the handler, such as
	// "k8s.io/apiserver/pkg/endpoints.restfulGetResource". For other routes, it is the runtime's
	// name of the handler itself.
	Handler string `json:"handler"`
	// File is the file of Handler: the import path of its package, a slash and the name of
	// the file. Line is the line of Handler's word "func". The trace has neither if a method
	// is the handler. Then Choose looks the file up, and Line stays 0.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	// The following fields are empty without a resource.

	// GroupVersion is "v1" or "apps/v1".
	GroupVersion string `json:"groupVersion,omitempty"`
	// Resource is the resource with its subresource: "pods" or "pods/status".
	Resource string `json:"resource,omitempty"`
	// Storage is the dynamic type behind rest.Storage.
	Storage string `json:"storage,omitempty"`
	// Strategy is the dynamic type of the resource's create strategy. It is "" for
	// subresources, which have their own strategies, and if the storage is not a generic
	// registry.
	Strategy string `json:"strategy,omitempty"`
}

// These functions are in the installer, k8s.io/apiserver/pkg/endpoints, and in
// go-restful. Their names are the same from v1.16 to v1.37, except that Kubernetes
// replaced go-restful v2 with v3 in v1.25.
const (
	installREST = "k8s.io/apiserver/pkg/endpoints.(*APIGroupVersion).InstallREST"
	register    = "k8s.io/apiserver/pkg/endpoints.(*APIInstaller).registerResourceHandlers"
	build       = "github.com/emicklei/go-restful/v3.(*RouteBuilder).Build"
	buildV2     = "github.com/emicklei/go-restful.(*RouteBuilder).Build"
	complete    = "k8s.io/apiserver/pkg/registry/generic/registry.(*Store).CompleteWithOptions"
	makers      = "k8s.io/apiserver/pkg/endpoints.restful"
)

// Of lists the routes that a start has built, sorted by path and method. It returns an
// error if there are none.
func Of(start *trace.Request) ([]Route, error) {
	tree, err := trace.NewTree(start)
	if err != nil {
		return nil, err
	}
	w := &walker{tree: tree, strategies: strategies(start)}
	for i := range tree.Len() {
		w.visit(i)
	}
	if len(w.routes) == 0 {
		return nil, message.NewError("no route was built in this trace: expected the start of a kube-apiserver, scenario \"boot\"")
	}
	slices.SortFunc(w.routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Operation, b.Operation))
	})
	return slices.Compact(w.routes), nil
}

// strategies returns the types of the create strategies by the registry's name of the
// resource, such as "deployments.apps".
func strategies(start *trace.Request) map[string]string {
	all := map[string]string{}
	for i := range start.Calls {
		if c := &start.Calls[i]; c.Function == complete {
			all[c.Attributes[trace.AttrResource]] = c.Attributes[trace.AttrStrategyType]
		}
	}
	return all
}

// A walker goes through the calls in order of entry.
type walker struct {
	tree       *trace.Tree
	strategies map[string]string
	routes     []Route

	group    int // the last call of installREST; groupEnd is its end
	groupEnd int
	resource int // the last call of register; resEnd is its end
	resEnd   int
	maker    *trace.Call // the last call below resource that made a handler
}

func (w *walker) visit(i int) {
	c := w.tree.Call(i)
	switch {
	case c.Function == installREST:
		w.group, w.groupEnd = i, w.tree.End(i)
	case c.Function == register:
		w.resource, w.resEnd, w.maker = i, w.tree.End(i), nil
	case strings.HasPrefix(c.Function, makers) && i < w.resEnd:
		w.maker = c
	case c.Function == build, c.Function == buildV2:
		w.routes = append(w.routes, w.route(i, c.Attributes))
	}
}

func (w *walker) route(i int, built map[string]string) Route {
	r := Route{Method: built[trace.AttrRouteMethod], Path: built[trace.AttrRoutePath], Operation: built[trace.AttrRouteOperation]}
	r.Handler, r.File, r.Line = parseFunction(built[trace.AttrRouteFunction])
	if i < w.groupEnd {
		r.GroupVersion = w.tree.Call(w.group).Attributes[trace.AttrGroupVersion]
	}
	if i >= w.resEnd {
		return r
	}
	registered := w.tree.Call(w.resource).Attributes
	r.Resource, r.Storage = registered[trace.AttrPath], registered[trace.AttrStorageType]
	r.Strategy = w.strategies[groupResource(r.GroupVersion, r.Resource)]
	if w.maker != nil {
		// The route's own function is the same for all routes: it only measures the
		// handler.
		r.Handler, r.File, r.Line = w.maker.Function, w.maker.File, w.maker.Line
	}
	return r
}

// groupResource returns the registry's name of a resource: "deployments.apps" for "apps/v1"
// and "deployments".
func groupResource(groupVersion, resource string) string {
	group, _, named := strings.Cut(groupVersion, "/")
	if !named {
		return resource
	}
	return resource + "." + group
}

// parseFunction parses the probe's form of a function value: "dir/file.go:12 name".
func parseFunction(text string) (name, file string, line int) {
	place, name := trace.CutRouteFunction(text)
	colon := strings.LastIndexByte(place, ':')
	if colon < 0 {
		return name, place, 0
	}
	line, _ = strconv.Atoi(place[colon+1:])
	return name, place[:colon], line
}
