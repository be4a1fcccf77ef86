package diff

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// findMovedPackages sets movedTo and movedFrom. A package moved if the two calls of a pair
// have the same function name in different packages.
func (d *Diff) findMovedPackages() {
	d.movedTo, d.movedFrom = map[string][]string{}, map[string][]string{}
	for i, j := range d.InB {
		if j == None {
			continue
		}
		a, b := d.A.Call(i).Function, d.B.Call(j).Function
		if a == b {
			continue
		}
		from, to := funcname.Package(a), funcname.Package(b)
		if from == to || a[len(from):] != b[len(to):] || slices.Contains(d.movedTo[from], to) {
			continue
		}
		d.movedTo[from] = append(d.movedTo[from], to)
		d.movedFrom[to] = append(d.movedFrom[to], from)
	}
}

// inMovedPackage returns the name of a function of the other side in this side's source,
// if the function's package moved. It is "" if no such package has the function. moved
// has, for a package of the other side, the packages of this side.
func (s indexedSide) inMovedPackage(process, function string, moved map[string][]string) string {
	pkg := funcname.Package(function)
	for _, to := range moved[pkg] {
		if name := to + function[len(pkg):]; s.code.Function(process, name) != nil {
			return name
		}
	}
	return ""
}
