package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A SourceFetcher downloads the source of a program of a release into the cache.
type SourceFetcher func(ctx context.Context, process, k8sVersion string, to program.Progress) error

// fetchSource is the SourceFetcher of this machine's cache.
func fetchSource(ctx context.Context, process, k8sVersion string, to program.Progress) error {
	o := apiserver.BuildOptions{Version: k8sVersion, Progress: to}
	if process == trace.ProcessAPIServer && apiserver.ReadOnly(k8sVersion) {
		_, err := apiserver.ReleasedSource(ctx, o)
		return err
	}
	_, err := controlplane.SourceOf(ctx, process, o)
	return err
}

// A SourceOrder is the body of a request to fetch sources.
type SourceOrder struct {
	Process string `json:"process" description:"The program." enum:"kube-apiserver|etcd|sample-apiserver|kube-controller-manager|kube-scheduler|hollow-kubelet"`
}

// A FetchLine is a line of the answer to a request to fetch sources.
type FetchLine struct {
	Progress *LiveProgress `json:"progress,omitempty" description:"What is being done."`
	Done     bool          `json:"done,omitempty" description:"Whether the sources are there; only in the last line."`
	Error    *Error        `json:"error,omitempty" description:"Why they are not; only in the last line."`
}

// fetchable lists the programs with sources to fetch.
var fetchable = []string{
	trace.ProcessAPIServer, trace.ProcessEtcd, trace.ProcessSample,
	trace.ProcessControllerManager, trace.ProcessScheduler, trace.ProcessKubelet,
}

// jsonLines is the media type of lines of JSON.
const jsonLines = "application/x-ndjson"

// fetchSources fetches the source of a program of a recorded release, and answers with a
// line for each step of its progress. One source is fetched at a time. Closing the
// connection cancels the download.
func (a *api) fetchSources(request *restful.Request, response *restful.Response) error {
	order, err := bodyOf[SourceOrder](request)
	if err != nil {
		return err
	}
	release, err := recordings.Resolve(request.PathParameter("release"))
	if err != nil {
		return err
	}
	if !slices.Contains(fetchable, order.Process) {
		return badRequest(message.Errorf("unknown program %q", order.Process), message.Of("expected one of %s", message.List(fetchable)))
	}
	if !a.fetching.TryLock() {
		return conflict(message.NewError("sources are being fetched already"), message.Of("wait until they are there"))
	}
	defer a.fetching.Unlock()
	response.Header().Set("Content-Type", jsonLines)
	response.WriteHeader(http.StatusOK)
	lines := &lineWriter{response: response}
	last := FetchLine{Done: true}
	if err := a.fetchSource(request.Request.Context(), order.Process, release, lines); err != nil {
		last = FetchLine{Error: errorOf(err).in(printerOf(request))}
	}
	lines.write(last)
	return nil
}

// A lineWriter writes the progress of a download as lines of JSON.
type lineWriter struct {
	response *restful.Response

	mu    sync.Mutex
	stage program.Stage
	last  time.Time
}

// Report implements program.Progress. It leaves out events that follow too fast.
func (l *lineWriter) Report(e program.Event) {
	l.mu.Lock()
	skip := e.Stage == l.stage && time.Since(l.last) < progressPause
	if !skip {
		l.stage, l.last = e.Stage, time.Now()
	}
	l.mu.Unlock()
	if !skip {
		l.write(FetchLine{Progress: &LiveProgress{e.Program, string(e.Stage), e.Done, e.Total}})
	}
}

func (l *lineWriter) write(line FetchLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := json.Marshal(line)
	if err != nil {
		return // cannot happen: all lines can be encoded
	}
	if _, err := l.response.Write(append(data, '\n')); err == nil { // else the client left
		l.response.Flush()
	}
}
