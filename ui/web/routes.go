package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	restfulspec "github.com/emicklei/go-restful-openapi/v2"
	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/routes"
	"github.com/kubeapitrace/apitrace/ui/web/page"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// OpenAPIPath is the path of the API's OpenAPI document.
const OpenAPIPath = "/openapi.json"

// An api handles the requests to its routes.
type api struct {
	library *library
	live    *live
	version string
	// uploading is held while a file is read, so that one file is read at a time.
	uploading sync.Mutex
	// fetching is held while sources are fetched.
	fetching    sync.Mutex
	fetchSource SourceFetcher
}

// A route describes one route of the API. The go-restful
// route and the OpenAPI document are made from it.
type route struct {
	path, id, doc string
	// method is "" for GET.
	method string
	// body has the type of the request's body; nil means no body.
	body any
	// most is the maximum size of the body in bytes; 0 means mostBody.
	most int64
	// query lists the query parameters. path has the path parameters, which
	// pathParameters describes.
	query []parameter
	// sample has the type of the answer.
	sample any
	// produces is the media type of the answer; "" means JSON.
	produces string
	handle   func(*restful.Request) (any, error)
	// stream, if not nil, is used instead of handle. It writes the answer itself.
	stream func(*restful.Request, *restful.Response) error
}

// A parameter is a query parameter or a path parameter.
type parameter struct {
	name, doc string
	// kind is "string" or "integer". values has the allowed
	// values; nil allows all.
	kind     string
	required bool
	values   []string
	// least and most limit an integer; 0 means no limit.
	// otherwise is the default value.
	least, most int64
	otherwise   string
}

var (
	paramLang  = parameter{name: "lang", doc: "The language of titles, notes and sentences.", kind: "string", values: []string{"en", "zh"}, otherwise: "en"}
	paramK8s   = parameter{name: "k8s", doc: "The release with the recordings that answers are judged by.", kind: "string", otherwise: "latest"}
	paramFrom  = parameter{name: "from", doc: "Number of entries at the start of the list to skip.", kind: "integer", otherwise: "0"}
	paramLimit = parameter{name: "limit", doc: "Maximum number of entries to return.", kind: "integer", least: 1, most: mostListed, otherwise: fmt.Sprint(usuallyListed)}
)

const (
	usuallyListed = 200
	mostListed    = 2000
)

// pathParameters describes the path parameters, by name.
var pathParameters = map[string]parameter{
	"release":  {name: "release", kind: "string", doc: "A recorded release: \"v1.37.1\", \"1.37\" or \"latest\"."},
	"scenario": {name: "scenario", kind: "string", doc: "Name of a scenario, or of a file that the server was started with."},
	"request":  {name: "request", kind: "integer", doc: "Number of a request of the recording, from 1."},
	"exercise": {name: "exercise", kind: "string", doc: "Name of an exercise, or its number, such as 3.2."},
	"lesson":   {name: "lesson", kind: "string", doc: "Name of a lesson."},
	"gate":     {name: "gate", kind: "string", doc: "Name of a feature gate."},
	"server":   {name: "server", kind: "string", doc: "The release of a live server."},
	"call":     {name: "call", kind: "integer", doc: "Number of a call of the request, from 0, in order of entry."},
}

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

const recordingPath = "/releases/{release}/scenarios/{scenario}"
const requestPath = recordingPath + "/requests/{request}"

