package diff

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want string
	}{
		{"no difference", "p.A\n p.B\n p.B\n  p.C", "p.A\n p.B\n p.B\n  p.C", ""},
		{"added", "p.A\n p.B", "p.A\n p.B\n p.C\n  p.D", "added p.C (2 calls)"},
		{"removed", "p.A\n p.B\n  p.C\n p.D", "p.A\n p.D", "removed p.B (2 calls)"},
		{
			"an init in an earlier file shifts the numbers of the others",
			"r.main\n v1.init.0 file=v1/register.go\n v1.init.1 file=v1/zz.go\n  v1.Z",
			"r.main\n v1.init.0 file=v1/aa.go\n v1.init.1 file=v1/register.go\n v1.init.2 file=v1/zz.go\n  v1.Z",
			"added v1.init.0",
		},
		{
			"the second init of a file is removed, and the package of another one differs",
			"r.main\n v1.init.0 file=v1/register.go\n v1.init.1 file=v1/register.go\n v2.init.0 file=v2/register.go",
			"r.main\n v1.init.0 file=v1/register.go\n v3.init.0 file=v3/register.go",
			"removed v1.init.1\nremoved v2.init.0\nadded v3.init.0",
		},
		{
			"a new filter around everything",
			"p.A\n p.B\n  p.C\n  p.C\n  p.D\n   p.E",
			"p.New\n p.A\n  p.B\n   p.C\n   p.C\n   p.D\n    p.E",
			"added p.New around",
		},
		{
			"a new filter in between; its function is called elsewhere as well",
			"p.A\n q.Wrap\n  p.X\n p.B\n  p.C\n  p.C",
			"p.A\n q.Wrap\n  p.X\n q.Wrap\n  p.B\n   p.C\n   p.C",
			"added q.Wrap around",
		},
		{
			"one more level of a function that calls itself",
			"p.A\n p.U\n  p.U\n   p.X",
			"p.A\n p.U\n  p.U\n   p.U\n    p.X",
			"added p.U around",
		},
		{
			"a removed filter",
			"p.A\n q.Old\n  p.B\n   p.C\n   p.C",
			"p.A\n p.B\n  p.C\n  p.C",
			"removed q.Old around",
		},
		{
			"moved to another caller",
			"p.A\n p.P\n  p.M\n   p.N\n p.Q\n  p.R",
			"p.A\n p.P\n p.Q\n  p.R\n  p.M\n   p.N",
			"moved p.M from p.P to p.Q",
		},
		{
			"calls one level higher have moved; their old caller has not",
			"p.A\n p.G\n  p.S\n   p.K\n   p.L\n   p.M",
			"p.A\n p.G\n  p.W\n   p.S\n    p.M\n   p.K\n   p.L",
			"added p.W around\nmoved p.K from p.S to p.W\nmoved p.L from p.S to p.W",
		},
		{
			"an equal call with other values elsewhere is another call",
			"p.A\n p.P\n  p.M\n   p.N resource=pods\n   p.O\n p.Q\n  p.R",
			"p.A\n p.P\n p.Q\n  p.R\n  p.M\n   p.N resource=nodes\n   p.O\n  p.M\n   p.N resource=leases\n   p.O\n  p.M\n   p.N resource=events\n   p.O",
			"removed p.M (3 calls)\nadded p.M x3 (9 calls)",
		},
		{
			"values distinguish the calls: one removed, one added",
			"p.A\n p.Route path=/a\n p.Route path=/b\n p.Route path=/c\n p.Route path=/old",
			"p.A\n p.Route path=/a\n p.Route path=/b\n p.Route path=/c\n p.Route path=/new",
			"removed p.Route\nadded p.Route",
		},
		{
			"two filters changed places",
			"p.A\n p.F\n  p.G\n   p.H\n    p.I",
			"p.A\n p.G\n  p.F\n   p.H\n    p.I",
			"moved p.F from p.A to p.G",
		},
		{
			"renamed: another receiver in the same place",
			"registry.(*DryRun).Get\n cacher.(*Cacher).Get file=cacher/cacher.go\n  etcd3.(*store).Get\n   p.X",
			"registry.(*DryRun).Get\n cacher.(*CacheDelegator).Get file=cacher/delegator.go\n  etcd3.(*store).Get\n   p.X",
			"renamed cacher.(*Cacher).Get cacher.(*CacheDelegator).Get",
		},
		{
			"renamed, with a new call below that has a similar place",
			"registry.(*DryRun).Get\n cacher.(*Cacher).Get\n  etcd3.(*store).Get\n   p.X",
			"registry.(*DryRun).Get\n cacher.(*CacheDelegator).Get\n  etcd3.(*corruptObjectDeleter).Get\n   etcd3.(*store).Get\n    p.X",
			"renamed cacher.(*Cacher).Get cacher.(*CacheDelegator).Get\nadded etcd3.(*corruptObjectDeleter).Get around",
		},
		{
			"moved to another package",
			"p.A\n go.example/etcd/mvcc.(*store).Read file=go.example/etcd/mvcc/kv.go\n  p.X\n go.example/etcd/mvcc.(*index).Get file=go.example/etcd/mvcc/index.go",
			"p.A\n go.example/etcd/storage/mvcc.(*store).Read file=go.example/etcd/storage/mvcc/kv.go\n  p.X\n go.example/etcd/storage/mvcc.(*index).Get file=go.example/etcd/storage/mvcc/index.go",
			"renamed mvcc.(*store).Read mvcc.(*store).Read\nrenamed mvcc.(*index).Get mvcc.(*index).Get",
		},
		{
			"moved to another file",
			"p.A\n p.B file=p/old.go",
			"p.A\n p.B file=p/new.go",
			"renamed p.B p.B",
		},
		{
			"a new literal has the number of an old one",
			"p.A\n p.F.func1\n  p.X\n  p.Y",
			"p.A\n p.F.func1\n  p.Z\n p.F.func2\n  p.X\n  p.Y",
			"added p.F.func1 (2 calls)",
		},
		{
			"a new literal before literals with the same callee, called once or twice",
			"p.A\n p.F.func1\n  p.S\n p.F.func2\n  p.S\n  p.S\n p.F.func3\n  p.S",
			"p.A\n p.F.func1\n  p.Z\n p.F.func2\n  p.S\n p.F.func3\n  p.S\n  p.S\n p.F.func4\n  p.S",
			"added p.F.func1 (2 calls)",
		},
		{
			"a filter in another place, with other neighbors",
			"p.A\n p.F.func1\n  p.G\n   p.H\n    p.I",
			"p.A\n p.G\n  p.H\n   p.F.func1\n    p.I",
			"moved p.F.func1 from p.A to p.H",
		},
		{
			"two filters of one function in another place",
			"p.A\n p.G\n  p.F.func1\n  p.F.func2\n   p.H\n    p.I\n     p.J\n      p.K",
			"p.A\n p.G\n  p.H\n   p.I\n    p.F.func1\n    p.F.func2\n     p.J\n      p.K",
			"moved p.F.func1 from p.G to p.I\nmoved p.F.func2 from p.G to p.I",
		},
		{
			"a filter with other neighbors and many more calls below it",
			"p.A\n p.F.func1\n  p.G\n   p.H\n    p.I\n     p.J",
			"p.A\n p.New\n  p.F.func1\n   p.Other\n    p.G\n     p.H\n      p.I\n       p.J\n        p.K\n         p.L\n          p.M\n           p.N\n            p.O\n             p.P\n              p.Q",
			"added p.New around\nadded p.Other around\nadded p.K (7 calls)",
		},
		{
			"a literal with the number of another literal is another function",
			"p.A\n p.F.func2\n  p.G\n   p.H\n    p.I\n     p.J",
			"p.A\n p.Handle\n  p.G\n   p.H\n    p.I\n     p.J\n      p.F.func2",
			"renamed p.F.func2 p.Handle\nadded p.F.func2",
		},
		{
			"a literal of a renamed function",
			"p.A\n p.getThing\n  p.getThing.func1\n   p.X",
			"p.A\n p.GetThing\n  p.GetThing.func1\n   p.X",
			"renamed p.getThing p.GetThing\nrenamed p.getThing.func1 p.GetThing.func1",
		},
		{
			"called more often",
			"p.A\n p.L\n  p.X\n p.L\n  p.X\n p.Z",
			"p.A\n p.L\n  p.X\n p.L\n  p.X\n p.L\n  p.X\n p.L\n  p.X\n p.Z",
			"repeated p.L 2 -> 4",
		},
		{
			"called less often",
			"p.A\n p.L\n p.L\n p.L",
			"p.A\n p.L",
			"repeated p.L 3 -> 1",
		},
		{
			"a new loop is one addition",
			"p.A\n p.Z",
			"p.A\n p.L\n  p.X\n p.L\n  p.X\n p.L\n  p.X\n p.Z",
			"added p.L x3 (6 calls)",
		},
		{
			"one more pass of a loop, with a new call in it",
			"p.A\n p.Plugin admission=a\n  a.Admit\n p.Plugin admission=b\n  b.Admit",
			"p.A\n p.Plugin admission=a\n  a.Admit\n p.Plugin admission=c\n  c.Admit\n p.Plugin admission=b\n  b.Admit",
			"added p.Plugin (2 calls)",
		},
		{
			"reordered",
			"p.A\n p.B\n  p.X\n p.C\n p.D",
			"p.A\n p.C\n p.D\n p.B\n  p.X",
			"reordered p.B",
		},
		{
			"goroutines have no order",
			"p.A\n p.B go=1\n p.C go=1",
			"p.A\n p.C go=1\n p.B go=1",
			"",
		},
		{
			"calls on two goroutines that exist already have no order",
			"p.A\n p.B\n p.C\n p.D goroutine=2\n  p.X goroutine=2",
			"p.A\n p.B\n p.D goroutine=3\n  p.X goroutine=3\n p.C",
			"",
		},
		{
			"reordered on a goroutine that exists already",
			"p.A\n p.B\n p.C goroutine=2\n p.D goroutine=2",
			"p.A\n p.D goroutine=3\n p.C goroutine=3\n p.B",
			"reordered p.C",
		},
		{
			"another value",
			"p.A\n p.B apitrace.media_type=application/json",
			"p.A\n p.B apitrace.media_type=application/cbor",
			"value p.B apitrace.media_type: application/json -> application/cbor",
		},
		{
			"values that vary between runs, and a value that only one side records",
			"p.A\n p.B apitrace.etcd.revision=7 apitrace.kind=Node",
			"p.A\n p.B apitrace.etcd.revision=9",
			"",
		},
		{
			"a part of a value that varies between runs, and more blanks",
			"p.A\n p.B apitrace.etcd.txn.compare=target:MOD\u00a0mod_revision:302",
			"p.A\n p.B apitrace.etcd.txn.compare=target:MOD\u00a0\u00a0mod_revision:2801",
			"",
		},
		{
			"a transaction of another shape",
			"p.A\n p.B apitrace.etcd.txn.compare=mod_revision:302",
			"p.A\n p.B apitrace.etcd.txn.compare=mod_revision:0",
			"value p.B apitrace.etcd.txn.compare: mod_revision:302 -> mod_revision:0",
		},
		{
			"values show which of several calls was removed",
			"p.A\n p.Route path=/a\n  p.X\n p.Route path=/old\n  p.X\n p.Route path=/b\n  p.X",
			"p.A\n p.Route path=/a\n  p.X\n p.Route path=/b\n  p.X\n p.Route path=/c\n  p.X\n p.Route path=/d\n  p.X",
			"removed p.Route (2 calls)\nadded p.Route (2 calls)\nadded p.Route (2 calls)",
		},
		{
			"one value changed; the others show that the call is the same",
			"p.A\n p.H plugin=a type=x op=c\n p.H plugin=b type=y op=c",
			"p.A\n p.H plugin=new type=z op=c\n p.H plugin=a type=x op=c\n p.H plugin=b type=moved.y op=c",
			"added p.H\nvalue p.H type: y -> moved.y",
		},
		{
			"a number and a word as the same value do not distinguish calls",
			"p.A\n p.P\n  p.Decide decision=1 reason=admin\n p.Q",
			"p.A\n p.P\n p.Q\n  p.Decide decision=Allow reason=admin",
			"moved p.Decide from p.P to p.Q",
		},
		{
			"the same value changed in all calls",
			"p.A\n p.Get type=old\n p.Get type=old",
			"p.A\n p.Get type=new\n p.Get type=new",
			"value p.Get type: old -> new\nvalue p.Get type: old -> new",
		},
		{
			"values distinguish the calls, though one side records more values",
			"p.A\n p.W\n  p.Plugin type=a\n  p.Plugin type=b\n p.W\n  p.Plugin type=a\n  p.Plugin type=b",
			"p.A\n p.W\n  p.Plugin type=new ok=1\n  p.Plugin type=a ok=1\n  p.Plugin type=b ok=1\n p.W\n  p.Plugin type=a ok=1\n  p.Plugin type=b ok=1",
			"added p.Plugin",
		},
		{
			"a call failed",
			"p.A\n p.B",
			"p.A\n p.B error=boom",
			"value p.B error:  -> boom",
		},
		{
			"another function below a call in etcd",
			"p.A\n etcd.X\n  p.B",
			"p.A\n etcd.X\n  p.C",
			"removed p.B\nadded p.C",
		},
		{
			"a function with the same name in another process",
			"p.A\n p.B",
			"p.A\n p.B process=etcd",
			"removed p.B\nadded p.B",
		},
		{
			"nothing in common",
			"p.A\n p.B",
			"q.Other\n q.Something",
			"removed p.A (2 calls)\nadded q.Other (2 calls)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := treeOf(t, test.a), treeOf(t, test.b)
			if diff := cmp.Diff(test.want, changesText(compare(a, b, Options{}))); diff != "" {
				t.Errorf("changes, -want +got:\n%s", diff)
			}
			checkLaws(t, a, b)
		})
	}
}

