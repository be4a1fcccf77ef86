package instrument

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// caused are the consequences of the events of the fixture: chains, by the revision of their event.
// "⇒" is work that was taken from a queue, below the call that gave it.
const caused = `
101 watch true
  store
    ⇒ listen (notices)
      Run.func1
        add
          (*queue[...]).Add
            ⇒ (*queue[...]).Get (jobs), also because of 102 (*queue[...]).Add, 103 (*queue[...]).Add
              sync1
                sync1.func1
                Run.func4
                  send
              (*queue[...]).Done

102 watch true
  store
    ⇒ listen (notices)
      Run.func2
        add
          (*queue[...]).Add

103 watch true
  store
    ⇒ listen (notices)
      Run.func3
        add
          (*queue[...]).Add

105 watch true
  store
    ⇒ listen (notices)
      Run.func4.1
        add
          (*queue[...]).Add
            ⇒ (*queue[...]).Get (jobs)
              sync1
                sync1.func1
              (*queue[...]).Done

106 watch true
  store
    ⇒ listen (notices)
      Run.func6
        add
          (*queue[...]).Add
            ⇒ (*queue[...]).Get (jobs)
              sync1
                sync1.func1
                later
                  (*queue[...]).AddAfter
                    ⇒ (*queue[...]).Add (timers)
                      ⇒ (*queue[...]).Get (jobs)
                        sync1
                          sync1.func1
                        (*queue[...]).Done
                  (*queue[...]).AddAfter
              (*queue[...]).Done

107 watch true
  store
    ⇒ listen (notices)
      startLoop

108 watch true
  store
    ⇒ listen (notices)
      Run.func7
        hand
          ⇒ startLoop.func1 (loop)
            work

109 watch true
  store
    ⇒ listen (notices)
      Run.func8
        set
          ⇒ publish (versions), also because of 109 set
            work
        set
        set

110 watch true
  store
    ⇒ listen (notices)
      Run.func9
        add
          (*queue[...]).Add
            ⇒ (*queue[...]).Get (jobs)
              finish
                sync1
                  sync1.func1
                (*queue[...]).Done

111 watch true
  store
    ⇒ listen (notices)
      Run.func10
        add
          (*queue[...]).Add
            ⇒ (*queue[...]).Get (jobs)
              sync1
                sync1.func1
              (*queue[...]).Done

112 watch true
  store
    ⇒ listen (notices)
      Run.func11
        (*queue[...]).Add

113 watch true
  store
    ⇒ listen (notices)
      Run.func12
        giveTurn
          ⇒ nextTurn (turns)
            work
            takeTurn.func1

114 watch true
  store
    ⇒ listen (notices)
      Run.func13
        giveTurn
          ⇒ nextTurn (turns)
            work
            takeTurn.func1
`

// startEvents starts the fixture as a program that works because of events. It returns the
// socket of its probe, and a function that makes events and waits until they are over.
func (f *fixture) startEvents(t *testing.T, bin string) (socket string, run func()) {
	t.Helper()
	socket, in, out := f.launch(t, bin, "", "FIXTURE_EVENTS=1")
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil { // its call tree
		t.Fatal(err)
	}
	return socket, func() {
		t.Helper()
		if _, err := in.Write([]byte{'\n'}); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || line != "over\n" {
			t.Fatalf("the fixture printed %q, %v, expected that its events are over", line, err)
		}
	}
}

