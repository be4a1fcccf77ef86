package diff

import (
	"path"
	"strings"
	"unicode"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A parsedName is the full name of a function, in parts.
type parsedName struct {
	pkg string // import path
	typ string // type of the receiver, "" for a function
	fun string // the function's own name, with the suffix of a literal
}

func parseName(full string) parsedName {
	n := funcname.Parse(full)
	return parsedName{pkg: n.Package, typ: n.Type, fun: n.Func + n.Literal}
}

// anywhere is the name without its package.
func (p parsedName) anywhere() parsedName { return parsedName{typ: p.typ, fun: p.fun} }

// likeness returns the similarity of two names without packages, from 0 to 1.
// It is 1 only if they are equal.
func (p parsedName) likeness(q parsedName) float64 {
	switch {
	case p.typ == q.typ && p.fun == q.fun:
		return 1
	case strings.EqualFold(p.fun, q.fun) && p.typ == q.typ:
		return 0.9
	case strings.EqualFold(p.fun, q.fun):
		return 0.75 + 0.15*shared(words(p.typ), words(q.typ))
	}
	return 0.7 * shared(words(p.typ+"."+p.fun), words(q.typ+"."+q.fun))
}

// packageName is the last element of a package's path, or the last two for a
// version such as v1beta1. A moved package keeps this name.
func packageName(pkg string) string {
	name := path.Base(pkg)
	if len(name) > 1 && name[0] == 'v' && unicode.IsDigit(rune(name[1])) {
		return path.Join(path.Base(path.Dir(pkg)), name)
	}
	return name
}

// nearness returns how close two files are in the file tree, from 0 to 1.
func nearness(fileA, fileB string) float64 {
	switch {
	case fileA == fileB:
		return 1
	case path.Dir(fileA) == path.Dir(fileB):
		return 0.7
	case path.Dir(path.Dir(fileA)) == path.Dir(fileB), path.Dir(fileA) == path.Dir(path.Dir(fileB)):
		return 0.5
	case path.Base(fileA) == path.Base(fileB), path.Base(path.Dir(fileA)) == path.Base(path.Dir(fileB)):
		return 0.4
	}
	return 0
}

// words splits a name by case: "withAuditID" is with, audit, id.
func words(name string) map[string]bool {
	all := map[string]bool{}
	var word []rune
	end := func() {
		if len(word) > 0 {
			all[strings.ToLower(string(word))] = true
		}
		word = word[:0]
	}
	upper := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && !upper {
			end()
		}
		upper = unicode.IsUpper(r)
		word = append(word, r)
	}
	end()
	return all
}

// shared is the similarity of two sets from 0 to 1, Dice's coefficient.
func shared[K comparable](a, b map[K]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for k := range a {
		if b[k] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
