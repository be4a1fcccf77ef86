package search

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

var update = flag.Bool("update", false, "make the index anew from the recordings")

// TestNear checks that a search that finds nothing suggests similar searches that find something.
func TestNear(t *testing.T) {
	pages := []Page{{Kind: Lesson, Name: "06-watch", Title: "Watch"}}
	for query, want := range map[string]string{
		"wacth":               `or search for "watch"`,
		"validatig admission": `or search for "`,
		"lables frobnicated":  `or search for "labels"`,
		"xyzzyplugh":          "",
	} {
		_, err := Query{Text: query, Pages: pages}.Find()
		if err == nil || !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "or search for") {
			t.Errorf("%q: got the error %v, expected %q", query, err, want)
		}
	}
}

// TestLines finds the function of a line: where it begins, after it without a source, and with
// one. The nearest beginning comes first.
func TestLines(t *testing.T) {
	visit, rbac := "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac.(*authorizingVisitor).visit", "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/rbac.go"
	said := func(query, release string, enclosing Enclosing) (all []string) {
		t.Helper()
		found, err := FindLines(query, release, enclosing)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range found {
			if l.Function == visit && len(l.Scenarios) == 0 {
				t.Errorf("%s: no scenario calls %s", query, l.Function)
			}
			all = append(all, l.Function+" "+l.Says().String())
		}
		return all
	}
	source := func(program, release, file string, line int) (string, int, error) {
		switch {
		case program != "kube-apiserver" || release != "v1.37.1" || file != rbac:
			return "", 0, errors.New("no source")
		case line == 67:
			return visit, 66, nil
		}
		return "", 0, nil // between functions
	}
	before := visit + " the recorded function that begins last before line 67 of rbac/rbac.go in %s, in line %d; without the source, it is not known where it ends"
	for _, c := range []struct {
		query, release string
		enclosing      Enclosing
		want           []string
	}{
		{"rbac.go:66", "", nil, []string{visit + " begins in line 66 of rbac/rbac.go in v1.37.1"}},
		{"rbac/rbac.go:67", "", nil, []string{fmt.Sprintf(before, "v1.37.1", 66)}},
		{rbac + ":67", "v1.31.0", source, []string{fmt.Sprintf(before, "v1.31.0", 63)}},
		{"rbac.go:67", "", source, []string{visit + " has line 67 of rbac/rbac.go in v1.37.1; it begins in line 66"}},
		{"rbac.go:65", "", source, nil},
		{"bac.go:67", "", nil, nil},
		{"rbac.go:0", "", nil, nil},
		{"rbac.go:x", "", nil, nil},
	} {
		if got := said(c.query, c.release, c.enclosing); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: got %q, expected %q", c.query, c.release, got, c.want)
		}
	}
	if several := said("store.go:300", "", nil); len(several) < 2 {
		t.Errorf("store.go:300: got %q, expected the functions of several files", several)
	}
	found, err := Query{Text: "rbac.go:67", Release: "v1.37.1"}.Find()
	if err != nil || len(found.Lines) != 1 {
		t.Errorf("a query for a line: got %+v, %v, expected one function", found, err)
	}
}

// TestTitlesFirst checks that the page about a text stands before everything else.
func TestTitlesFirst(t *testing.T) {
	pages := []Page{
		{Kind: Exercise, Name: "whose-watch", Title: "Whose watch"},
		{Kind: Lesson, Name: "06-watch", Title: "Watch"},
		{Kind: Document, Name: "docs/other.md", Title: "Other", Headings: []string{"About watch"}},
	}
	found, err := Query{Text: "watch", Pages: pages}.Find()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := found.Write(&out, 3, message.For("en")); err != nil {
		t.Fatal(err)
	}
	first := "to read:\nlesson: Watch\n  apitrace workshop lesson 06-watch\n\n"
	if text := out.String(); !strings.HasPrefix(text, first) || strings.Count(text, "06-watch") != 1 || !strings.Contains(text[len(first):], "whose-watch") {
		t.Errorf("got\n%s\nexpected the lesson first, and the exercise later", text)
	}
}