func (a *api) routes() []route {
	all := []route{
		{path: "/releases", id: "listReleases", doc: "List the recorded releases, the newest first", sample: ReleaseList{}, handle: a.listReleases},
		{path: "/scenarios", id: "listScenarios", doc: "List the scenarios, by topic", query: []parameter{paramLang}, sample: ScenarioList{}, handle: a.listScenarios},
		{path: recordingPath, id: "getRecording", doc: "Describe a recording: what was recorded, and its requests", query: []parameter{paramLang}, sample: RecordingHead{}, handle: a.getRecording},
		{path: recordingPath + "/export", id: "exportRecording", doc: "Return a whole recording, in the format of \"apitrace show -o json\"", sample: recordingSample, stream: a.exportRecording},
		{path: requestPath + "/view", id: "getView", doc: "Return the default view of a request: sections, steps and sentences",
			query:  []parameter{paramLang, {name: "show", doc: "What to show: key steps, or key steps and upstream's own spans and events.", kind: "string", values: []string{viewPath, viewUpstream}, otherwise: viewPath}},
			sample: viewSample, handle: a.getView},
		{path: requestPath + "/calls", id: "getCalls", doc: "Return all calls of a request, as a table", sample: CallTable{}, handle: a.getCalls},
		{path: requestPath + "/calls/{call}/source", id: "getCallSource", doc: "Return the source of a call's function, with the functions without a span that it calls", sample: Source{}, handle: a.getCallSource},
		{path: requestPath + "/layers", id: "listLayers", doc: "List the layers that a request passes", query: []parameter{paramLang}, sample: LayerList{}, handle: a.listLayers},
		{path: "/releases/{release}/source", id: "getSource", doc: "Return the source of a function, with the lines that made recorded calls",
			query: []parameter{
				{name: "function", doc: "The function: its full name or an end of it, such as \"etcd3.(*store).Get\".", kind: "string", required: true},
				{name: "scenario", doc: "Count only the calls of this scenario, not of all scenarios that call the function.", kind: "string"},
			}, sample: Source{}, handle: a.getSource},
		{path: "/releases/{release}/function", id: "getFunction", doc: "Return what is known of a function in a release: the guide's note, its callers, callees and values in the recordings, and the requests that call it",
			query: []parameter{
				{name: "function", doc: "The function: its full name in any release, or an end of its name in this one.", kind: "string", required: true}, paramLang,
			}, sample: Function{}, handle: a.getFunction},
		{path: "/history/function", id: "getFunctionHistory", doc: "Follow a function through the releases: its name, its place, and how many scenarios call it",
			query: []parameter{{name: "function", doc: "The function: its full name in any release, or an end of it.", kind: "string", required: true}, paramLang}, sample: FunctionHistory{}, handle: a.getFunctionHistory},
		{path: "/releases/{release}/type", id: "getType", doc: "Return a type of kube-apiserver: its declaration, its methods, and the types that were behind an interface in the recordings",
			query: []parameter{
				{name: "name", doc: "The type: its full name or an end of it, such as \"rest.Getter\", in any release.", kind: "string", required: true}, paramLang,
			}, sample: Type{}, handle: a.getType},
		{path: "/releases/{release}/gates/{gate}", id: "getGate", doc: "Return what is known of a feature gate: its defaults, and the functions that ask for it", query: []parameter{paramLang}, sample: Gate{}, handle: a.getGate},
		{path: "/search", id: "search", doc: "Find functions, recorded values and errors by a part of their text, or the function of a line by FILE.go:LINE",
			query: []parameter{
				{name: "text", doc: "What to search for.", kind: "string", required: true},
				{name: "release", doc: "The release of the file, if the text is FILE.go:LINE; the default is the newest one.", kind: "string"}, paramFrom, paramLimit, paramLang,
			}, sample: HitList{}, handle: a.search},
		{path: "/history", id: "getHistory", doc: "Describe what each release changed on the path of a scenario",
			query: []parameter{{name: "scenario", doc: "Name of a scenario.", kind: "string", required: true}, paramLang}, sample: ScenarioHistory{}, handle: a.getHistory},
		{path: "/guide", id: "getGuide", doc: "Return the guide by layer: the key steps, their notes, and the values that are recorded", query: []parameter{paramLang}, sample: GuideList{}, handle: a.getGuide},
		{path: "/workshop/lessons", id: "listLessons", doc: "List the lessons", query: []parameter{paramLang}, sample: LessonList{}, handle: a.listLessons},
		{path: recordingPath + "/story", id: "getStory", doc: "Return what the requests of a recording caused, in one line for each decision and each change",
			query: []parameter{paramLang}, sample: view.CausalStory{}, handle: a.getStory},
		{path: requestPath + "/gates", id: "listGates", doc: "List the feature gates that the functions of a request ask for", sample: GateList{}, handle: a.listGates},
		{path: requestPath + "/map", id: "getMap", doc: "Return the way of a request through the parts of the servers, for a picture",
			query: []parameter{paramLang}, sample: view.RequestMap{}, handle: a.getMap},
		{path: "/releases/{release}/routes", id: "listRoutes", doc: "List the servers, groups, resources and routes of a release as its start built them, with storages and strategies",
			sample: routes.Built{}, handle: a.listRoutes},
		{path: "/live", id: "getLive", doc: "List the live servers, their recordings, and the releases that can be started", query: []parameter{paramLang}, sample: LiveState{}, handle: a.getLive},
		{path: "/live/events", id: "streamEvents", doc: "Stream changes of the live servers as server-sent events: servers, trace, check, notice. The servers stop after a grace period without a listener", query: []parameter{paramLang}, sample: LiveServer{}, produces: eventStream, stream: a.streamEvents},
		{path: "/live/servers", method: http.MethodPost, id: "startServer", doc: "Begin to start a server of a release. If necessary, the server is built first", query: []parameter{paramLang}, body: ServerOrder{}, sample: LiveServer{}, handle: a.startServer},
		{path: "/live/servers/{server}", method: http.MethodDelete, id: "stopServer", doc: "Begin to stop a server, or cancel its start", query: []parameter{paramLang}, sample: LiveServer{}, handle: a.stopServer},
		{path: "/live/servers/{server}/replays", method: http.MethodPost, id: "replay", doc: "Replay a scenario and return the id of its recording. Closing the connection cancels the replay", query: []parameter{paramLang}, body: ReplayOrder{}, sample: LiveTrace{}, handle: a.replay},
		{path: "/live/servers/{server}/requests", method: http.MethodPost, id: "sendRequest", doc: "Send a request and return the id of its recording. Closing the connection cancels the request", query: []parameter{paramLang}, body: RequestOrder{}, sample: LiveTrace{}, handle: a.sendRequest},
		{path: "/workshop", id: "getWorkshop", doc: "List the chapters and exercises of the workshop with the learner's progress", query: []parameter{paramLang, paramK8s}, sample: learner.Board{}, handle: a.getWorkshop},
		{path: "/workshop/exercises/{exercise}", id: "getExercise", doc: "Return an exercise: its question, and what the learner may read of the rest", query: []parameter{paramLang, paramK8s}, sample: learner.Sheet{}, handle: a.getExercise},
		{path: "/workshop/exercises/{exercise}/actions", method: http.MethodPost, id: "doExercise", doc: "Start an exercise, take a hint, see the solution, or delete the progress", query: []parameter{paramLang, paramK8s}, body: ExerciseAction{}, sample: learner.Sheet{}, handle: a.doExercise},
		{path: "/workshop/exercises/{exercise}/answers", method: http.MethodPost, id: "answerExercise", doc: "Judge an answer. Live exercises need a server, which is built first if necessary. Closing the connection cancels the build and the check", query: []parameter{paramLang, paramK8s}, body: ExerciseAnswer{}, sample: ExerciseReply{}, handle: a.answerExercise},
		{path: "/workshop/lessons/{lesson}", id: "getLesson", doc: "Return a lesson", query: []parameter{paramLang}, sample: Lesson{}, handle: a.getLesson},
		{path: "/releases/{release}/sources", method: http.MethodPost, id: "fetchSources", doc: "Fetch the source of a program of a release into the cache. The answer has a line of JSON for each step. Closing the connection cancels the download",
			query: []parameter{paramLang}, body: SourceOrder{}, sample: FetchLine{}, produces: jsonLines, stream: a.fetchSources},
		{path: "/uploads", method: http.MethodPost, id: "upload", doc: "Add a recording to the live recordings: a file of apitrace, or OTLP JSON of another program",
			query: []parameter{{name: "name", doc: "Name of the file.", kind: "string", required: true}, paramLang}, body: Upload{}, most: mostUpload, sample: LiveTrace{}, handle: a.upload},
	}
	all = append(all, a.comparisonRoutes("/diff", "diff", "the path of a scenario's requests differs between two releases", diffSides)...)
	return append(all, a.comparisonRoutes("/compare", "compare", "the paths of two scenarios differ on one release", compareSides)...)
}

