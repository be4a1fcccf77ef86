package web

import (
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A LiveState lists the servers, the live
// recordings, and the releases that can be started.
type LiveState struct {
	Releases []Buildable  `json:"releases" description:"The releases that can be started, the newest first."`
	Askers   []string     `json:"askers" description:"Who can send a request."`
	Limits   LiveLimits   `json:"limits" description:"The limits."`
	Servers  []LiveServer `json:"servers" description:"The servers, in the order in which they were requested."`
	Traces   []LiveTrace  `json:"traces" description:"The live recordings, the newest first."`
}

// A Buildable is a release that can be built and started as a server.
type Buildable struct {
	K8sVersion string `json:"k8sVersion" description:"The release of Kubernetes."`
	Built      bool   `json:"built" description:"Whether the release is built. If it is, its server starts in seconds. If not, the build takes minutes."`
}

// LiveLimits are the limits of the live views.
type LiveLimits struct {
	Servers      int   `json:"servers" description:"How many servers may run at the same time, one of each release."`
	Traces       int   `json:"traces" description:"How many live recordings are kept."`
	BodyBytes    int64 `json:"bodyBytes" description:"How many bytes the body of a request may have."`
	UploadBytes  int64 `json:"uploadBytes" description:"How many bytes an uploaded recording may have."`
	GraceSeconds int   `json:"graceSeconds" description:"How long servers keep running after the last listener of the events has left."`
}

// The states of a LiveServer.
const (
	stateStarting = "starting"
	stateReady    = "ready"
	stateStopping = "stopping"
	stateFailed   = "failed"
)

// stateNames has the words for the states in messages.
var stateNames = map[string]message.Message{
	stateStarting: message.Of("starting"), stateReady: message.Of("ready"), stateStopping: message.Of("stopping"), stateFailed: message.Of("failed"),
}

// A LiveServer describes a server that somebody has asked to start.
type LiveServer struct {
	Release  string        `json:"release" description:"Its version of Kubernetes."`
	As       string        `json:"as" description:"The user of the kubeconfig."`
	State    string        `json:"state" description:"What it is doing." enum:"starting|ready|stopping|failed"`
	Progress *LiveProgress `json:"progress,omitempty" description:"Progress of the build; absent if no build is running."`
	Notices  []string      `json:"notices" description:"The last twenty notices about the server, the oldest first."`
	Error    string        `json:"error" description:"Why it failed; empty otherwise."`
	Own      bool          `json:"own" description:"Whether it was started here; else \"apitrace serve\" keeps it running."`
	// Kubeconfig is only the path. The API does
	// not return the credentials in the file.
	Kubeconfig string   `json:"kubeconfig" description:"Path of the kubeconfig for clients whose requests are traced; empty unless the server is ready."`
	Busy       string   `json:"busy" description:"The scenario that is being replayed; empty if none is."`
	Commands   []string `json:"commands" description:"Commands for a shell that send requests to it."`
}

// A LiveProgress is the progress of a build.
type LiveProgress struct {
	Program string `json:"program" description:"What is built."`
	Stage   string `json:"stage" description:"resolve, download, tidy, vendor, generate, rewrite, compile, link, done or start."`
	Done    int    `json:"done" description:"How many packages are compiled."`
	Total   int    `json:"total" description:"How many packages there are; 0 if packages are not counted."`
}

// The kinds of a LiveTrace.
const (
	kindReplay  = "replay"
	kindRequest = "request"
	kindClient  = "client"
	kindUpload  = "upload"
)

// A LiveTrace describes a live recording in lists.
type LiveTrace struct {
	ID         string    `json:"id" description:"Takes the place of the scenario in addresses, behind the release \"live\"."`
	Kind       string    `json:"kind" description:"The origin of the recording: a replay of a scenario, a request of the form, a request of a client, or an uploaded recording." enum:"replay|request|client|upload"`
	Title      string    `json:"title" description:"The scenario, the request or the file."`
	Release    string    `json:"release" description:"The server's version of Kubernetes; empty if unknown."`
	Received   time.Time `json:"received" description:"When it was recorded here."`
	Requests   int       `json:"requests" description:"How many requests it has; 0 if there is no trace."`
	Status     int       `json:"status" description:"HTTP status of the last request, 0 if there was none."`
	HungUp     bool      `json:"hungUp,omitempty" description:"Whether the client did not wait for the end of the answer."`
	Calls      int       `json:"calls" description:"How many calls its requests have."`
	DurationNs int64     `json:"durationNs" description:"How long the client waited or, if no client sent it, how long the first calls of its requests took, in nanoseconds."`
	Etcd       string    `json:"etcd" description:"What kube-apiserver asked etcd for, such as \"Range, 2 Txn\"; empty if it asked for nothing, or its calls are not known."`
	Error      string    `json:"error" description:"Why there is no trace; empty otherwise."`
	Notices    []string  `json:"notices" description:"Notices about the recording."`
	// Answer is not kept.
	Answer *LiveAnswer `json:"answer,omitempty" description:"Of sendRequest: what the server answered; absent in lists."`
}

// A LiveAnswer is the body of an answer.
type LiveAnswer struct {
	Type   string `json:"type" description:"Its media type."`
	Bytes  int    `json:"bytes" description:"Its length in bytes."`
	Text   string `json:"text" description:"Its text, indented if it is JSON; empty if it is no text."`
	Cut    bool   `json:"cut,omitempty" description:"Whether the text is not the whole answer."`
	Hidden bool   `json:"hidden,omitempty" description:"Whether it is left out, because the path names a resource that holds secrets."`
}

// A LiveNotice is the data of an event with a message for the user.
type LiveNotice struct {
	Release string `json:"release" description:"The server of the notice."`
	Text    string `json:"text" description:"The text of the notice."`
}

// A ServerOrder is the body of a request to start a server.
type ServerOrder struct {
	Release string `json:"release" description:"A release of Kubernetes: \"v1.37.1\", \"1.37\" or \"latest\"."`
	As      string `json:"as,omitempty" description:"The user of the kubeconfig for clients: admin (the default), learner or anonymous."`
}

// A ReplayOrder is the body of a request to replay a scenario.
type ReplayOrder struct {
	Scenario string `json:"scenario" description:"Name of a scenario of the library."`
}

// A RequestOrder is a request to send, in the form of "apitrace request".
type RequestOrder struct {
	Method         string   `json:"method" description:"HTTP method."`
	Path           string   `json:"path" description:"URL path with its query."`
	As             string   `json:"as,omitempty" description:"The user that sends the request: admin (the default), learner, anonymous or stranger."`
	Headers        []string `json:"headers,omitempty" description:"Headers, each as \"Name: value\"."`
	Body           string   `json:"body,omitempty" description:"The body: YAML or JSON, which is sent as JSON. With a Content-Type among the headers it is sent as it is."`
	TimeoutSeconds int      `json:"timeoutSeconds,omitempty" description:"Timeout in seconds: 20 by default, at most 300."`
}
