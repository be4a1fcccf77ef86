package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// failed makes a failed request from calls in the format of outline.
// "?name=value&…" behind a name sets attributes. Each call is made from a line
// of its own. A call with a "," before its name is an argument of the next
// call without a ",", and is made from the line of that call.
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
		var attributes string
		call.Function, attributes, _ = strings.Cut(call.Function, "?")
		call.Attributes = map[string]string{}
		for attribute := range strings.SplitSeq(attributes, "&") {
			if name, value, ok := strings.Cut(attribute, "="); ok {
				call.Attributes[name] = value
			}
		}
	}
	return tree
}

// TestErrorFilter checks which calls the filter for errors selects, and that the calls that
// it leaves out in the default view are the other ones of the full view.
func TestErrorFilter(t *testing.T) {
	tree := failed(t, `
handler
  update!put: lost
    store!lost
    again!lost
      deeper!lost
    retry!busy
  look!unknown
  err?apitrace.error=put: lost
    status?apitrace.status.reason=NotFound
`)
	names := func(choice Choice) (string, *View) {
		v := NewView(tree, viewtest.ByName{}, choice)
		var all []string
		var collect func(n *Node)
		collect = func(n *Node) {
			for _, i := range n.Calls {
				all = append(all, strings.TrimPrefix(tree.Call(i).Function, "p."))
			}
			for _, child := range n.Children {
				collect(child)
			}
		}
		collect(v.Root)
		return strings.Join(all, " "), v
	}
	few, v := names(Choice{Filter: Filter{Errors: true}})
	if want := "handler update store again deeper status"; few != want || v.Matching != 5 || v.Handled != 2 {
		t.Errorf("got %s, %d calls that match and %d others, expected %s, 5 and 2", few, v.Matching, v.Handled, want)
	}
	all, full := names(Choice{Full: true, Filter: Filter{Errors: true}})
	if want := "handler update store again deeper retry look status"; all != want || full.Matching != v.Matching+v.Handled {
		t.Errorf("the full view: got %s, %d calls that match, expected %s, and 7 as the sum of the default view", all, full.Matching, want)
	}
}

