package output

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
)

// TestLayersByNameAndTitle finds layers by their names and titles, in both languages. The
// flag --layer splits its value at commas, even inside a title.
func TestLayersByNameAndTitle(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		"etcd3":                          "etcd3",
		"authori":                        "authorization",
		"etcd3 store":                    "etcd3",
		"etcd":                           "etcd-rpc,etcd-apply,etcd-mvcc,etcd-disk",
		"etcd3,Etcd":                     "etcd3,etcd-rpc,etcd-apply,etcd-mvcc,etcd-disk",
		"kube-scheduler":                 "scheduler",
		"ETCD3 Store,authentication":     "etcd3,authentication",
		"etcd3 存储层":                      "etcd3",
		"监听缓存（watch cache）":              "cacher",
		"etcd: log and database on disk": "etcd-disk",
		"watch c":                        "cacher",
		"Routing (director, go-restful)": "routing",
		"admission,Server start, configuration and background work,etcd3": "admission,server,etcd3",
		"Upstream's own spans and events":                                 "upstream-tracing",
	} {
		got, err := matchingLayers(strings.Split(flag, ","), layersOf(guide))
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("--layer %q: %q, %v; expected %s", flag, got, err, want)
		}
	}
	for flag, want := range map[string]string{
		"etcd: ": `--layer "etcd: ": expected the name of one layer: "etcd-rpc"`,
		"":       `unknown layer ""`,
		"nope":   `, or their titles, such as "Watch cache"`,
		"cahcer": `unknown layer "cahcer": did you mean "cacher"?`,
	} {
		if got, err := matchingLayers([]string{flag}, layersOf(guide)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--layer %q: %q, %v; expected the error %s", flag, got, err, want)
		}
	}
}

// TestLayersAreCompleted checks that completion offers all names, and only the titles
// that begin with the typed text.
func TestLayersAreCompleted(t *testing.T) {
	for typed, title := range map[string]string{"Wat": "Watch cache", "监": "监听缓存（watch cache）", "etcd3 s": "etcd3 store"} {
		all, err := Layers(typed)
		if err != nil || !slices.Contains(all, "cacher") || !slices.Contains(all, title) || slices.Contains(all, "Authorization") {
			t.Errorf("%q is completed with %q, %v; expected the names and %q", typed, all, err, title)
		}
	}
	if all, err := Layers(""); err != nil || slices.Contains(all, "Watch cache") {
		t.Errorf("without typed text: got %q, %v; expected names without titles", all, err)
	}
}
