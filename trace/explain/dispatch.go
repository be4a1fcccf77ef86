package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Dispatch says which method ran when recorded code called a method of an interface.
type Dispatch struct {
	// Method is the full name of the interface's method, such as
	// "k8s.io/apiserver/pkg/registry/rest.Getter.Get". Ran is the method that ran.
	Method, Ran string
	// Storage is the type of the calling handler's storage, such as
	// "*k8s.io/…/storage.REST", or "" if not recorded. Resource is the resource of the
	// handler's request, with its subresource, such as "deployments/scale". Both are ""
	// unless a handler calls its storage.
	Storage, Resource string
	// Caller is the function that made the call.
	Caller string
	// Scenarios are the scenarios with such calls, in the order of the recordings.
	Scenarios []string
}

// Dispatches lists the recorded calls of interfaces' methods, in order of the first
// call: one Dispatch for each combination of Method, Ran, Storage, Resource and Caller.
// wanted selects by Method and Ran. code, the index of the sources, says which line calls
// a method of an interface. A line that calls several methods of one name is left out,
// because the recording does not show which of them the line called.
func Dispatches(code *recordings.Code, of []*trace.Recording, wanted func(method, ran string) bool) ([]Dispatch, error) {
	f := &dispatchFinder{code: code, known: map[callPlace]string{}, at: map[dispatchKey]int{}, wanted: wanted}
	for _, rec := range of {
		for i := range rec.Requests {
			tree, err := trace.NewTree(&rec.Requests[i])
			if err != nil {
				return nil, err
			}
			for c := range tree.Len() {
				f.add(rec.Scenario, tree, c)
			}
		}
	}
	return f.all, nil
}

type dispatchFinder struct {
	code   *recordings.Code
	wanted func(method, ran string) bool
	// known has the result of method for each place, or "" if it is not wanted.
	known map[callPlace]string
	at    map[dispatchKey]int
	all   []Dispatch
}

type dispatchKey struct{ method, ran, storage, resource, caller string }

// A callPlace is a line of a function, with the function that ran when the line called it.
type callPlace struct {
	process, caller string
	line            int
	ran             string
}

func (f *dispatchFinder) add(scenario string, tree *trace.Tree, i int) {
	above := tree.Parent(i)
	if above < 0 {
		return
	}
	call, caller := tree.Call(i), tree.Call(above)
	if call.Process != caller.Process || call.CallerLine == 0 || call.Attributes[trace.AttrHandoff] != "" {
		return
	}
	at := callPlace{call.Process, caller.Function, call.CallerLine - caller.Line, call.Function}
	method, ok := f.known[at]
	if !ok {
		if method = f.method(at); method != "" && !f.wanted(method, call.Function) {
			method = ""
		}
		f.known[at] = method
	}
	if method == "" {
		return
	}
	key := dispatchKey{method: method, ran: call.Function, caller: caller.Function}
	if strings.HasPrefix(key.caller, handlersPackage) && funcname.Package(method) == storageInterfaces {
		key.storage, key.resource = handlerTarget(tree, above)
	}
	n, ok := f.at[key]
	if !ok {
		n = len(f.all)
		f.at[key] = n
		f.all = append(f.all, Dispatch{Method: key.method, Ran: key.ran, Storage: key.storage, Resource: key.resource, Caller: key.caller})
	}
	f.all[n].Scenarios = appendNew(f.all[n].Scenarios, scenario)
}

// method returns the interface's method that a line calls, if it has the name of the
// method that ran. It returns "" if there is none, or several.
func (f *dispatchFinder) method(at callPlace) string {
	own := funcname.Parse(at.ran)
	text := f.code.Function(at.process, at.caller)
	if own.Type == "" || own.Literal != "" || text == nil {
		return ""
	}
	found := ""
	for _, c := range text.Calls {
		if c.Line != at.line || !c.Kind.IsCall() || funcname.Last(c.Name) != own.Func {
			continue
		}
		if c.Kind != recordings.CallInterface || found != "" && found != c.Name {
			return ""
		}
		found = c.Name
	}
	return found
}

const (
	// handlersPackage holds the handlers. They get their storage as one of the
	// interfaces in storageInterfaces.
	handlersPackage   = "k8s.io/apiserver/pkg/endpoints/handlers."
	storageInterfaces = "k8s.io/apiserver/pkg/registry/rest"
	// routesPackage holds the route functions, which call a handler. Their calls have
	// the type of the handler's storage as an attribute.
	routesPackage = "k8s.io/apiserver/pkg/endpoints."
	// serverEntry is the method that begins a request in a server.
	serverEntry = "k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP"
)

// handlerTarget returns the storage and resource of the nearest handler around call i.
// For a custom resource, no route function calls the handler. Instead, crdHandler makes
// the handler right before the call: it passes the storage to a function of
// handlersPackage.
func handlerTarget(tree *trace.Tree, i int) (storage, resource string) {
	without := "" // the resource without its subresource
	at, below := i, -1
	for ; at >= 0; at, below = tree.Parent(at), at {
		call := tree.Call(at)
		if storage == "" && strings.HasPrefix(call.Function, routesPackage) {
			storage = call.Attributes[trace.AttrStorageType]
		}
		without = cmp.Or(without, call.Attributes[trace.AttrRequestResource])
		if resource = requested(tree, at, below); resource != "" || call.Function == serverEntry {
			break
		}
	}
	for c := i; storage == "" && c > max(at, 0); c-- {
		if call := tree.Call(c); call.Process == tree.Call(i).Process && strings.HasPrefix(call.Function, handlersPackage) {
			storage = call.Attributes[trace.AttrStorageType]
		}
	}
	return storage, cmp.Or(resource, without)
}

// requested returns the resource that a callee of call i read in the URL, with its
// subresource. It looks only at callees with an index less than below. It returns "" if
// there is none.
func requested(tree *trace.Tree, i, below int) string {
	for c := range tree.Children(i) {
		if c >= below {
			break
		}
		attributes := tree.Call(c).Attributes
		if sub, read := attributes[trace.AttrRequestSubresource]; read {
			return strings.TrimSuffix(attributes[trace.AttrRequestResource]+"/"+sub, "/")
		}
	}
	return ""
}

// Receiver returns the full name of the type that declares a method, or "" for a
// function.
func Receiver(method string) string {
	n := funcname.Parse(method)
	if n.Type == "" {
		return ""
	}
	return n.Package + "." + strings.TrimSuffix(n.Type, funcname.GenericMark)
}

// Ran counts the recorded scenarios that called each method, by full name.
func Ran(methods []string, of []*trace.Recording) map[string]int {
	seen := map[string][]string{}
	for _, m := range methods {
		seen[m] = nil
	}
	for _, rec := range of {
		for _, name := range rec.Functions() {
			if scenarios, ok := seen[name]; ok && !slices.Contains(scenarios, rec.Scenario) {
				seen[name] = append(scenarios, rec.Scenario)
			}
		}
	}
	counts := map[string]int{}
	for m, scenarios := range seen {
		counts[m] = len(scenarios)
	}
	return counts
}
