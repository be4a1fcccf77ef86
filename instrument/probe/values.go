//go:build go1.26

package probe

import (
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Type returns the name of v's dynamic type, such as "*storage.REST".
func Type(v any) string {
	t := reflect.TypeOf(v)
	if t == nil {
		return "nil"
	}
	if name, ok := typeNames.Load(t); ok {
		return name.(string)
	}
	name := nameOf(t)
	typeNames.Store(t, name)
	return name
}

// typeNames holds the results of nameOf. Its size is limited by the number of types,
// unless the program makes types at run time.
var typeNames sync.Map

func nameOf(t reflect.Type) string {
	stars := ""
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		stars, t = stars+"*", t.Elem()
	}
	if t.Name() == "" || t.PkgPath() == "" {
		return stars + t.String()
	}
	return stars + t.PkgPath() + "." + t.Name()
}

// Choose returns yes if the condition holds, else no.
func Choose(condition bool, yes, no any) any {
	if condition {
		return yes
	}
	return no
}

// Implements reports whether the dynamic type of v implements an interface. pointer is a
// pointer to the interface.
func Implements(v, pointer any) bool {
	t := reflect.TypeOf(v)
	return t != nil && t.Implements(reflect.TypeOf(pointer).Elem())
}

// First returns the first of two results, gRPC metadata, for an expression of the guide.
// It has no type parameters, because the Go version of some traced releases has none.
func First(md map[string][]string, _ bool) map[string][]string { return md }

// function names a function value by its place in the source and its runtime name:
// "k8s.io/apiserver/pkg/endpoints/installer.go:1338
// k8s.io/apiserver/pkg/endpoints.restfulGetResource.func1". The runtime's name may differ
// from Site.Function, but the place is the same.
func function(f reflect.Value) string {
	if f.IsNil() {
		return ""
	}
	fn := runtime.FuncForPC(f.Pointer())
	file, line := fn.FileLine(fn.Entry())
	return fmt.Sprintf("%s:%d %s", fileWithoutVersion(file), line, fn.Name())
}

// format formats a value of the guide. It formats plain values only. Any other value
// could hold data that must not be shown, so format names only its type.
func format(v any) string {
	if isObject(v) {
		return "(" + Type(v) + ")"
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, ",")
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.String:
		return r.String()
	case reflect.Bool:
		return strconv.FormatBool(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(r.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'g', -1, 64)
	case reflect.Func:
		return function(r)
	case reflect.Pointer:
		if e := r.Elem(); e.IsValid() && e.Kind() <= reflect.Float64 || e.IsValid() && e.Kind() == reflect.String {
			return format(e.Interface())
		}
	}
	return "(" + Type(v) + ")"
}