func TestUpdateIndex(t *testing.T) {
	if !*update {
		t.Skip("-update makes the index anew")
	}
	x, err := newIndex()
	if err != nil {
		t.Fatal(err)
	}
	data, err := x.pack()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("data/index.zst", data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestIndexIsOfTheRecordings checks that the index has the embedded recordings, and
// the same texts as a sample of them.
func TestIndexIsOfTheRecordings(t *testing.T) {
	x, err := library()
	if err != nil {
		t.Fatal(err)
	}
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var places []Place
	for _, info := range infos {
		for _, scenario := range info.Scenarios {
			places = append(places, Place{info.K8sVersion, scenario})
		}
	}
	if !slices.Equal(places, x.places) {
		t.Fatalf("the index has %d recordings, expected the %d embedded recordings: run \"go test ./trace/search -update\"", len(x.places), len(places))
	}
	for at, place := range places {
		if place.Scenario != "get-forbidden" && place.Scenario != "create-deployment" {
			continue
		}
		rec, err := recordings.Load(place.Release, place.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		want, got := map[string]bool{}, map[string]bool{}
		eachText(rec, func(_ Kind, text string) { want[cut(text)] = true })
		for _, e := range x.entries {
			if slices.Contains(e.in, at) {
				got[e.text] = true
			}
		}
		if !maps.Equal(want, got) {
			t.Errorf("%v: the index has other texts than the recording: run \"go test ./trace/search -update\"", place)
		}
	}
}

// TestCut checks that a cut text ends with a whole character.
func TestCut(t *testing.T) {
	whole := strings.Repeat("a", longest-1)
	for text, want := range map[string]string{"short": "short", whole + "bc": whole + "b", whole + "€": whole} {
		if got := cut(text); got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}

func TestFinds(t *testing.T) {
	has := func(hits []Hit, scenario, release, text string) bool {
		return slices.ContainsFunc(hits, func(h Hit) bool {
			return strings.Contains(h.Text, text) && slices.Contains(h.Places, Place{release, scenario})
		})
	}
	hits, err := Text("is forbidden")
	if err != nil || !has(hits, "get-forbidden", "v1.37.1", "cannot get resource") || has(hits, "get-node", "v1.37.1", "") {
		t.Errorf("Text of a part of an error: error %v, got %d hits, expected get-forbidden and not get-node", err, len(hits))
	}
	if hits, err = Text("exceeded quota: one-configmap"); err != nil || len(hits) != 1 || hits[0].Kind != Error || !has(hits, "quota-exceeded", "v1.37.1", "configmaps=1") {
		t.Errorf("Text of an error that is also a value: error %v, got %+v, expected only the error", err, hits)
	}
	if hits, err = Text("error=configmaps \"second\""); err != nil || len(hits) != 1 || hits[0].Kind != Value {
		t.Errorf("Text of a part of NAME=VALUE: error %v, got %+v, expected only the value", err, hits)
	}
	if hits, err = values("error", "exceeded quota: one-configmap"); err != nil || len(hits) != 1 {
		t.Errorf("values of the name error: error %v, got %+v, expected one hit", err, hits)
	}
	if hits, err = Text("BeforeCreate"); err != nil || !has(hits, "create-deployment", "v1.26.15", "rest.BeforeCreate") {
		t.Errorf("Text of a function: error %v, got %d hits, expected rest.BeforeCreate in them", err, len(hits))
	}
	if hits, err = values("flow_schema", "global-default"); err != nil || !has(hits, "get-node", "v1.37.1", "flow_schema=global-default") {
		t.Errorf("values of the name flow_schema: error %v, got %d hits, expected global-default in them", err, len(hits))
	}
	if hits, err = Text("already exists deployment"); err != nil || !has(hits, "create-exists", "v1.37.1", `deployments.apps "nginx" already exists`) || has(hits, "create-name-taken", "v1.37.1", "") {
		t.Errorf("Text of words of an error in another order: error %v, got %d hits, expected create-exists alone", err, len(hits))
	}
	if hits, err = Text("no such thing"); err != nil || len(hits) > 0 {
		t.Errorf("Text of a text in no recording: error %v, got %v, expected no hits", err, hits)
	}
}

// TestBetterMatchesComeFirst searches for a text. The name of one function ends
// with it, if case is ignored. The names of other functions contain it.
func TestBetterMatchesComeFirst(t *testing.T) {
	hits, err := Text("corruptObject")
	if err != nil {
		t.Fatal(err)
	}
	at := func(function string) int {
		return slices.IndexFunc(hits, func(h Hit) bool { return strings.Contains(h.Text, function) })
	}
	ends, contains := at("storage.IsCorruptObject"), at("corruptObjectDeleter).Get")
	if ends != 0 || contains < 1 || hits[ends].Rank != 0 || hits[contains].Rank == 0 {
		t.Fatalf("IsCorruptObject is hit %d and corruptObjectDeleter.Get hit %d of %d, expected IsCorruptObject first, with a better rank", ends, contains, len(hits))
	}
	write := func(most int, lang string) string {
		var out strings.Builder
		if err := (&Result{Hits: hits}).Write(&out, most, message.For(lang)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	best := slices.IndexFunc(hits, func(h Hit) bool { return h.Rank > 0 })
	_, others, found := strings.Cut(write(len(hits), "en"), "\nother functions with this text in their names:\n")
	if !found || strings.Contains(others, "IsCorruptObject") || strings.Count(others, "corruptObjectDeleter).Get\n") != 1 || strings.Contains(others, "--most") {
		t.Errorf("expected the other functions, each once, below their title:\n%s", others)
	}
	for lang, wanted := range map[string]string{
		"en": fmt.Sprintf("and %d more, %d of them other functions with this text in their names: --most %d lists all\n", len(hits)-1, len(hits)-best, len(hits)),
		"zh": fmt.Sprintf("另有 %d 项，其中 %d 项是名称中含有该文本的其他函数：--most %d 可全部列出\n", len(hits)-1, len(hits)-best, len(hits)),
	} {
		if got := write(1, lang); !strings.HasSuffix(got, wanted) {
			t.Errorf("%s: got %q, expected %q at the end", lang, got, wanted)
		}
	}
}

// TestRequestsComeBeforeStarts checks that a text that only a start has comes after
// the texts of requests, and that a random name comes after a text of many
// releases.
func TestRequestsComeBeforeStarts(t *testing.T) {
	for query, first := range map[string]string{
		"not found":      `nodes "missing" not found`,
		"already exists": `deployments.apps "nginx" already exists`,
		"409":            "http.response.status_code=409",
	} {
		hits, err := Text(query)
		if err != nil {
			t.Fatal(err)
		}
		onlyStart := func(h Hit) bool {
			return !slices.ContainsFunc(h.Places, func(p Place) bool { return !strings.HasPrefix(p.Scenario, "boot") })
		}
		if hits[0].Text != first {
			t.Errorf("%q: the first hit is %q, expected %q", query, hits[0].Text, first)
		}
		start := slices.IndexFunc(hits, onlyStart)
		if start >= 0 && slices.ContainsFunc(hits[start:], func(h Hit) bool { return h.Rank == hits[start].Rank && !onlyStart(h) }) {
			t.Errorf("%q: a text of a request comes after a text of a start, with the same rank", query)
		}
	}
}

// TestOldNames searches for names of old releases, a type, a part of an old name,
// and names of recorded functions.
func TestOldNames(t *testing.T) {
	for _, test := range []struct {
		query, release string
		want           []string // parts of the output, in order
	}{
		{"InstallLegacyAPI", "", []string{"controlplane.(*Instance).InstallLegacyAPI\n", "\nin the released sources", "master.(*Master).InstallLegacyAPI", "from v1.10.13 to v1.19.16; v1.20.15: now k8s.io/kubernetes/pkg/controlplane.(*Instance).InstallLegacyAPI", "apitrace history 'master.(*Master).InstallLegacyAPI'"}},
		{"NewLegacyRESTStorage", "", []string{"boot", "in the released sources", "v1.28.15: gone;", "rest.(*legacyProvider).NewRESTStorage"}},
		{"CreateNodeDialer", "", []string{"in the released sources", "app.CreateNodeDialer", "from v1.10.13 to v1.21.14; v1.22.17: app.CreateNodeDialer is gone"}},
		{"RunWardleServer(stopCh)", "", []string{"server.WardleServerOptions.RunWardleServer\n", "apitrace show"}},
		{"insecurehandlerch", "", []string{"in the released sources", "server.BuildInsecureHandlerChain"}},
		{"InstallLegacyAPI", "v1.17.17", []string{"in the released sources", "master.(*Master).InstallLegacyAPI", "from v1.10.13 to v1.19.16"}},
		{"priorityAndFairnessHandler).Handle", "v1.37.1", []string{"filters.(*priorityAndFairnessHandler).Handle\n", ": v1.37.1", "--k8s v1.37.1 --function"}},
		{"genericregistry.Store", "", []string{"a type, from v1.10.13 to"}},
	} {
		found, err := Query{Text: test.query, Release: test.release}.Find()
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		var out strings.Builder
		if err := found.Write(&out, 20, message.For("en")); err != nil {
			t.Fatal(err)
		}
		rest := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range test.want {
			_, after, ok := strings.Cut(rest, strings.TrimSpace(want))
			if !ok {
				t.Errorf("%s: expected %q, after the texts before it, in:\n%s", test.query, want, &out)
				break
			}
			rest = after
		}
	}
	if _, err := (Query{Text: "priorityAndFairnessHandler).Handle", Release: "v1.17.17"}).Find(); err == nil || !strings.Contains(err.Error(), "leave --k8s out") {
		t.Errorf("Find of a function of later releases in v1.17.17 returned the error %v, expected \"leave --k8s out\" in it", err)
	}
	if found, err := (Query{Text: "BeforeCreate"}).Find(); err != nil || len(found.Names) > 0 {
		t.Errorf("Find of BeforeCreate = %+v, error %v, expected only hits, because recordings call it", found, err)
	}
	if _, err := (Query{Text: "NoSuchFunctionAnywhere"}).Find(); err == nil {
		t.Error("Find of a name that no release has returned no error")
	}
}

func TestABrokenIndexIsAnError(t *testing.T) {
	x := &index{places: []Place{{"v1", "a"}}, entries: []entry{{Function, "f", []int{0}}}}
	data, err := x.pack()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := unpack(data); err != nil || len(back.entries) != 1 {
		t.Fatalf("unpack = %v, %v, expected the packed index", back, err)
	}
	for n := range data {
		if _, err := unpack(data[:n]); err == nil {
			t.Errorf("unpack of the first %d of %d bytes returned no error", n, len(data))
		}
	}
}

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		if _, err := unpack(packed); err != nil {
			b.Fatal(err)
		}
		if _, err := Text("is forbidden"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFindGates checks that a search finds feature gates. If nothing else matches,
// any part of a gate's name is enough, otherwise the name must begin with the text.
func TestFindGates(t *testing.T) {
	for query, want := range map[string]string{
		"consistentlist": "ConsistentListFromCache ConsistentListFromCacheSkipTimeoutFallback",
		"listfromcache":  "ListFromCacheSnapshot ConsistentListFromCache ConsistentListFromCacheSkipTimeoutFallback",
		"WatchList":      "WatchList WatchListClient WatchListCompression",
		"shouldDelegate": "",
	} {
		found, err := Query{Text: query}.Find()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, g := range found.Gates {
			names = append(names, g.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: got the gates %q, expected %q", query, got, want)
		}
	}
	found, err := Query{Text: "consistentlist", Release: "v1.31.0"}.Find()
	if err != nil || len(found.Gates) != 1 {
		t.Errorf("Find in v1.31.0 = %v, error %v, expected one gate", found, err)
	}
}

// TestFindPages searches for a page by its title and by a heading, and for a page that
// only another release's query leaves.
func TestFindPages(t *testing.T) {
	pages := []Page{
		{Kind: Lesson, Name: "one", Title: "First", Headings: []string{"Zebra crossing"}},
		{Kind: Exercise, Name: "two", Title: "The zebra's stripes"},
	}
	for _, release := range []string{"", "v1.37.1"} {
		found, err := Query{Text: "zebra", Release: release, Pages: pages}.Find()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := found.Write(&out, 20, message.For("en")); err != nil {
			t.Fatal(err)
		}
		const expected = "to read:\nexercise: The zebra's stripes\n  apitrace workshop jump two\nlesson: First\n  section: Zebra crossing\n  apitrace workshop lesson one\n"
		if out.String() != expected {
			t.Errorf("release %q: %q, expected %q", release, out.String(), expected)
		}
	}
}