// TestLineOfError checks that a step has the line at which its call made the error, if the
// recording has a call that made it there.
func TestLineOfError(t *testing.T) {
	tree := failed(t, `
handler
  wrap!put: lost
    store!lost
      client
      NewLost!lost
    NewPut!put: lost
  err?apitrace.error=put: lost
`)
	path := ErrorPathOf(tree, viewtest.ByName{})
	var got []string
	for _, step := range path.Steps {
		got = append(got, step.says().String())
	}
	if said := strings.Join(got, ", "); said != "error born at line 5, wrapped at line 6" {
		t.Errorf("got %q, expected the lines of the two calls of a constructor", said)
	}
	path = ErrorPathOf(failed(t, "\nhandler\n  store!lost\n    client\n  err?apitrace.error=lost\n"), viewtest.ByName{})
	if said := path.Steps[0].says().String(); said != "error born in this function" {
		t.Errorf("without a call of a constructor: got %q, expected no line", said)
	}
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
		"replaced by the next call": {`
handler
  get!not found
    read!no key
    ,resource
      ,info
    interpret!not found
  err?apitrace.error=not found
`, "born read no key, turned interpret not found"},
		"replaced by a call with arguments, after metrics were recorded": {`
handler
  list!too old
    client!compacted
    k8s/metrics.RecordRequest
    interpret!too old
      interpretPage!too old
  err?apitrace.error=too old
`, "born client compacted, turned interpretPage too old"},
		"an earlier error that was handled": {`
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
		"replaced by the caller": {`
handler
  apply!conflict
    merge!two owners
    Newconflict!conflict
  err?apitrace.error=conflict
`, "born merge two owners, turned apply conflict"},
		"a constructor decides nothing": {`
handler
  admit?apitrace.admission.plugin=Lifecycle!closing
    get
    NewForbidden!closing
  err?apitrace.error=closing
`, "born admit closing, refused admit Lifecycle"},
		"no error, but nobody allowed it": {`
filter
  union?apitrace.authorization.decision=NoOpinion
    bindings?apitrace.rbac.bindings=7
  NewResponse
    err?apitrace.error=forbidden
`, "denied union decision=NoOpinion, nobody allowed it (RBAC: none of 7 bindings applies to the user), born filter forbidden"},
		"no rule allows it": {`
filter
  union?apitrace.authorization.decision=Allow
  union?apitrace.authorization.decision=NoOpinion
    rule?apitrace.rbac.allowed=false&apitrace.rbac.binding=RoleBinding a
    rule?apitrace.rbac.allowed=false
  err?apitrace.error=forbidden
`, "denied union decision=NoOpinion, nobody allowed it (RBAC: none of 2 rules covers it, from RoleBinding a), born filter forbidden"},
		"an authenticator failed": {`
filter
  union?apitrace.authentication.ok=false!bad token
    bearer?apitrace.authentication.ok=false!bad token
  unauthorized
    err?apitrace.error=Unauthorized
`, "born bearer bad token, turned unauthorized Unauthorized"},
		"one authenticator failed, the next one accepted": {`
filter
  union?apitrace.authentication.ok=true
    bearer?apitrace.authentication.ok=false!bad token
  union?apitrace.authorization.decision=1
    rbac?apitrace.authorization.decision=2
  handler
    err?apitrace.error=not found
`, "born handler not found"},
		"a decision in another layer": {`
handler
  admit
    authz/union?apitrace.authorization.decision=NoOpinion
  err?apitrace.error=bad options
`, "born handler bad options"},
		"metrics between the refusal and the answer": {`
filter
  union?apitrace.authentication.ok=false!bad token
    bearer?apitrace.authentication.ok=false!bad token
  metrics
  completed
    record
    unauthorized
      err?apitrace.error=Unauthorized
`, "born bearer bad token, turned unauthorized Unauthorized"},
		"an authorizer refused below the call that made the error": {`
filter
  check!jane is forbidden
    union?apitrace.authorization.decision=2
      bindings?apitrace.rbac.bindings=0
  err?apitrace.error=jane is forbidden
`, "denied union decision=NoOpinion, nobody allowed it (RBAC: there are no bindings), born check jane is forbidden"},
		"a call failed right before the answer": {`
dispatch
  dispatch.func3
    select!404: Page Not Found
  filters
    answer
      err?apitrace.error=no such resource
`, "born select 404: Page Not Found, turned answer no such resource"},
		"a call succeeded right before the answer": {`
dispatch
  select!404: Page Not Found
  default
  answer
    err?apitrace.error=no such resource
`, "born answer no such resource"},
		"passed to a later call, which wrapped it": {`
handler
  decode!bad byte
  look
  explain!the body cannot be decoded: bad byte
  err?apitrace.error=the body cannot be decoded: bad byte
`, "born decode bad byte, wrapped explain the body cannot be decoded: bad byte"},
		"answered without an error": {`
handler
  mux
    w.(*writer).WriteHeader
      w.(*inner).WriteHeader
`, "answered mux 404"},
		"several errors in one": {`
handler
  create!invalid: [a, b]
    validate![a, b]
      metadata
      spec!b
  err?apitrace.error=invalid: [a, b]
`, "born spec b, wrapped validate [a, b], wrapped create invalid: [a, b]"},
		"made by the function that answers": {`
authorization
  authorize
  err?apitrace.error=forbidden
    status?apitrace.status.reason=Forbidden
`, "born authorization forbidden, Status status Forbidden"},
	} {
		var steps []string
		tree := failed(t, test.call)
		path := ErrorPathOf(tree, viewtest.ByName{})
		if path == nil {
			t.Errorf("%s: got no error path, expected one", name)
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
	if path := ErrorPathOf(tree, viewtest.ByName{}); path != nil {
		t.Errorf("a successful request: got the error path %+v, expected none", path)
	}
	if path := ErrorPathOf(failed(t, "handler\n  store!lost\n"), viewtest.ByName{}); path != nil {
		t.Errorf("a failed request in which no call recorded the error of the answer: got the error path %+v, expected none", path)
	}
}

// TestNormalErrorIsPlumbing checks that the default view of a successful
// request folds a call with an error, unless the call is a key step.
func TestNormalErrorIsPlumbing(t *testing.T) {
	tree := outline(t, "root\n  a\n    plumbing!not mine\n  b!not mine\n")
	tree.Request.Status = 200
	if got, want := describe(NewView(tree, viewtest.ByName{}, Choice{})), "root\n  a below1\n  b origin\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
