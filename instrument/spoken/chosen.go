package spoken

import (
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A place is code that the guide does not know and the user looks for: the module of the
// own API server, or packages from --trace.
type place struct {
	packages string // see trace.InPackages
	layer    string
}

func (p place) has(function string) bool {
	return trace.InPackages(funcname.Package(function), p.packages)
}

// minor reports whether a call of an entry tells little. In the user's server these are
// generated conversions and defaults; hooks that only set a field are leaves there, and
// matter. Elsewhere, leaves tell little.
func (p place) minor(call *trace.Call) bool {
	if p.layer == trace.LayerOwn {
		return strings.HasPrefix(path.Base(call.File), "zz_generated.")
	}
	return call.Leaf
}

// chosen has the places of recordings, and their entries: the functions that code outside
// of the place calls. A function literal is not an entry if the function around it is one
// of its callers: the place itself then passed it to other code. An entry is a key step.
type chosen struct {
	places  []place
	entries map[string]bool
	// major are the entries that are not minor key steps.
	major map[string]bool
}

func chosenIn(of []*trace.Recording) chosen {
	c := chosen{entries: map[string]bool{}, major: map[string]bool{}}
	for _, rec := range of {
		for _, server := range rec.OwnServers() {
			c.add(place{server.Module + "/...", trace.LayerOwn})
		}
		for _, name := range rec.More() {
			c.add(place{name, trace.LayerMore})
		}
	}
	if len(c.places) == 0 {
		return c
	}
	for _, rec := range of {
		for i := range rec.Requests {
			c.enter(trace.TreeOfValid(&rec.Requests[i]))
		}
	}
	return c
}

func (c *chosen) add(p place) {
	if !slices.Contains(c.places, p) {
		c.places = append(c.places, p)
	}
}

// enter adds the entries of a request.
func (c *chosen) enter(tree *trace.Tree) {
	for i := range tree.Len() {
		call := tree.Call(i)
		at := c.placeOf(call.Function)
		if at < 0 || copies(call.Function) {
			continue
		}
		if above := tree.Parent(i); above >= 0 && c.placeOf(tree.Call(above).Function) == at || isCallback(tree, i) {
			continue
		}
		c.entries[call.Function] = true
		c.major[call.Function] = c.major[call.Function] || !c.places[at].minor(call)
	}
}

// isCallback reports whether a call is of a function literal whose enclosing function is
// above it.
func isCallback(tree *trace.Tree, i int) bool {
	function := tree.Call(i).Function
	for above := tree.Parent(i); above >= 0; above = tree.Parent(above) {
		if strings.HasPrefix(function, tree.Call(above).Function+".") {
			return true
		}
	}
	return false
}

// placeOf returns the index of a function's place, or -1.
func (c *chosen) placeOf(function string) int {
	return slices.IndexFunc(c.places, func(p place) bool { return p.has(function) })
}

// copies reports whether a function is generated for copying.
func copies(function string) bool { return strings.HasPrefix(funcname.Last(function), "DeepCopy") }

// titles returns the titles of the places' layers.
func (c *chosen) titles(lang string) map[string]string {
	var modules []string
	titles := map[string]string{}
	for _, p := range c.places {
		switch p.layer {
		case trace.LayerOwn:
			modules = append(modules, strings.TrimSuffix(p.packages, "/..."))
			titles[p.layer] = saysOwn.Format(lang, message.List(modules))
		case trace.LayerMore:
			titles[p.layer] = saysMore.In(lang)
		}
	}
	return titles
}

var (
	saysOwn  = message.Of("The server's own code (%s)")
	saysMore = message.Of("Packages that --trace named")
)

// Layer returns a function's layer, or "".
func (g *Guide) Layer(function string) string {
	if layer := g.Lookup.Layer(function); layer != "" {
		return layer
	}
	if at := g.placeOf(function); at >= 0 {
		return g.places[at].layer
	}
	return ""
}

// Key tells whether the function is a key step: of the guide, or an entry of code that
// the user looks for.
func (g *Guide) Key(function string) bool {
	return g.entries[function] || g.Lookup.Key(function)
}

// Minor tells whether the function is a key step that gives way to others: of the
// guide, or an entry that tells little.
func (g *Guide) Minor(function string) bool {
	return g.entries[function] && !g.major[function] || g.Lookup.Minor(function)
}
