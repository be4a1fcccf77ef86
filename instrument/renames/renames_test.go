package renames

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/lineage"
)

const body = `{
	if err := check(in); err != nil {
		return nil, fmt.Errorf("creating %v: %w", in, err)
	}
	out := make(map[string]int, len(in))
	for i, s := range in {
		out[strings.ToLower(s)] = i * 2
	}
	log.Println("created", len(out))
	return out, nil
}
`

const other = `{
	server, handler := http.NewServeMux(), newHandler()
	server.Handle("/healthz", handler)
	for path, h := range handlers() {
		server.Handle(path, wrapped(h))
	}
	go http.ListenAndServe(":80", server)
	select {}
}
`

const third = `{
	m.lock.Lock()
	defer m.lock.Unlock()
	for _, name := range in {
		delete(m.known, name)
		m.waiting <- event{name, time.Now()}
	}
}
`

const fourth = `{
	if !b || m.stopped.Load() {
		panic("stopped")
	}
	select {
	case e := <-m.waiting:
		process(e.name, e.at)
	case <-time.After(time.Second):
		retry()
	}
}
`

func read(t *testing.T, release string, files map[string]string) *Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Read(release, dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBetween(t *testing.T) {
	before := read(t, "v1.1.0", map[string]string{
		"k8s.io/a/a.go": "package a\nfunc Old(in []string) (map[string]int, error) " + body +
			"func Inner() " + other + "func Outer() { Inner() }\nfunc Lost(n int) int { return n*n*n + 1 }\nfunc Caller() { Lost(1) }\n" +
			"type Master struct{ A int }\nfunc (m *Master) One(in []string) " + third + "func (m *Master) Two(b bool) " + fourth,
		"k8s.io/e/e.go": "package e\ntype inner struct{}\ntype Outer struct{ *inner }\nfunc (i *inner) Run() { begin(i) }\nfunc (o Outer) Stop() { o.inner.log() }\n" +
			"type Cache struct{}\nfunc (m *Cache) Get() " + strings.TrimSuffix(third, "}\n") + strings.TrimPrefix(other, "{\n"),
		"k8s.io/plugin/x/x.go": "package x\nfunc Register(p *Plugins) { p.Add(\"x\", New) }\nfunc Stay() {}",
		"k8s.io/plugin/z/z.go": "package z\nfunc Register(p *Plugins) { p.Add(\"z\", New) }\n",
		"k8s.io/plugin/w/w.go": "package w\nfunc Register(p *Plugins) { p.Add(\"w\", New) }\n",
		"k8s.io/a/a_test.go":   "package a\nfunc TestA() {}",
	})
	after := read(t, "v1.2.0", map[string]string{
		"k8s.io/a/a.go": "package a\nfunc New(in []string) (map[string]int, error) " + strings.Replace(body, "created", "made", 1) +
			"func Outer() " + strings.Replace(other, "{\n", "{\nprepare()\n", 1) + "func Caller() { println() }\n" +
			"type Instance struct{ B string; C string; D string }\nfunc (i *Instance) One(in []string) " + strings.ReplaceAll(third, "m.", "i.") + "func (i *Instance) Two(b bool) " + strings.ReplaceAll(fourth, "m.", "i."),
		"k8s.io/e/e.go": "package e\ntype inner struct{}\ntype Outer struct{ *inner }\nfunc (o Outer) Run() { o.inner.start(1, 2); watch(o) }\nfunc (i *inner) Stop() { forget() }\n" +
			"type Cache struct{}\nfunc (m *Cache) Get() " + other + "type Delegator struct{}\nfunc (d *Delegator) Get() " + third,
		"k8s.io/plugin/x/x.go": "package x\nfunc Stay() {}",
		"k8s.io/plugin/y/y.go": "package y\nfunc Register(p *Plugins) { p.Add(\"y\", New) }\n",
		"k8s.io/plugin/z/z.go": "package z\nfunc Register(p *Plugins) { p.Add(\"z\", New) }\n",
		"k8s.io/plugin/w/w.go": "package w\nfunc Register(p *Plugins) { p.Add(\"w\", New) }\n",
	})
	got := map[string]lineage.Change{}
	for _, c := range changesBetween(before, after) {
		got[c.From] = c
	}
	for from, want := range map[string]struct {
		fate lineage.Fate
		to   string
	}{
		"k8s.io/a.Old":             {lineage.Renamed, "k8s.io/a.New"},
		"k8s.io/a.Inner":           {lineage.Folded, "k8s.io/a.Outer"},
		"k8s.io/a.Lost":            {lineage.Gone, ""},
		"k8s.io/a.Master":          {lineage.Renamed, "k8s.io/a.Instance"},
		"k8s.io/a.(*Master).One":   {lineage.Renamed, "k8s.io/a.(*Instance).One"},
		"k8s.io/e.(*inner).Run":    {lineage.Renamed, "k8s.io/e.Outer.Run"},
		"k8s.io/e.Outer.Stop":      {lineage.Renamed, "k8s.io/e.(*inner).Stop"},
		"k8s.io/e.(*Cache).Get":    {lineage.Extracted, "k8s.io/e.(*Delegator).Get"},
		"k8s.io/plugin/x.Register": {lineage.Gone, ""}, // the Register of another plugin is not its successor
	} {
		c, ok := got[from]
		if !ok || c.Fate != want.fate || strings.Join(c.To, " ") != want.to {
			t.Errorf("%s: %+v, expected fate %d and %q", from, c, want.fate, want.to)
		}
	}
	for from, through := range map[string]string{"k8s.io/e.(*inner).Run": "k8s.io/e.Outer", "k8s.io/e.Outer.Stop": "k8s.io/e.Outer"} {
		if c := got[from]; c.Through != through {
			t.Errorf("%s: called through %q, expected %q", from, c.Through, through)
		}
	}
	if c := got["k8s.io/a.Lost"]; len(c.Callers) != 1 || c.Callers[0] != "k8s.io/a.Caller" {
		t.Errorf("the callers of Lost are %q, expected Caller", c.Callers)
	}
}

// TestUnread checks that a function is not reported as removed if its module was not
// available for a release.
func TestUnread(t *testing.T) {
	files := map[string]string{"k8s.io/a/a.go": "package a\nfunc F() {}", "k8s.io/b/b.go": "package b\nfunc G(n int) {}\n"}
	var b Builder
	for _, release := range []string{"v1.1.0", "v1.2.0", "v1.3.0"} {
		s := read(t, release, files)
		if release == "v1.2.0" {
			s = read(t, release, map[string]string{"k8s.io/a/a.go": files["k8s.io/a/a.go"]})
			s.Unread = []string{"k8s.io/b"}
		}
		if err := b.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	l := b.Library()
	stages := l.Follow(lineage.Function, "k8s.io/b.G")
	if len(l.Changes) > 0 || len(stages) != 1 || stages[0].First != 0 || stages[0].Last != 2 || stages[0].Signature != "(n int)" {
		t.Errorf("got the changes %+v and the stages %+v, expected no change, and one stage from the first release to the last", l.Changes, stages)
	}
	if l.Has(lineage.Function, "k8s.io/b.G", "v1.2.0") {
		t.Error("Has reports that v1.2.0 has a function of a module that was not read")
	}
}
