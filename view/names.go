package view

import (
	"fmt"
	"path"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// Names gives the functions of a view short, unambiguous names: the last
// element of the import path and the function, as in "etcd3.(*store).Get". If
// packages of the view share that element, the name also has the element before
// it: "secret/storage.NewREST", "pod/storage.NewREST". Places are made
// unambiguous in the same way, among all calls of the request.
type Names struct {
	// parents counts the additional elements of import paths with ambiguous
	// short names. folders counts the additional folders of such files.
	parents, folders map[string]int
}

// newNames returns the names for the calls that a view shows, and the places
// for all calls of its tree.
func newNames(v *View) *Names {
	n := &Names{parents: map[string]int{}, folders: map[string]int{}}
	packages := map[string]string{} // import paths by short name
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
	tellApart(paths, n.parents, n.packageName)
	tellApart(files(v.Tree), n.folders, n.fileName)
	return n
}

// files returns the files that declare the functions of a tree, each once.
func files(tree *trace.Tree) []string {
	var all []string
	seen := map[string]bool{"": true}
	for i := range tree.Len() {
		if file := tree.Call(i).File; !seen[file] {
			seen[file] = true
			all = append(all, file)
		}
	}
	return all
}

// tellApart makes the short names of paths unique. If a short name is
// ambiguous, it sets more[path] to the number of additional elements in front
// of it, at most 4.
func tellApart(paths []string, more map[string]int, name func(string) string) {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = name(p)
	}
	for n := 1; n <= 4; n++ {
		counts := map[string]int{}
		for _, name := range names {
			counts[name]++
		}
		if len(counts) == len(paths) {
			return // all are unique
		}
		for i, p := range paths {
			if counts[names[i]] > 1 {
				more[p] = n
				names[i] = name(p)
			}
		}
	}
}

// packageName returns the shortest unambiguous end of an import path.
func (n *Names) packageName(p string) string { return lengthen(p, packageShort(p), n.parents[p]) }

// fileName returns the shortest unambiguous end of a file's path, with at
// least one folder.
func (n *Names) fileName(file string) string {
	return lengthen(file, packageShort(path.Dir(file))+"/"+path.Base(file), n.folders[file])
}

// lengthen returns name, the end of path p, with more elements of p in front.
func lengthen(p, name string, elements int) string {
	before := strings.TrimSuffix(strings.TrimSuffix(p, name), "/")
	for range elements {
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

// Place returns the place of a call's function, or "": folder, file and line,
// as in "etcd3/store.go:235". More folders make it unambiguous.
func (n *Names) Place(call *trace.Call) string {
	if call.File == "" {
		return ""
	}
	return n.PlaceIn(call, call.Line)
}

// PlaceIn returns a line in the file of a call's function, in the form of Place. The call
// must have a file.
func (n *Names) PlaceIn(call *trace.Call, line int) string {
	return fmt.Sprintf("%s:%d", n.fileName(call.File), line)
}

// packageShort returns the package's name at the beginning of the short names of
// its functions. p is the import path.
func packageShort(p string) string { return strings.TrimSuffix(funcname.Short(p+".f"), ".f") }
