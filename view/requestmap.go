package view

import (
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A RequestMap is the data for a picture of one request. It has the traced programs,
// their servers, the layers of each server as stations, and the path of the request
// from station to station. The visits are the sections of the request's Trace, with
// the same numbers.
type RequestMap struct {
	Lang     string       `json:"lang" description:"The language of all texts, en or zh."`
	Request  string       `json:"request" description:"Names the request and its answer."`
	Facts    string       `json:"facts" description:"How many calls there were, in which programs, and how long they took."`
	Programs []MapProgram `json:"programs" description:"The traced programs in the order in which the request reached them, then programs that it did not reach."`
	Visits   []MapVisit   `json:"visits" description:"The path of the request: its sections, in order."`
}

// A MapProgram is a traced program.
type MapProgram struct {
	Name    string      `json:"name" description:"Name of the program, as in the calls of a trace."`
	Version string      `json:"version" description:"Version of the program, empty if unknown."`
	Calls   int         `json:"calls" description:"How many of the request's calls the program has; 0 if the request did not reach it."`
	Servers []MapServer `json:"servers" description:"The servers of the program: first the part in front of all servers, then each server."`
}

// A MapServer is a program's server. The server with the name "" has the calls in
// front of all servers, such as the filter chain, and calls of an unknown server.
type MapServer struct {
	Name     string       `json:"name" description:"Name of the server, from its director; empty for the part in front of a program's servers, such as the filter chain, and for a program without such servers."`
	Calls    int          `json:"calls" description:"How many calls the server has."`
	Stations []MapStation `json:"stations" description:"The layers of the server, in the order in which a request meets them."`
}

// A MapStation is a layer of a server.
type MapStation struct {
	ID     string `json:"id" description:"Names the station in this map: program, server and layer."`
	Layer  string `json:"layer" description:"Name of the layer."`
	Title  string `json:"title" description:"Title of the layer."`
	Colour string `json:"colour" description:"Colour of the layer, empty if it has none."`
	Tier   int    `json:"tier" description:"Row of the station, from 0 at the top; a request goes downwards."`
	Calls  int    `json:"calls" description:"How many calls the station has; 0 if the request did not reach it."`
	OwnNs  int64  `json:"ownNs" description:"The sum of the own times of these calls, in nanoseconds: of their time without the time of the calls that they made. Unfinished calls do not count."`
	Time   string `json:"time,omitempty" description:"The same in words; absent if it is 0."`
	First  int    `json:"first" description:"The first call of the station, -1 if there is none."`
	Visits []int  `json:"visits" description:"Numbers of the visits to the station; empty if its calls are only parts of visits to other stations."`
}

// A MapVisit is a section.
type MapVisit struct {
	Number     int      `json:"number" description:"Number of the section, from 1."`
	Station    string   `json:"station" description:"The station."`
	From       int      `json:"from" description:"Number of the visit that called this one; 0 for the first visit, and for visits with \"afterwards\"."`
	Via        []string `json:"via" description:"The stations between the visit \"from\" and this one, in order: steps of the visit \"from\" ran there."`
	Title      string   `json:"title" description:"Title of the section."`
	Call       int      `json:"call" description:"The section's first call."`
	Name       string   `json:"name" description:"Name of the section's first step."`
	Time       string   `json:"time" description:"How long the first step took, empty if only its entry was recorded."`
	Called     string   `json:"called,omitempty" description:"Who called the section; absent for the first section."`
	Sentences  []string `json:"sentences" description:"What happened in the section."`
	Failed     bool     `json:"failed,omitempty" description:"Whether the first step's failure decided the request."`
	Afterwards bool     `json:"afterwards,omitempty" description:"Whether the section handles the event of the request's own write, without a caller."`
}

// tiers are the rows of the map, from the outside in. A row lists its layers as a
// request meets them.
var tiers = [][]string{
	{trace.LayerServer, trace.LayerFilters, trace.LayerAudit, trace.LayerAuthentication, trace.LayerFlowControl, trace.LayerAuthorization},
	{trace.LayerAggregator, trace.LayerRouting, trace.LayerExtensions, trace.LayerDiscovery, trace.LayerInstaller},
	{trace.LayerHandler, trace.LayerNegotiation, trace.LayerResponse},
	{trace.LayerAdmission, trace.LayerCEL, trace.LayerFieldManager, trace.LayerCodec, trace.LayerConversion},
	{trace.LayerRegistry, trace.LayerStrategy, trace.LayerValidation, trace.LayerResource},
	{trace.LayerCacher, trace.LayerInformer, trace.LayerStorageSetup},
	{trace.LayerEtcd3, trace.LayerEtcdClient},
	{trace.LayerEtcdRPC, trace.LayerEtcdApply, trace.LayerEtcdMVCC},
	{trace.LayerEtcdDisk, trace.LayerUpstreamTracing, ""},
}

// tierOf returns the row of a layer. A layer that tiers does not have is in the last
// row.
func tierOf(layer string) int {
	at := slices.IndexFunc(tiers, func(t []string) bool { return slices.Contains(t, layer) })
	if at < 0 {
		return len(tiers) - 1
	}
	return at
}

// The map of a request has these layers even if the request did not reach them, so
// that the reader sees which layers it missed. They are in front of the servers of
// kube-apiserver, in the server that handled the request, and in etcd.
var (
	alwaysInFront = []string{trace.LayerFilters, trace.LayerAuthentication, trace.LayerFlowControl, trace.LayerAuthorization}
	alwaysInside  = []string{trace.LayerRouting, trace.LayerHandler, trace.LayerAdmission, trace.LayerRegistry, trace.LayerCacher, trace.LayerEtcd3}
	alwaysInEtcd  = []string{trace.LayerEtcdRPC, trace.LayerEtcdApply, trace.LayerEtcdMVCC, trace.LayerEtcdDisk}
)

// chained are the servers of a kube-apiserver, the outermost first. Each passes requests
// that it does not serve on to the next. The source is CreateServerChain in
// k8s.io/kubernetes/cmd/kube-apiserver/app/server.go.
var chained = []string{"kube-aggregator", "kube-apiserver", "apiextensions-apiserver"}

// NewRequestMap returns the map of request i of a recording, counted from 0.
func NewRequestMap(rec *trace.Recording, i int, guide Guide, lang string) (*RequestMap, error) {
	o := Options{Lang: lang, Choice: Choice{Most: StepsPerRequest(1)}}
	r := &rec.Requests[i]
	tree, err := trace.NewTree(r)
	if err != nil {
		return nil, message.Errorf("building the call tree of %s %s: %w", r.Method, r.Path, err)
	}
	m := &mapper{traceWriter: traceWriter{stepWriter: newStepWriter(rec, Tell(NewView(tree, guide, o.Choice)), guide, o)}, servers: serversOf(tree)}
	m.said = m.sentences()
	m.out = &RequestMap{Lang: m.Lang(), Request: m.request(r), Facts: m.facts(), Visits: []MapVisit{}}
	m.countCalls()
	m.visit()
	m.unreached(r)
	m.order()
	return m.out, nil
}

// serversOf returns the name of each call's server, or "". The name is recorded with
// the nearest director.ServeHTTP at or above the call in the same program.
func serversOf(tree *trace.Tree) []string {
	servers := make([]string, tree.Len())
	for i := range servers {
		call, parent := tree.Call(i), tree.Parent(i)
		if parent >= 0 && tree.Call(parent).Process == call.Process {
			servers[i] = servers[parent]
		}
		if name := call.Attributes[trace.AttrServerName]; call.Function == "k8s.io/apiserver/pkg/server.director.ServeHTTP" && name != "" {
			servers[i] = name
		}
	}
	return servers
}

// A mapper makes the RequestMap of a request.
type mapper struct {
	traceWriter
	servers []string // by call
	out     *RequestMap
}

func stationID(process, server, layer string) string {
	return fmt.Sprintf("%s/%s/%s", process, server, layer)
}

// server returns a server of a program. It adds the program and the server if they are
// missing.
func (m *mapper) server(process, name string) *MapServer {
	at := slices.IndexFunc(m.out.Programs, func(p MapProgram) bool { return p.Name == process })
	if at < 0 {
		at = len(m.out.Programs)
		m.out.Programs = append(m.out.Programs, MapProgram{Name: process, Version: m.rec.Version(process), Servers: []MapServer{}})
	}
	p := &m.out.Programs[at]
	in := slices.IndexFunc(p.Servers, func(s MapServer) bool { return s.Name == name })
	if in < 0 {
		in = len(p.Servers)
		p.Servers = append(p.Servers, MapServer{Name: name, Stations: []MapStation{}})
	}
	return &p.Servers[in]
}

// station returns a layer of a server. It adds the station if it is missing.
func (m *mapper) station(process, server, layer string) *MapStation {
	s := m.server(process, server)
	at := slices.IndexFunc(s.Stations, func(t MapStation) bool { return t.Layer == layer })
	if at < 0 {
		at = len(s.Stations)
		s.Stations = append(s.Stations, MapStation{
			ID: stationID(process, server, layer), Layer: layer, Title: m.titleOf(layer), Colour: LayerColour(layer),
			Tier: tierOf(layer), First: -1, Visits: []int{},
		})
	}
	return &s.Stations[at]
}

// countCalls adds the calls to their stations.
func (m *mapper) countCalls() {
	for i := range m.story.Tree.Len() {
		call := m.story.Tree.Call(i)
		if Upstream(call) {
			continue
		}
		t := m.station(call.Process, m.servers[i], m.guide.Layer(call.Function))
		if t.First < 0 {
			t.First = i
		}
		t.Calls++
		if !call.Unfinished {
			t.OwnNs += m.story.Tree.SelfNs(i)
		}
		if t.OwnNs > 0 {
			t.Time = m.Duration(t.OwnNs)
		}
		m.server(call.Process, m.servers[i]).Calls++
		m.out.Programs[slices.IndexFunc(m.out.Programs, func(p MapProgram) bool { return p.Name == call.Process })].Calls++
	}
}

// visit adds a visit for each section.
func (m *mapper) visit() {
	for _, s := range m.story.Sections {
		first := s.Root.Calls[0]
		call := m.story.Tree.Call(first)
		v := MapVisit{
			Number: s.Number, Title: m.story.Title(s, m.guide, m.Lang()), Call: first, Name: m.name(s.Root, call), Time: m.story.Time(s.Root, m.Signs),
			Called: m.called(s), Via: []string{}, Sentences: []string{}, Afterwards: s.Root.Afterwards, Failed: s.Root.Fatal,
		}
		if s.From != nil && !v.Afterwards {
			v.From = s.From.Number
		}
		for _, said := range m.said[s] {
			v.Sentences = append(v.Sentences, said.Text)
		}
		if v.From > 0 {
			v.Via = m.via(s, stationID(call.Process, m.servers[first], s.Layer))
		}
		t := m.station(call.Process, m.servers[first], s.Layer)
		t.Visits, v.Station = append(t.Visits, s.Number), t.ID
		m.out.Visits = append(m.out.Visits, v)
	}
}

// via returns the stations between a section and the section that calls it. These are
// the stations of the steps from the first step of the calling section down to the
// caller. The stations of both sections are left out; to is the section's own station.
func (m *mapper) via(s *Section, to string) []string {
	var way []string
	if !m.leads(s.From.Root, s.Caller, &way) {
		return []string{}
	}
	way = slices.Compact(way)
	if len(way) > 0 && way[len(way)-1] == to {
		way = way[:len(way)-1]
	}
	if len(way) > 0 {
		way = way[1:]
	}
	return append([]string{}, way...)
}

// leads appends the stations of the steps from one step down to another. If to is not
// below from, it appends nothing and returns false.
func (m *mapper) leads(from, to *Node, way *[]string) bool {
	known := len(*way)
	if layer := from.Layer; layer != "" {
		first := from.Calls[0]
		*way = append(*way, m.station(m.story.Tree.Call(first).Process, m.servers[first], layer).ID)
	}
	if from == to {
		return true
	}
	for _, child := range from.Children {
		if m.leads(child, to, way) {
			return true
		}
	}
	*way = (*way)[:known]
	return false
}

// unreached adds the layers that the map always shows.
func (m *mapper) unreached(r *trace.Request) {
	if r.OfProgram() {
		return
	}
	if r.Calls[0].Process == trace.ProcessAPIServer {
		for _, layer := range alwaysInFront {
			m.station(trace.ProcessAPIServer, "", layer)
		}
		busiest := &MapServer{Name: chained[1]}
		for _, name := range chained {
			if s := m.server(trace.ProcessAPIServer, name); slices.ContainsFunc(s.Stations, func(t MapStation) bool { return t.Layer == trace.LayerHandler }) && s.Calls > busiest.Calls {
				busiest = s
			}
		}
		name := busiest.Name
		for _, layer := range alwaysInside {
			m.station(trace.ProcessAPIServer, name, layer)
		}
	}
	for _, layer := range alwaysInEtcd {
		m.station(trace.ProcessEtcd, "", layer)
	}
}

// order sorts servers and stations in the order in which a request meets them.
func (m *mapper) order() {
	place := map[string]int{}
	for tier, layers := range tiers {
		for i, layer := range layers {
			place[layer] = tier*100 + i
		}
	}
	for i := range m.out.Programs {
		p := &m.out.Programs[i]
		slices.SortStableFunc(p.Servers, func(a, b MapServer) int { return serverPlace(a.Name) - serverPlace(b.Name) })
		for k := range p.Servers {
			slices.SortStableFunc(p.Servers[k].Stations, func(a, b MapStation) int { return place[a.Layer] - place[b.Layer] })
		}
	}
}

// serverPlace returns the place of a server in the order of servers: first "", then
// chained, then all others.
func serverPlace(name string) int {
	if name == "" {
		return -1
	}
	if at := slices.Index(chained, name); at >= 0 {
		return at
	}
	return len(chained)
}