// pageFiles has the paths of the page's files.
var pageFiles = map[string]bool{"/": true, "/page.js": true, "/page.css": true}

func newAPI(o Options, live *live) *api {
	a := &api{library: &library{files: o.Files, source: o.Source, store: live.store, answers: o.Answers}, live: live, version: o.Version}
	if a.fetchSource = o.FetchSource; a.fetchSource == nil {
		a.fetchSource = fetchSource
	}
	if a.library.source == nil {
		a.library.source = cachedSource
	}
	return a
}

// handler returns the handler for the API, its OpenAPI document and the page.
func (a *api) handler() (http.Handler, error) {
	container := restful.NewContainer()
	container.ServiceErrorHandler(func(err restful.ServiceError, request *restful.Request, response *restful.Response) {
		for name, values := range err.Header {
			response.Header()[name] = values
		}
		refuse(response, printerFor(request.Request), newError(err.Code, routeError(err), message.Of("GET %s lists the routes", OpenAPIPath)))
	})
	container.DoNotRecover(false)
	container.RecoverHandler(func(reason any, w http.ResponseWriter) {
		slog.Error("a request to the API panicked", "reason", reason, "stack", string(debug.Stack()))
		refuse(w, message.Printer{}, newError(http.StatusInternalServerError, message.Errorf("handling the request: panic: %v", reason), reportIt))
	})
	service := new(restful.WebService)
	service.Path(Base).Produces(restful.MIME_JSON)
	for _, r := range a.routes() {
		service.Route(r.build(service))
	}
	container.Add(service)
	document, err := describe(service, a.version)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(Base+"/", container)
	mux.HandleFunc("GET "+OpenAPIPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", restful.MIME_JSON)
		_, _ = w.Write(document) // an error means that the client left
	})
	files := http.FileServerFS(page.Files())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			refuse(w, printerFor(r), newError(http.StatusMethodNotAllowed, message.Errorf("the method is %s", r.Method), message.Of("use GET: only the API accepts other methods")))
		case !pageFiles[r.URL.Path]:
			refuse(w, printerFor(r), newError(http.StatusNotFound, message.Errorf("there is nothing at %q", r.URL.Path), message.Of("GET %s lists the routes", OpenAPIPath)))
		default:
			files.ServeHTTP(w, r)
		}
	})
	return mux, nil
}

