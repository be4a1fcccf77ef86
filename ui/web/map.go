package web

import (
	"sync"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/trace/routes"
	"github.com/kubeapitrace/apitrace/view"
)

func (a *api) getMap(r *restful.Request) (any, error) {
	t, err := a.tracedOf(r)
	if err != nil {
		return nil, err
	}
	return view.NewRequestMap(t.rec, t.n-1, t.guide, queryOf(r, paramLang))
}

// bootScenario is the scenario that records
// how a server starts and builds its routes.
const bootScenario = "boot"

func (a *api) listRoutes(r *restful.Request) (any, error) {
	l, err := a.library.load(r.PathParameter("release"), bootScenario)
	if err != nil {
		return nil, err
	}
	return l.routes()
}

// built has the servers, groups, resources and routes of a recorded server
// start. once computes them.
type built struct {
	once sync.Once
	*routes.Built
	err error
}

func (l *loaded) routes() (*routes.Built, error) {
	l.built.once.Do(func() { l.built.Built, l.built.err = routes.BuiltBy(&l.rec.Requests[0]) })
	return l.built.Built, l.built.err
}
