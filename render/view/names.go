package view

import (
	"fmt"
	"path"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// Names gives the calls of a view names that tell them apart: a function is called by the
// last element of its import path, as in "etcd3.(*store).Get". Where packages of the
// view are equal in that, the element before it is written, too:
// "secret/storage.NewREST", "pod/storage.NewREST".
type Names struct {
	// parents are the import paths whose last element is not enough.
	parents map[string]int
}

// NewNames names the calls that a view shows.
func NewNames(v *View) *Names {
	n := &Names{parents: map[string]int{}}
	packages := map[string]string{} // the import path, by how a call of it is written
	var add func(node *Node)
	var paths []string
	add = func(node *Node) {
		for _, i := range node.Calls {
			if p := funcname.Package(v.Tree.Call(i).Function); packages[p] == "" {
				packages[p] = p
				paths = append(paths, p)
			}
		}
		for _, child := range node.Children {
			add(child)
		}
	}
	add(v.Root)
	for more := 1; more <= 4; more++ {
		byName := map[string][]string{}
		for _, p := range paths {
			name := n.packageName(p)
			byName[name] = append(byName[name], p)
		}
		for _, equal := range byName {
			for _, p := range equal {
				if len(equal) > 1 {
					n.parents[p] = more
				}
			}
		}
	}
	return n
}

// packageName returns as many elements of an import path as tell it from the others.
func (n *Names) packageName(p string) string {
	name := packageShort(p)
	before := strings.TrimSuffix(strings.TrimSuffix(p, name), "/")
	for range n.parents[p] {
		if before == "" {
			break
		}
		name = path.Base(before) + "/" + name
		before = strings.TrimSuffix(path.Dir(before), ".")
	}
	return name
}

// Of returns the name of a call's function.
func (n *Names) Of(call *trace.Call) string {
	p := funcname.Package(call.Function)
	return n.packageName(p) + strings.TrimPrefix(call.Function, p)
}

// Place returns where a call's function is declared: folder, file and line, as in
// "etcd3/store.go:235"; "" if that is not known.
func (n *Names) Place(call *trace.Call) string {
	if call.File == "" {
		return ""
	}
	return fmt.Sprintf("%s/%s:%d", packageShort(path.Dir(call.File)), path.Base(call.File), call.Line)
}

// packageShort returns what a function's short name has in front of an import path's functions.
func packageShort(p string) string { return strings.TrimSuffix(funcname.Short(p+".f"), ".f") }
