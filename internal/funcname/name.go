// Package funcname parses full names of functions, and matches them with patterns.
//
// A full name is the compiler's name for a function when nothing is inlined:
//
//	path.Function               path.(*Type).Method       path.Type.Method
//	path.(*Type[...]).Method    path.Function.func1       path.Function.func1.2
//	path.init.0                 path.init.func3 (a literal in a package-level variable)
//
// The rewriter's output depends on this package. The key of a build includes the
// package's source, so a change here makes every server build anew.
package funcname

import (
	"embed"
	"regexp"
	"strings"
)

// Source is the source of this package.
//
//go:embed *.go
var Source embed.FS

// GenericMark stands for type parameters in names: (*Type[...]).Method.
const GenericMark = "[...]"

// A Name holds the parts of a full name.
type Name struct {
	// Package is the import path, "" if the name has none.
	Package string
	// Type is the receiver's type without the marks of a pointer: "store", "lru[...]". It
	// is "" for a function.
	Type string
	// Func is the declared function's own name: "Get", "init.0", "Map[...]".
	Func string
	// Literal is the end of a function literal's name: ".func1.2". It is "" for other
	// functions.
	Literal string
}

// Parse splits a full name into its parts.
func Parse(full string) Name {
	declared, literal := SplitLiteral(full)
	n := Name{Func: declared, Literal: literal}
	dot := packageEnd(declared)
	if dot < 0 {
		return n
	}
	n.Package, n.Func = declared[:dot], declared[dot+1:]
	if own := methodDot(n.Func); own >= 0 && !strings.HasPrefix(n.Func, "init.") {
		n.Type, n.Func = strings.Trim(n.Func[:own], "(*)"), n.Func[own+1:]
	}
	return n
}

// methodDot returns the index of the dot between receiver and method, -1 if there is none.
// Dots of type arguments do not count.
func methodDot(name string) int {
	end := strings.LastIndexByte(name, ']')
	if end == len(name)-1 { // a function's type arguments
		name, _, _ = strings.Cut(name, "[")
		end = 0
	}
	end = max(end, 0)
	if dot := strings.LastIndexByte(name[end:], '.'); dot >= 0 {
		return end + dot
	}
	return -1
}

// packageEnd returns the index of the dot after the import path, -1 if there is none.
// A path of gopkg.in ends with a dot and a version: "gopkg.in/evanphx/json-patch.v4".
func packageEnd(name string) int {
	slash := lastSlash(name)
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return -1
	}
	end := slash + 1 + dot
	if strings.HasPrefix(name, "gopkg.in/") {
		end += len(gopkgVersion.FindString(name[end:]))
	}
	if end == len(name) {
		return -1
	}
	return end
}

var gopkgVersion = regexp.MustCompile(`^\.v[0-9]+\b`)

// lastSlash returns the index of the last slash of a name's import path, -1 if there is
// none. The import paths in type arguments do not count.
func lastSlash(name string) int {
	path, _, _ := strings.Cut(name, "[")
	return strings.LastIndexByte(path, '/')
}

// literal matches the part of a function literal's name after the name of its function.
var literal = regexp.MustCompile(`\.func[0-9]+(\.[0-9]+)*$`)

// SplitLiteral splits a name, full or not, into the name of the declared function and the
// end that names a function literal in it: "Get", ".func1.2". For other names, the end is
// "".
func SplitLiteral(name string) (declared, end string) {
	if !strings.Contains(name, ".func") { // nearly all names; the expression is slow
		return name, ""
	}
	end = literal.FindString(name)
	return strings.TrimSuffix(name, end), end
}

// Package returns the import path of a full name. A name that is cut off within the path
// is all path. Then Package returns the name without a slash at the end.
func Package(name string) string {
	if dot := packageEnd(name); dot >= 0 {
		return name[:dot]
	}
	return strings.TrimSuffix(name, "/")
}

// Last returns the part of a name after the last dot: "Get" of "etcd3.(*store).Get".
func Last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Short returns a full name with only the last element of its import path, as code that
// calls the function would write it: "etcd3.(*store).Get". An element that is a version
// says too little alone. Then Short keeps the element before it, too:
// "apps/v1.SetObjectDefaults_Deployment", "go-restful/v3.(*Container).dispatch".
func Short(full string) string {
	slash := lastSlash(full)
	if slash > 0 && version.MatchString(full[slash+1:]) {
		slash = strings.LastIndexByte(full[:slash], '/')
	}
	return full[slash+1:]
}

var version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?\.`)

// Unmarked returns a name without the marks of pointers and type parameters: "store.Get"
// for "(*store[...]).Get".
func Unmarked(name string) string { return marks.Replace(name) }

var marks = strings.NewReplacer(GenericMark, "", "(*", "", "(", "", ")", "")

// HasEnd reports whether end is the whole name, or its part after a slash or a dot.
func HasEnd(name, end string) bool {
	rest, ok := strings.CutSuffix(name, end)
	return ok && end != "" && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "."))
}