// routeError returns the reason why no route of go-restful matches a request.
func routeError(err restful.ServiceError) error {
	switch err.Code {
	case http.StatusNotFound:
		return message.NewError("the API has no such address")
	case http.StatusMethodNotAllowed:
		return message.NewError("the address does not accept this method")
	case http.StatusNotAcceptable:
		return message.NewError("the answer has none of the types that the request accepts")
	case http.StatusUnsupportedMediaType:
		return message.NewError("the address does not accept the type of the body")
	}
	return errors.New(strings.TrimPrefix(err.Message, fmt.Sprintf("%d: ", err.Code)))
}

// build makes the go-restful route.
func (r *route) build(service *restful.WebService) *restful.RouteBuilder {
	b := service.Method(cmp.Or(r.method, http.MethodGet)).Path(r.path).Doc(r.doc).Operation(r.id).Writes(r.sample).
		Metadata(restfulspec.KeyOpenAPITags, []string{"apitrace"}).
		Returns(http.StatusOK, "OK", r.sample).
		Returns(http.StatusBadRequest, "A parameter is wrong", Error{}).
		Returns(http.StatusUnauthorized, "The token is missing or wrong", Error{}).
		Returns(http.StatusForbidden, "Another host or origin", Error{}).
		Returns(http.StatusNotFound, "Not found", Error{}).
		Returns(http.StatusInternalServerError, "A bug of apitrace", Error{})
	if r.method != "" {
		b.Returns(http.StatusConflict, "The state of the server does not allow it", Error{}).Returns(http.StatusBadGateway, "The server failed", Error{}).
			Returns(http.StatusRequestEntityTooLarge, "The body is too large", Error{}).Returns(http.StatusUnsupportedMediaType, "The body is not JSON", Error{})
	}
	if r.body != nil {
		b.Reads(r.body).Consumes(restful.MIME_JSON)
	}
	if r.produces != "" {
		b.Produces(r.produces, restful.MIME_JSON).Returns(http.StatusTooManyRequests, "Too many listeners", Error{})
	}
	for part := range strings.SplitSeq(r.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			p := pathParameters[strings.TrimSuffix(name, "}")]
			b.Param(restful.PathParameter(p.name, p.doc).DataType(p.kind).Required(true))
		}
	}
	for _, p := range r.query {
		q := restful.QueryParameter(p.name, p.doc).DataType(p.kind).Required(p.required).DefaultValue(p.otherwise)
		if len(p.values) > 0 {
			q.PossibleValues(p.values)
		}
		if p.least != 0 {
			q.Minimum(float64(p.least))
		}
		if p.most != 0 {
			q.Maximum(float64(p.most))
		}
		b.Param(q)
	}
	return b.To(r.serve)
}

func (r *route) serve(request *restful.Request, response *restful.Response) {
	err := r.check(request)
	if r.body != nil {
		clearReadDeadline(response) // a replay may take minutes
		request.Request.Body = http.MaxBytesReader(response, request.Request.Body, cmp.Or(r.most, mostBody))
	}
	if err == nil && r.stream != nil {
		err = r.stream(request, response)
	} else if err == nil {
		var answer any
		if answer, err = r.handle(request); err == nil {
			response.Header().Set("Content-Type", restful.MIME_JSON)
			write(response, answer)
		}
	}
	if err != nil {
		refuse(response, printerFor(request.Request), errorOf(err))
	}
}

// describe returns the OpenAPI document of a service as JSON.
func describe(service *restful.WebService, version string) ([]byte, error) {
	document, err := openAPI(service, version)
	if err != nil {
		return nil, message.Errorf("making the OpenAPI document: %w", err)
	}
	return json.MarshalIndent(document, "", "  ")
}
