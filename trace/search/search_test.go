package search

import (
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

// The index must have the embedded recordings and, for a sample, the same texts.
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
		t.Fatalf("the index is of %d recordings that are not the %d carried: go test ./trace/search -update", len(x.places), len(places))
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
		eachText(rec, func(_ Kind, text string) { want[text[:min(len(text), longest)]] = true })
		for _, e := range x.entries {
			if slices.Contains(e.in, at) {
				got[e.text] = true
			}
		}
		if !maps.Equal(want, got) {
			t.Errorf("%v: the index has other texts than the recording: go test ./trace/search -update", place)
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
		t.Errorf("a text of an error: %v, %d hits", err, len(hits))
	}
	if hits, err = Text("exceeded quota"); err != nil || len(hits) != 1 || hits[0].Kind != Error || !has(hits, "quota-exceeded", "v1.37.1", "configmaps=1") {
		t.Errorf("an error that a call has as a value, too: %v, %+v", err, hits)
	}
	if hits, err = Text("error=configmaps \"second\""); err != nil || len(hits) != 1 || hits[0].Kind != Value {
		t.Errorf("a text that the value has, and the error has not: %v, %+v", err, hits)
	}
	if hits, err = values("error", "exceeded quota"); err != nil || len(hits) != 1 {
		t.Errorf("the same, as a value: %v, %+v", err, hits)
	}
	if hits, err = Text("BeforeCreate"); err != nil || !has(hits, "create-deployment", "v1.26.15", "rest.BeforeCreate") {
		t.Errorf("a function: %v, %d hits", err, len(hits))
	}
	if hits, err = values("flow_schema", "global-default"); err != nil || !has(hits, "get-node", "v1.37.1", "flow_schema=global-default") {
		t.Errorf("a value: %v, %d hits", err, len(hits))
	}
	if hits, err = Text("no such thing"); err != nil || len(hits) > 0 {
		t.Errorf("nothing: %v, %v", err, hits)
	}
}

// TestBetterMatchesComeFirst searches for a text. One function's name ends with the text, and
// other names contain it.
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
		t.Fatalf("at %d and %d of %d", ends, contains, len(hits))
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
		t.Errorf("the others are not beneath:\n%s", others)
	}
	for lang, wanted := range map[string]string{
		"en": fmt.Sprintf("and %d more, %d of them other functions with this text in their names: --most %d lists all\n", len(hits)-1, len(hits)-best, len(hits)),
		"zh": fmt.Sprintf("另有 %d 项，其中 %d 项是名称中含有该文本的其他函数：--most %d 可全部列出\n", len(hits)-1, len(hits)-best, len(hits)),
	} {
		if got := write(1, lang); !strings.HasSuffix(got, wanted) {
			t.Errorf("%s: %q does not end with %q", lang, got, wanted)
		}
	}
}

// A text that only a start has comes after the texts of requests, and a random name after
// a text of many releases.
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
			t.Errorf("%q: the first is %q, expected %q", query, hits[0].Text, first)
		}
		start := slices.IndexFunc(hits, onlyStart)
		if start >= 0 && slices.ContainsFunc(hits[start:], func(h Hit) bool { return h.Rank == hits[start].Rank && !onlyStart(h) }) {
			t.Errorf("%q: a text of a request comes after a text of a start", query)
		}
	}
}

// TestOldNames searches for names that only old releases have, for a type, for a part of an old
// name and for a name that every release has.
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
				t.Errorf("%s: expected %q in order in:\n%s", test.query, want, &out)
				break
			}
			rest = after
		}
	}
	if _, err := (Query{Text: "priorityAndFairnessHandler).Handle", Release: "v1.17.17"}).Find(); err == nil || !strings.Contains(err.Error(), "leave --k8s out") {
		t.Errorf("a function of later releases in v1.17.17: %v", err)
	}
	if found, err := (Query{Text: "BeforeCreate"}).Find(); err != nil || len(found.Names) > 0 {
		t.Errorf("BeforeCreate, which recordings have, is found among the names of sources, too: %+v, %v", found, err)
	}
	if _, err := (Query{Text: "NoSuchFunctionAnywhere"}).Find(); err == nil {
		t.Error("a name that no release has was found")
	}
}

func TestABrokenIndexIsAnError(t *testing.T) {
	x := &index{places: []Place{{"v1", "a"}}, entries: []entry{{Function, "f", []int{0}}}}
	data, err := x.pack()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := unpack(data); err != nil || len(back.entries) != 1 {
		t.Fatalf("%v, %v", back, err)
	}
	for n := range data {
		if _, err := unpack(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are no error", n, len(data))
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

// TestFindGates checks that a search finds feature gates: by any part of their names if nothing
// else is found, else by the beginning of their names.
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
			t.Errorf("%s: gates %q, expected %q", query, got, want)
		}
	}
	found, err := Query{Text: "consistentlist", Release: "v1.31.0"}.Find()
	if err != nil || len(found.Gates) != 1 {
		t.Errorf("in v1.31.0: %v, %v; expected one gate", found, err)
	}
}
