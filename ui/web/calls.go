package web

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// asked returns the recording that the path of an API request names.
func (a *api) asked(r *restful.Request) (*loaded, error) {
	return a.library.load(r.PathParameter("release"), r.PathParameter("scenario"))
}

// A tracedRequest is a request of a recording, as the path of an API request names it.
type tracedRequest struct {
	*loaded
	n     int
	tree  *trace.Tree
	guide view.Guide
}

func (a *api) tracedOf(r *restful.Request) (*tracedRequest, error) {
	l, err := a.asked(r)
	if err != nil {
		return nil, err
	}
	n := int(number(r, "request", 0))
	tree, err := l.request(n)
	if err != nil {
		return nil, err
	}
	guide, err := l.guide(queryOf(r, paramLang))
	if err != nil {
		return nil, err
	}
	return &tracedRequest{l, n, tree, guide}, nil
}

// callOf is like tracedOf. It also returns
// the number of the call that the path names.
func (a *api) callOf(r *restful.Request) (*tracedRequest, int, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, 0, err
	}
	i, err := t.known(number(r, "call", 0))
	return t, i, err
}

// known returns i as an int, or an error if the request has no call i.
func (t *tracedRequest) known(i int64) (int, error) {
	if i >= int64(t.tree.Len()) {
		return 0, notFound(message.Errorf("there is no call %d: the request has %d", i, t.tree.Len()), message.Of("ask for one from 0 on"))
	}
	return int(i), nil
}

func (a *api) getRecording(r *restful.Request) (any, error) {
	l, err := a.asked(r)
	if err != nil {
		return nil, err
	}
	head := RecordingHead{
		Scenario: l.scenario, K8sVersion: l.rec.K8sVersion, EtcdVersion: l.rec.EtcdVersion,
		Edited: l.rec.Edited, Requests: []RequestHead{},
	}
	head.Title = l.title(queryOf(r, paramLang))
	if !l.rec.Recorded.IsZero() {
		head.Recorded = &l.rec.Recorded
	}
	for i, r := range l.rec.Requests {
		head.Requests = append(head.Requests, RequestHead{i + 1, r.TraceID, r.Method, r.Path, r.Status, len(r.Calls), r.Calls[0].DurationNs})
	}
	return head, nil
}

// title describes the recording in a few words.
func (l *loaded) title(lang string) string {
	if s, err := scenarios.Known(l.rec.Scenario); err == nil {
		return s.Title.In(lang)
	}
	if l.release == liveRelease {
		return titleOf(l.rec)
	}
	return l.scenario
}

func (a *api) exportRecording(r *restful.Request, response *restful.Response) error {
	l, err := a.asked(r)
	if err != nil {
		return err
	}
	response.Header().Set("Content-Type", restful.MIME_JSON)
	response.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", l.scenario+"-"+l.release+".json"))
	response.WriteHeader(http.StatusOK)
	if err := trace.WriteJSON(response, l.rec); err != nil { // the client left
		slog.Debug("exporting a recording", "error", err)
	}
	return nil
}

func (a *api) getView(r *restful.Request) (any, error) {
	l, err := a.asked(r)
	if err != nil {
		return nil, err
	}
	show := r.QueryParameter("show")
	if show == "" {
		show = viewPath
	}
	return l.document(int(number(r, "request", 0)), queryOf(r, paramLang), show)
}

func (a *api) listCalls(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	text := strings.ToLower(r.QueryParameter("text"))
	if text == "" {
		return t.list(r, t.tree.Len(), func(n int) int { return n }), nil
	}
	var found []int
	for i := range t.tree.Len() {
		if holds(t.tree.Call(i), text) {
			found = append(found, i)
		}
	}
	return t.list(r, len(found), func(n int) int { return found[n] }), nil
}

// holds reports whether a visible text of a call
// contains text. The text must be in lower case.
func holds(call *trace.Call, text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	if has(call.Function) || has(fmt.Sprintf("%s:%d", call.File, call.Line)) || has(call.Error) || has(call.Panic) {
		return true
	}
	for _, value := range call.Attributes {
		if has(value) {
			return true
		}
	}
	return false
}

func (a *api) listChildren(r *restful.Request) (any, error) {
	t, i, err := a.callOf(r)
	if err != nil {
		return nil, err
	}
	children := slices.Collect(t.tree.Children(i))
	return t.list(r, len(children), func(n int) int { return children[n] }), nil
}

// list returns the requested part of a list of calls. The
// function at returns the number of the nth call in the list.
func (t *tracedRequest) list(r *restful.Request, total int, at func(n int) int) CallList {
	from, to := window(r, total)
	list := CallList{Total: total, From: from, Items: []Call{}}
	for n := from; n < to; n++ {
		list.Items = append(list.Items, t.call(at(n)))
	}
	return list
}