func attr(r probe.Record, key string) string {
	for _, a := range r.Attrs {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// drawChains draws chains as caused has them.
func drawChains(records []probe.Record) string {
	var b bytes.Buffer
	byID := map[probe.SpanID]probe.Record{}
	for _, r := range records {
		byID[r.ID] = r
	}
	revision := func(r probe.Record) string {
		for r.Parent != 0 {
			r = byID[r.Parent]
		}
		return attr(r, "apitrace.etcd.revision")
	}
	name := func(r probe.Record) string { return strings.TrimPrefix(r.Function, "fixture.test/control.") }
	var draw func(depth int, parent probe.SpanID)
	draw = func(depth int, parent probe.SpanID) {
		for _, r := range records {
			if r.Parent != parent {
				continue
			}
			indent := strings.Repeat("  ", depth)
			if queue := attr(r, "apitrace.handoff"); queue != "" {
				fmt.Fprintf(&b, "%s⇒ %s (%s)", indent, name(r), queue)
			} else {
				fmt.Fprintf(&b, "%s%s", indent, name(r))
			}
			for i, id := range strings.Fields(attr(r, "apitrace.causes")) {
				of := slices.IndexFunc(records, func(r probe.Record) bool { return r.ID.String() == id })
				fmt.Fprintf(&b, "%s %s %s", []string{", also because of", ","}[min(i, 1)], revision(records[of]), name(records[of]))
			}
			b.WriteByte('\n')
			draw(depth+1, r.ID)
		}
	}
	chains := slices.DeleteFunc(slices.Clone(records), func(r probe.Record) bool { return r.Parent != 0 })
	slices.SortStableFunc(chains, func(a, b probe.Record) int { return cmp.Compare(revision(a), revision(b)) })
	for _, c := range chains {
		fmt.Fprintf(&b, "\n%s %s %s", revision(c), name(c), attr(c, "object"))
		b.WriteByte('\n')
		draw(1, c.ID)
	}
	return b.String()
}

func TestFixtureRecordsCauses(t *testing.T) {
	f := newFixture(t)
	header, records := f.follow(t, f.build(t))
	for _, m := range header.Mismatches {
		t.Errorf("the checking mode found a difference: %s", m)
	}
	if got := drawChains(records); got != caused {
		t.Errorf("what the fixture knows of the causes and the trace differ:\n%s", diff(t, []byte(caused), []byte(got)))
	}
}

// follow follows the events of the fixture, and returns the calls.
func (f *fixture) follow(t *testing.T, bin string) (probe.Header, []probe.Record) {
	t.Helper()
	socket, run := f.startEvents(t, bin)
	run() // nobody follows
	ask := func(q probe.Query) probe.Header {
		t.Helper()
		header, _ := fetch(t, socket, q)
		return header
	}
	header := ask(probe.Query{Trace: fixtureTrace, Follow: true})
	if header.Error != "" || header.Progress == nil || header.Progress.Begun != 0 {
		t.Fatalf("got %+v, expected a trace without calls", header)
	}
	other := strings.Repeat("f", 32)
	if header := ask(probe.Query{Trace: other, Follow: true}); header.Error == "" {
		t.Error("a second session may follow, expected an error")
	}
	run()
	testenv.Await(t, "all calls are over", func() bool {
		header = ask(probe.Query{Trace: fixtureTrace, Pending: true})
		return header.Progress.Begun > 0 && header.Progress.Begun == header.Progress.Over
	})
	var queued []string
	for _, q := range header.Progress.Queued {
		queued = append(queued, fmt.Sprintf("%s %s %t", q.Queue, q.Key, q.Due != 0))
	}
	if want := []string{"jobs never taken false", "timers much later true", "versions versions false"}; !slices.Equal(queued, want) {
		t.Errorf("in queues are %q, expected %q", queued, want)
	}
	_, peeked := fetch(t, socket, probe.Query{Trace: fixtureTrace, Peek: true})
	header, records := fetch(t, socket, probe.Query{Trace: fixtureTrace})
	if drawChains(peeked) != drawChains(records) {
		t.Errorf("before the end, the chains are\n%s\nand at the end\n%s", drawChains(peeked), drawChains(records))
	}
	if header.Undelivered != 0 || header.Dropped != 0 {
		t.Errorf("got %+v, expected no lost calls", header)
	}
	run() // nobody follows any more
	if header := ask(probe.Query{Trace: fixtureTrace, Pending: true}); header.Progress.Begun != 0 {
		t.Errorf("after the end, %d calls were recorded, expected none", header.Progress.Begun)
	}
	if header := ask(probe.Query{Trace: other, Follow: true}); header.Error != "" {
		t.Errorf("after the end, another session may not follow: %s", header.Error)
	}
	return header, records
}

// TestPlaceIsAStatement checks that a place that the program lacks is an error.
func TestPlaceIsAStatement(t *testing.T) {
	for _, test := range []struct {
		place Place
		want  string
	}{
		{Place{Before: "events <- nothing"}, `no statement "events <- nothing"`},
		{Place{Before: "case e := <-events"}, "cannot have code before it"},
		{Place{Before: "store(e, revision)", After: "store(e, revision)"}, "expected one of them"},
	} {
		g, err := load(os.DirFS("testdata/fixture"))
		if err != nil {
			t.Fatal(err)
		}
		test.place.Function, test.place.Key = "fixture.test/control.watch", "e"
		g.Programs["fixture"].Causes = []Hop{{Name: "bad", Give: []Place{test.place}}}
		vendor := filepath.Join(t.TempDir(), "vendor")
		if err := os.CopyFS(filepath.Join(vendor, "fixture.test"), os.DirFS("testdata/fixture")); err != nil {
			t.Fatal(err)
		}
		_, err = Rewrite(Options{Guide: g, Program: "fixture", Version: "v1.0.0", Vendor: vendor, Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with %+v, Rewrite returned %v, expected an error with %q", test.place, err, test.want)
		}
	}
}

// TestClientsShareEntries checks that the programs beside kube-apiserver have the same
// entries for the packages that they share. Otherwise, each program compiles them anew.
func TestClientsShareEntries(t *testing.T) {
	g, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	first := g.Programs["kube-controller-manager"]
	if len(first.Causes) == 0 || len(first.Sources) == 0 {
		t.Fatal("kube-controller-manager has no causes or sources")
	}
	for _, name := range []string{"kube-scheduler", "hollow-kubelet"} {
		p := g.Programs[name]
		if !reflect.DeepEqual(p.Exits, first.Exits) || !reflect.DeepEqual(p.Sources, first.Sources) {
			t.Errorf("exits or sources of %s differ from those of kube-controller-manager", name)
		}
		shared := p.Causes[:min(len(p.Causes), len(first.Causes))]
		if !reflect.DeepEqual(shared, first.Causes) {
			t.Errorf("the first causes of %s differ from those of kube-controller-manager", name)
		}
		for _, h := range p.Causes[len(shared):] {
			for _, place := range append(slices.Clone(h.Give), h.Take...) {
				for _, shared := range first.Packages {
					if shared.Covers(funcname.Package(place.Function)) {
						t.Errorf("%s has %s of its own in a package that kube-controller-manager has, too", name, place.Function)
					}
				}
			}
		}
	}
}

// TestUnlinked checks the releases in which events can be followed.
func TestUnlinked(t *testing.T) {
	g, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"v1.30.4": "", "v1.34.1": "scheduling", "v1.37.1": ""} {
		if queue := g.Unlinked(version); queue != want {
			t.Errorf("%s: Unlinked returned %q, expected %q", version, queue, want)
		}
	}
}