// checkLaws checks laws that hold for any two traces.
func checkLaws(t interface {
	Helper()
	Fatalf(string, ...any)
}, a, b *trace.Tree) {
	t.Helper()
	d, back := compare(a, b, Options{}), compare(b, a, Options{})
	if diff := cmp.Diff(d.InB, back.InA); diff != "" {
		t.Fatalf("compare(b, a) pairs other calls than compare(a, b): -compare(a, b) +compare(b, a)\n%s", diff)
	}
	if diff := cmp.Diff(sorted(d.Changes), sorted(mirrorAll(back.Changes))); diff != "" {
		t.Fatalf("compare(b, a) finds other changes than compare(a, b): -compare(a, b) +compare(b, a)\n%s", diff)
	}
	got, err := apply(a, d.Script())
	if err != nil {
		t.Fatalf("applying the script: %v", err)
	}
	if diff := cmp.Diff(textOf(b.Request.Calls), textOf(got)); diff != "" {
		t.Fatalf("the script does not turn a into b: -b +got\n%s", diff)
	}
	if self := compare(a, a, Options{}); len(self.Changes) > 0 || len(self.Script()) > 0 {
		t.Fatalf("comparing a trace with itself: got changes or edits, expected none:\n%s", changesText(self))
	}
}

func mirrorAll(changes []Change) []Change {
	var all []Change
	for _, c := range changes {
		all = append(all, c.mirror())
	}
	return all
}

// sorted writes changes in an order that both directions share.
func sorted(changes []Change) []string {
	var all []string
	for _, c := range changes {
		all = append(all, fmt.Sprintf("%+v", c))
	}
	slices.Sort(all)
	return all
}
