package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// initOf returns the package and the number of a function init. The compiler
// numbers the functions init of a package, in the order of the file names. ok
// is false for other functions.
func initOf(name string) (pkg string, number int, ok bool) {
	n := funcname.Parse(name)
	digits, found := strings.CutPrefix(n.Func, "init.")
	if !found || n.Type != "" || n.Literal != "" {
		return "", 0, false
	}
	number, err := strconv.Atoi(digits)
	return n.Package, number, err == nil
}

// matchInits matches the functions init. Their numbers shift when a release
// adds one to another file of the package, so one name can mean two functions.
// Two are the same if they are in the same file, after the same number of
// functions init.
func (id *identity) matchInits(a, b *side) {
	inA := map[initKey]int32{}
	for _, i := range a.inits() {
		inA[i.initKey] = i.name
	}
	for _, i := range b.inits() {
		if name, ok := inA[i.initKey]; ok {
			id.b[i.name] = id.a[name]
			continue
		}
		id.b[i.name] = int32(id.count)
		id.count++
	}
}

// An initKey identifies a function init even if other files get more of them.
type initKey struct {
	process, pkg, file string
	before             int // number of init functions that ran and come before it in the file
}

type initFunction struct {
	initKey
	name   int32
	number int
}

// inits lists a side's functions init by process, package and number.
func (s *side) inits() []initFunction {
	var all []initFunction
	seen := map[int32]bool{}
	for i := int32(1); i < s.len(); i++ {
		if seen[s.name[i]] {
			continue
		}
		seen[s.name[i]] = true
		call := s.call(i)
		if pkg, number, ok := initOf(call.Function); ok {
			all = append(all, initFunction{initKey{process: call.Process, pkg: pkg, file: call.File}, s.name[i], number})
		}
	}
	slices.SortFunc(all, func(x, y initFunction) int {
		return cmp.Or(cmp.Compare(x.process, y.process), cmp.Compare(x.pkg, y.pkg), cmp.Compare(x.number, y.number))
	})
	for i := 1; i < len(all); i++ {
		if before := all[i-1]; before.process == all[i].process && before.pkg == all[i].pkg && before.file == all[i].file {
			all[i].before = before.before + 1
		}
	}
	return all
}
