package view_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestRequestMapIsTheWayOfTheSections compares maps with the traces of the same
// requests.
func TestRequestMapIsTheWayOfTheSections(t *testing.T) {
	guide := guideOf(t)
	for _, test := range []struct {
		scenario string
		// reached and not are the stations that the request must reach and must not
		// reach.
		reached, not []string
	}{
		{"get-node", []string{"kube-apiserver/kube-aggregator/routing", "kube-apiserver/kube-apiserver/handler", "etcd//etcd-rpc"}, []string{"kube-apiserver/kube-apiserver/admission"}},
		{"get-node-cached", []string{"kube-apiserver/kube-apiserver/cacher"}, []string{"etcd//etcd-rpc"}},
		{"get-forbidden", []string{"kube-apiserver//authorization"}, []string{"kube-apiserver/kube-apiserver/handler"}},
		{"create-deployment", []string{"kube-apiserver/kube-apiserver/admission", "kube-apiserver/kube-apiserver/strategy"}, nil},
		{"aggregated-api", []string{"sample-apiserver//filters", "kube-apiserver/kube-aggregator/aggregator"}, nil},
		{"create-custom-resource", []string{"kube-apiserver/apiextensions-apiserver/handler"}, []string{"kube-apiserver/kube-apiserver/handler"}},
	} {
		rec, err := recordings.Load("", test.scenario)
		if err != nil {
			t.Fatal(err)
		}
		reached := map[string]bool{}
		for i := range rec.Requests {
			r := &rec.Requests[i]
			doc, err := view.NewTrace(rec, i, guide, view.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := view.NewRequestMap(rec, i, guide, "en")
			if err != nil {
				t.Fatal(err)
			}
			stations := map[string]*view.MapStation{}
			calls := 0
			for _, p := range m.Programs {
				for _, s := range p.Servers {
					for k := range s.Stations {
						station := &s.Stations[k]
						stations[station.ID] = station
						calls += station.Calls
						if station.Calls > 0 {
							reached[station.ID] = true
							if station.First < 0 || guide.Layer(r.Calls[station.First].Function) != station.Layer {
								t.Errorf("%s: MapStation.First of %s is %d, expected a call of its layer", test.scenario, station.ID, station.First)
							}
						}
					}
				}
			}
			if want := callsOfServers(r); calls != want {
				t.Errorf("%s: the stations have %d calls, expected %d", test.scenario, calls, want)
			}
			if len(m.Visits) != len(doc.Sections) {
				t.Fatalf("%s: %d visits, expected %d", test.scenario, len(m.Visits), len(doc.Sections))
			}
			for k, v := range m.Visits {
				section := doc.Sections[k]
				if v.Number != section.Number || v.Title != section.Title || v.Call != section.Root.Call || v.Called != section.Called || !v.Afterwards && v.From != section.From {
					t.Errorf("%s: visit %+v, expected the data of section %d, %s", test.scenario, v, section.Number, section.Title)
				}
				for _, id := range append([]string{v.Station}, v.Via...) {
					if stations[id] == nil {
						t.Errorf("%s: visit %d names the station %q, expected a station of the map", test.scenario, v.Number, id)
					}
				}
			}
		}
		for _, id := range test.reached {
			if !reached[id] {
				t.Errorf("%s: the station %s has no calls, expected some", test.scenario, id)
			}
		}
		for _, id := range test.not {
			if reached[id] {
				t.Errorf("%s: the station %s has calls, expected none", test.scenario, id)
			}
		}
	}
}

// callsOfServers counts the calls that are not upstream's own spans.
func callsOfServers(r *trace.Request) int {
	n := 0
	for i := range r.Calls {
		if !view.Upstream(&r.Calls[i]) {
			n++
		}
	}
	return n
}

func TestRequestMapGoesFromServerToServer(t *testing.T) {
	rec, err := recordings.Load("", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	m, err := view.NewRequestMap(rec, 0, guideOf(t), "en")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range m.Visits {
		if v.Station == "kube-apiserver/kube-apiserver/handler" {
			if len(v.Via) != 2 || v.Via[0] != "kube-apiserver/kube-aggregator/aggregator" || v.Via[1] != "kube-apiserver/kube-apiserver/routing" {
				t.Errorf("Via of the handler's visit is %v, expected the stations aggregator and routing", v.Via)
			}
			return
		}
	}
	t.Error("got no visit to the handler's station, expected one")
}

func guideOf(t *testing.T) view.Guide {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	return guide.ForReader("en")
}
