package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// failed is a request that failed, of calls as outline takes them; "?name=value"
// behind a name is an attribute, and every call is made from another line unless a
// "," before the name says that it is an argument of the call after it.
func failed(t *testing.T, text string) *trace.Tree {
	t.Helper()
	tree := outline(t, text)
	tree.Request.Status = 404
	line := 0
	for i := range tree.Len() {
		call := tree.Call(i)
		if !strings.HasPrefix(call.Function, "p.,") {
			line++
			call.CallerLine = line
		} else {
			call.CallerLine = line + 1
		}
		var attribute string
		call.Function, attribute, _ = strings.Cut(call.Function, "?")
		if name, value, ok := strings.Cut(attribute, "="); ok {
			call.Attributes = map[string]string{name: value}
		}
	}
	return tree
}

func TestErrorPath(t *testing.T) {
	for name, test := range map[string]struct{ call, want string }{
		"born, wrapped, and answered": {`
handler
  update!put: lost
    store!lost
      client
  err?apitrace.error=put: lost
    status?apitrace.status.reason=NotFound
`, "born store lost, wrapped update put: lost, Status status NotFound"},
		"through a goroutine that returns no error": {`
handler
  wait!lost
    goroutine@
      work!lost
    result!lost
  err?apitrace.error=lost
`, "born work lost"},
		"turned into another error right away": {`
handler
  get!not found
    read!no key
    ,resource
      ,info
    interpret!not found
  err?apitrace.error=not found
`, "born read no key, turned interpret not found"},
		"an error long before is no reason": {`
handler
  create!invalid
    name!no name
    decode
    validate!invalid
  err?apitrace.error=invalid
`, "born validate invalid"},
		"wrapped by the handler itself": {`
handler
  decode!bad byte
  err?apitrace.error=cannot decode: bad byte
`, "born decode bad byte, wrapped handler cannot decode: bad byte"},
		"made by who answers": {`
authorization
  authorize
  err?apitrace.error=forbidden
    status?apitrace.status.reason=Forbidden
`, "born authorization forbidden, Status status Forbidden"},
	} {
		var steps []string
		tree := failed(t, test.call)
		path := errorPath(tree)
		if path == nil {
			t.Errorf("%s: no error path", name)
			continue
		}
		for _, s := range path.Steps {
			steps = append(steps, fmt.Sprintf("%s %s %s", s.Kind, strings.TrimLeft(tree.Call(s.Call).Function, "p.,"), s.Text))
		}
		if got := strings.Join(steps, ", "); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestNoErrorPath(t *testing.T) {
	answered := "handler\n  store!lost\n  err?apitrace.error=lost\n"
	tree := failed(t, answered)
	tree.Request.Status = 200
	if path := errorPath(tree); path != nil {
		t.Errorf("a request that succeeded has the error path %+v", path)
	}
	if path := errorPath(failed(t, "handler\n  store!lost\n")); path != nil {
		t.Errorf("a request whose handler noted no error has the error path %+v", path)
	}
}

// What decided nothing is folded in a short view of a request that succeeded.
func TestNormalErrorIsPlumbing(t *testing.T) {
	tree := outline(t, "root\n  a\n    plumbing!not mine\n  b!not mine\n")
	tree.Request.Status = 200
	if got, want := describe(NewView(tree, byName{}, Choice{})), "root\n  a below1\n  b origin\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
