package web

import (
	"fmt"
	"log/slog"
	"net/http"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// loadedOf returns the recording that the path of an API request names.
func (a *api) loadedOf(r *restful.Request) (*loaded, error) {
	return a.library.load(r.PathParameter("release"), r.PathParameter("scenario"))
}

// A tracedRequest is a request of a recording, with its tree and its guide.
// n is its number, from 1.
type tracedRequest struct {
	*loaded
	n     int
	tree  *trace.Tree
	guide view.Guide
}

// tracedOf returns the request that the path of an API request names.
func (a *api) tracedOf(r *restful.Request) (*tracedRequest, error) {
	l, err := a.loadedOf(r)
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
		return 0, notFound(message.Errorf("there is no call %d: the request has %d", i, t.tree.Len()), message.Of("the numbers begin at 0"))
	}
	return int(i), nil
}

func (a *api) getStory(r *restful.Request) (any, error) {
	l, err := a.loadedOf(r)
	if err != nil {
		return nil, err
	}
	lang := queryOf(r, paramLang)
	guide, err := l.guide(lang)
	if err != nil {
		return nil, err
	}
	return view.NewCausalStory(l.rec, guide, lang), nil
}

func (a *api) getRecording(r *restful.Request) (any, error) {
	l, err := a.loadedOf(r)
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
		head.Requests = append(head.Requests, RequestHead{i + 1, r.TraceID, r.Method, r.SentPath(), r.Status, len(r.Calls), r.Took().Nanoseconds()})
	}
	return head, nil
}

// title returns the title of the scenario. A live recording of no scenario has
// its first request as its title, and a file has its name.
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
	l, err := a.loadedOf(r)
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
	l, err := a.loadedOf(r)
	if err != nil {
		return nil, err
	}
	show := r.QueryParameter("show")
	if show == "" {
		show = viewPath
	}
	return l.document(int(number(r, "request", 0)), queryOf(r, paramLang), show)
}