// call describes call i.
func (t *tracedRequest) call(i int) Call {
	c := t.tree.Call(i)
	layer := t.guide.Layer(c.Function)
	out := Call{
		ID: c.ID, Parent: c.Parent, Function: c.Function, File: c.File, Line: c.Line, CallerLine: c.CallerLine,
		Process: c.Process, Goroutine: c.Goroutine, NewGoroutine: c.NewGoroutine, StartNs: c.StartNs, DurationNs: c.DurationNs,
		Afterwards: c.Afterwards(), Leaf: c.Leaf, Unfinished: c.Unfinished, Error: c.Error, Panic: c.Panic, Attributes: c.Attributes,
		Index: i, Caller: t.tree.Parent(i), Depth: t.tree.Depth(i), OwnNs: t.tree.SelfNs(i), Below: t.tree.End(i) - i - 1,
		Name: nameOf(c), Place: placeOf(c), Time: view.SignsFor(false).Took(c),
		Layer: layer, Colour: view.LayerColour(layer), Key: t.guide.Key(c.Function), URL: t.rec.SourceURL(c),
	}
	if out.Attributes == nil {
		out.Attributes = map[string]string{}
	}
	for child := range t.tree.Children(i) {
		if !t.tree.Call(child).Afterwards() {
			out.Made++
		}
	}
	return out
}

// nameOf returns the name of a call as the call tree shows it.
func nameOf(c *trace.Call) string {
	if view.Upstream(c) {
		return view.UpstreamLabel(c)
	}
	return c.ShortName()
}

// placeOf returns the folder, file and line of a
// call's function as the call tree shows them.
func placeOf(c *trace.Call) string { return (&view.Names{}).Place(c) }

func (a *api) getCall(r *restful.Request) (any, error) {
	t, i, err := a.callOf(r)
	if err != nil {
		return nil, err
	}
	doc, err := t.document(t.n, queryOf(r, paramLang), viewPath)
	if err != nil {
		return nil, err
	}
	c := t.tree.Call(i)
	out := CallDetails{Call: t.call(i), Note: t.guide.Note(c.Function), Nth: t.placesOf(t.n).Name(i).Nth, Stack: []Frame{}, Values: t.values(c)}
	if layer := t.guide.Layer(c.Function); layer != "" {
		out.Title = t.guide.Title(layer)
	}
	shown := shownBy(doc)
	for out.Step = i; out.Step > 0 && !shown[out.Step]; {
		out.Step = t.tree.Parent(out.Step)
	}
	for child := i; t.tree.Parent(child) >= 0; child = t.tree.Parent(child) {
		out.Stack = append(out.Stack, t.frame(t.tree.Parent(child), t.tree.Call(child).CallerLine))
	}
	return out, nil
}

// frame describes call i on the stack. line is the line that the call is executing.
func (t *tracedRequest) frame(i, line int) Frame {
	c := t.tree.Call(i)
	layer := t.guide.Layer(c.Function)
	return Frame{i, c.Function, c.ShortName(), c.File, line, c.Process, layer, view.LayerColour(layer), c.NewGoroutine, c.Afterwards()}
}

// values lists the values of a call. The values that decide about
// the request come first. Both groups keep the order of the guide.
func (t *tracedRequest) values(c *trace.Call) []Value {
	names := t.guide.Values(c.Function)
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	out := []Value{}
	for _, name := range names {
		if value, ok := c.Attributes[name]; ok && !slices.ContainsFunc(out, func(v Value) bool { return v.Name == name }) {
			out = append(out, Value{name, view.InWords(name, value), view.Decides(name)})
		}
	}
	slices.SortStableFunc(out, func(a, b Value) int {
		switch {
		case a.Decides == b.Decides:
			return 0
		case a.Decides:
			return -1
		}
		return 1
	})
	return out
}

// shownBy returns the numbers of the calls that a view shows.
func shownBy(doc *view.Trace) map[int]bool {
	shown := map[int]bool{}
	var add func(s *view.TraceStep)
	add = func(s *view.TraceStep) {
		shown[s.Call] = true
		for i := range s.Children {
			add(&s.Children[i])
		}
	}
	for i := range doc.Sections {
		add(&doc.Sections[i].Root)
	}
	return shown
}

func (a *api) findCall(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	i, exact := t.placesOf(t.n).Find(trace.CallName{Function: r.QueryParameter("function"), Caller: r.QueryParameter("caller"), Nth: int(number(r, "nth", 1))})
	return Found{i, exact}, nil
}

// placesOf returns the index that names and finds the calls
// of request n. The tree of the request must be loaded.
func (l *loaded) placesOf(n int) *trace.Places {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[n] == nil {
		l.places[n] = trace.NewPlaces(l.trees[n])
	}
	return l.places[n]
}
