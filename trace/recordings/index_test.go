package recordings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIndexKeepsEverything(t *testing.T) {
	old := &Program{
		Functions: []Source{
			{Name: "p.F", File: "f.go", Calls: []SourceCall{{Line: 3, Name: "p.G"}, {Line: 2, Kind: CallInterface, Name: "io.Reader.Read", Deferred: true}}},
			{Name: "p.G", File: "f.go", Spanless: SpanlessLeaf},
		},
		Gates: map[string]bool{"A": false, "B": true},
	}
	current := &Program{
		Functions: []Source{
			{Name: "p.F", File: "f.go", Calls: []SourceCall{{Line: 3, Name: "p.G", Gate: "A", Branch: Branch{BranchIn, "if x > 3", 2, ThresholdSize}}}},
			{Name: "p.G", File: "f.go", Spanless: SpanlessLeaf},
			{Name: "p.H", File: "h.go", Spanless: SpanlessBody},
		},
		Gates: map[string]bool{"A": true},
	}
	releases := map[string]map[string]*Program{
		"v1.9.0": {"server": old}, "v1.10.0": {"server": current, "etcd": old},
	}
	packed, err := packIndex(releases)
	if err != nil {
		t.Fatal(err)
	}
	again := map[string]map[string]*Program{}
	if err := readReleases(packed, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(releases, again); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	x, err := unpackIndex(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.gateSince("v1.10.0", "server", "A"); got != "v1.10" {
		t.Errorf("gateSince of A = %q, expected v1.10", got)
	}
	if x.code("v1.8.0") != nil {
		t.Error("the index has code of v1.8.0, expected nil, because v1.8.0 is not in the index")
	}
}

func TestPutIndexReplacesAPatchRelease(t *testing.T) {
	dir := t.TempDir()
	one := map[string]*Program{"server": {Functions: []Source{{Name: "p.F"}}, Gates: map[string]bool{}}}
	for _, release := range []string{"v1.36.0", "v1.37.0", "v1.37.1"} {
		if err := PutIndex(dir, release, one); err != nil {
			t.Fatal(err)
		}
	}
	releases := map[string]map[string]*Program{}
	if err := readIndexFile(dir, releases); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]map[string]*Program{"v1.36.0": one, "v1.37.1": one}, releases); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestIndexHasWhatWasRecorded checks that the index and the recordings come from
// the same sources and the same guide. The index must have each recorded function,
// as a function with a span.
func TestIndexHasWhatWasRecorded(t *testing.T) {
	infos, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		code, err := CodeOf(info.K8sVersion)
		if err != nil || code == nil {
			t.Fatalf("the index has no %s (%v): \"go run ./cmd/apitrace-dev record --index --k8s %[1]s\" puts it there", info.K8sVersion, err)
		}
		functions, err := Functions(info.K8sVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range functions {
			if f.Name == "runtime.main" {
				continue // a function of the Go runtime
			}
			switch known := code.Function(f.Process, f.Name); {
			case known == nil:
				t.Errorf("%s: the index does not have the recorded function %s of %s", info.K8sVersion, f.Name, f.Process)
			case known.Spanless != Spanned:
				t.Errorf("%s: the index says that %s of %s has no span (reason %d), but it was recorded", info.K8sVersion, f.Name, f.Process, known.Spanless)
			}
		}
	}
}
