package instrument

import (
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// userCode is the code in recordings that the guide does not know and the user wants to
// see: the module of the user's own API server, and packages that --trace named.
type userCode struct {
	packages []userPackages
	// entryPoints are the functions that other code calls. They are key steps.
	entryPoints map[string]bool
	// major are the entry points that are not minor key steps.
	major map[string]bool
}

type userPackages struct {
	funcname.Packages
	layer string // trace.LayerOwn or trace.LayerMore
}

func userCodeIn(recordings []*trace.Recording) userCode {
	u := userCode{entryPoints: map[string]bool{}, major: map[string]bool{}}
	for _, rec := range recordings {
		for _, server := range rec.OwnServers() {
			u.add(userPackages{funcname.Packages{Path: server.Module, Recursive: true}, trace.LayerOwn})
		}
		for _, name := range rec.More() {
			u.add(userPackages{funcname.ParsePackages(name), trace.LayerMore})
		}
	}
	if len(u.packages) == 0 {
		return u
	}
	for _, rec := range recordings {
		for i := range rec.Requests {
			u.addEntryPoints(trace.TreeOfValid(&rec.Requests[i]))
		}
	}
	return u
}

func (u *userCode) add(p userPackages) {
	if !slices.Contains(u.packages, p) {
		u.packages = append(u.packages, p)
	}
}

// addEntryPoints adds the entry points of a request. A callback is not an entry point,
// because the packages themselves passed it to other code.
func (u *userCode) addEntryPoints(tree *trace.Tree) {
	for i := range tree.Len() {
		call := tree.Call(i)
		at := u.index(call.Function)
		if at < 0 || isDeepCopy(call.Function) {
			continue
		}
		if parent := tree.Parent(i); parent >= 0 && u.index(tree.Call(parent).Function) == at || isCallback(tree, i) {
			continue
		}
		u.entryPoints[call.Function] = true
		u.major[call.Function] = u.major[call.Function] || !u.packages[at].minor(call)
	}
}

// minor reports whether a call of an entry point is a minor key step. In an own server,
// these are generated conversions and defaults, but not leaves: a hook of a strategy may
// only set a field. In other packages, they are the leaves.
func (p userPackages) minor(call *trace.Call) bool {
	if p.layer == trace.LayerOwn {
		return strings.HasPrefix(path.Base(call.File), "zz_generated.")
	}
	return call.Leaf
}

// isCallback reports whether call i runs a function literal below a call of the function
// that contains the literal.
func isCallback(tree *trace.Tree, i int) bool {
	function := tree.Call(i).Function
	for caller := tree.Parent(i); caller >= 0; caller = tree.Parent(caller) {
		if strings.HasPrefix(function, tree.Call(caller).Function+".") {
			return true
		}
	}
	return false
}

// isDeepCopy reports whether a function is a generated function such as DeepCopyObject.
func isDeepCopy(function string) bool {
	return strings.HasPrefix(funcname.Last(function), "DeepCopy")
}

// index returns the index of the packages with the function, or -1.
func (u *userCode) index(function string) int {
	return slices.IndexFunc(u.packages, func(p userPackages) bool { return p.Has(funcname.Package(function)) })
}

// layer returns the function's layer, or "" if it is not the user's code.
func (u *userCode) layer(function string) string {
	if at := u.index(function); at >= 0 {
		return u.packages[at].layer
	}
	return ""
}

// titles returns the titles of the layers.
func (u *userCode) titles(lang string) map[string]string {
	var modules []string
	titles := map[string]string{}
	for _, p := range u.packages {
		switch p.layer {
		case trace.LayerOwn:
			modules = append(modules, p.Path)
			titles[p.layer] = ownTitle.Format(lang, message.List(modules))
		case trace.LayerMore:
			titles[p.layer] = moreTitle.In(lang)
		}
	}
	return titles
}

var (
	ownTitle  = message.Of("The server's own code (%s)")
	moreTitle = message.Of("Packages that --trace named")
)
