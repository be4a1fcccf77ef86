package routes

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Filter selects routes. An empty field selects all.
type Filter struct {
	// Resource is the resource, optionally with its group and a subresource: "pods",
	// "deployments.apps" or "pods/status".
	Resource string
	// Method is the HTTP method, in any case.
	Method string
}

// matches reports whether the filter selects a route.
func (f Filter) matches(r Route) bool {
	if f.Method != "" && !strings.EqualFold(f.Method, r.Method) {
		return false
	}
	if f.Resource == "" {
		return true
	}
	resource, subresource, _ := strings.Cut(f.Resource, "/")
	name, group, grouped := strings.Cut(resource, ".")
	ofRoute, ofSub, _ := strings.Cut(r.Resource, "/")
	groupOfRoute, _, _ := strings.Cut(r.GroupVersion, "/")
	return name == ofRoute && (!grouped || group == groupOfRoute) && (subresource == "" || subresource == ofSub)
}

// Choose returns those routes that a filter selects. start is the recording of a
// kube-apiserver's start. Choose returns an error if the filter selects none.
func Choose(start *trace.Recording, f Filter) ([]Route, error) {
	all, err := Of(&start.Requests[0])
	if err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(slices.Clone(all), func(r Route) bool { return !f.matches(r) })
	if len(wanted) == 0 {
		return nil, f.unmatched(start.K8sVersion, all)
	}
	return wanted, findFiles(start, wanted)
}

// findFiles sets each empty Route.File, if the release has an index.
func findFiles(start *trace.Recording, all []Route) error {
	code, err := recordings.CodeOf(start.K8sVersion)
	if err != nil || code == nil {
		return err
	}
	process := start.Requests[0].Calls[0].Process
	for i := range all {
		if r := &all[i]; r.File == "" {
			if f := code.Function(process, r.Handler); f != nil {
				r.File = path.Join(funcname.Package(f.Name), f.File)
			}
		}
	}
	return nil
}

// place returns the file of a route's handler, with the line if known.
func (r Route) place() string {
	if r.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d", r.File, r.Line)
}

// unmatched returns the error for a filter that selects no route. It suggests resources with
// similar names.
func (f Filter) unmatched(k8s string, all []Route) error {
	var resources []string
	for _, r := range all {
		resources = append(resources, r.Resource)
	}
	if near := text.Nearest(f.Resource, resources, 3); f.Resource != "" && !slices.Contains(resources, f.Resource) && len(near) > 0 {
		return message.UsageErrorf("Kubernetes %s has no routes of resource %q: did you mean %s?", k8s, f.Resource, message.Alternatives(near))
	}
	switch {
	case f.Method == "":
		return message.UsageErrorf("Kubernetes %s has no routes of resource %q: \"apitrace routes\" lists all", k8s, f.Resource)
	case f.Resource == "":
		return message.UsageErrorf("Kubernetes %s has no routes of method %q: \"apitrace routes\" lists all", k8s, f.Method)
	}
	return message.UsageErrorf("Kubernetes %s has no routes of resource %q and method %q: \"apitrace routes\" lists all", k8s, f.Resource, f.Method)
}

// Write writes routes as a table. wide adds each route's operation and place.
func Write(out io.Writer, all []Route, wide bool, p message.Printer) error {
	table := text.NewTable(3)
	heading := []any{p.Sprintf("METHOD"), p.Sprintf("PATH"), p.Sprintf("HANDLER"), p.Sprintf("STORAGE"), p.Sprintf("STRATEGY")}
	if wide {
		heading = append(heading, p.Sprintf("OPERATION"), p.Sprintf("PLACE"))
	}
	table.Row(heading...)
	for _, r := range all {
		row := []any{r.Method, r.Path, short(r.Handler), orNone(short(r.Storage)), orNone(short(r.Strategy))}
		if wide {
			row = append(row, orNone(r.Operation), orNone(r.place()))
		}
		table.Row(row...)
	}
	return table.Write(out)
}

// short returns the short name of a function or type.
func short(name string) string {
	pointer := ""
	if after, ok := strings.CutPrefix(name, "*"); ok {
		pointer, name = "*", after
	}
	call := trace.Call{Function: name}
	text := call.ShortName()
	// Most resources have a package named storage, in a folder with the resource's name,
	// such as pod/storage. The text gets the name of that folder.
	if dir, _, ok := strings.Cut(name, "/storage."); ok && strings.HasPrefix(text, "storage.") {
		text = dir[strings.LastIndexByte(dir, '/')+1:] + "/" + text
	}
	return pointer + text
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
