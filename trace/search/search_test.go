package search

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

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

// The index is of the recordings that are carried: the same ones and, for a sample, the same texts.
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
