package web

import (
	"time"

	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// The values of the view's parameter "show".
const (
	viewPath     = "path"
	viewUpstream = "upstream"
)

var (
	viewSample      = view.Trace{}
	diffSample      = render.DiffDocument{}
	recordingSample = trace.Recording{}
)

// A ReleaseList lists releases.
type ReleaseList struct {
	Items []Release `json:"items" description:"The releases, the newest first."`
}

// A Release is a release of Kubernetes with recordings.
type Release struct {
	K8sVersion  string    `json:"k8sVersion" description:"The release of Kubernetes."`
	EtcdVersion string    `json:"etcdVersion" description:"The etcd behind it."`
	Recorded    time.Time `json:"recorded" description:"When its recordings were made."`
	Scenarios   []string  `json:"scenarios" description:"The scenarios that it has recorded."`
	Source      bool      `json:"source" description:"Whether the source of its kube-apiserver is on this machine."`
}

// A ScenarioList lists scenarios.
type ScenarioList struct {
	Items []Scenario `json:"items" description:"The scenarios, by topic."`
}

// A Scenario is a scenario of the library, or a file of the user.
type Scenario struct {
	Name        string   `json:"name" description:"Name of the scenario, or of the file."`
	Topic       string   `json:"topic" description:"Title of the topic that it belongs to."`
	Title       string   `json:"title" description:"What happens, in a few words."`
	Description string   `json:"description" description:"What is sent, to which state."`
	Teaches     string   `json:"teaches" description:"What one can learn from the trace."`
	Releases    []string `json:"releases" description:"The releases that have recorded it, the newest first."`
	Sends       []string `json:"sends" description:"The traced requests: method and path, each once."`
	Follows     bool     `json:"follows,omitempty" description:"Whether its recordings have what the requests caused, and so a story."`
}

// A RecordingHead is a recording without its calls.
type RecordingHead struct {
	Scenario    string        `json:"scenario" description:"Name of the scenario."`
	Title       string        `json:"title" description:"What happens, in a few words."`
	K8sVersion  string        `json:"k8sVersion" description:"Version of the traced kube-apiserver."`
	EtcdVersion string        `json:"etcdVersion" description:"Version of the etcd behind it."`
	Edited      []string      `json:"edited,omitempty" description:"The files that were not upstream's; absent if all were."`
	Recorded    *time.Time    `json:"recorded,omitempty" description:"When the recording was made; absent if unknown."`
	Requests    []RequestHead `json:"requests" description:"The requests, in the order in which they were sent."`
}

// A RequestHead is a request without its calls.
type RequestHead struct {
	Number     int    `json:"number" description:"Counts from 1."`
	TraceID    string `json:"traceID" description:"W3C trace id."`
	Method     string `json:"method" description:"HTTP method."`
	Path       string `json:"path" description:"URL path with its query."`
	Status     int    `json:"status" description:"HTTP status code, 0 if the client received none."`
	Calls      int    `json:"calls" description:"How many calls it has."`
	DurationNs int64  `json:"durationNs" description:"How long its first call took or, for an event, the time until its last call had returned, in nanoseconds."`
}

// A LayerList has the layers that a request passes.
type LayerList struct {
	Items []Layer `json:"items" description:"The layers: the traced programs in the order in which the request reached them, and the layers of a program in the order of the guide."`
	// Longest ranks the functions by the sum of their calls' own times.
	Longest []LongFunction `json:"longest" description:"The functions with the longest own time, the longest first; at most 30. Own time is the time of a call without the time of the calls that it made. Calls that had not returned when the trace was collected do not count."`
}

// A Layer is a part of a traced program, with
// the calls of a request that run there.
type Layer struct {
	Layer   string `json:"layer" description:"Name of the layer."`
	Title   string `json:"title" description:"Its title."`
	Colour  string `json:"colour" description:"Its colour, empty if it has none."`
	Process string `json:"process" description:"The traced program."`
	Longest int    `json:"longest" description:"Number of the call in it with the greatest ownNs."`
	First   int    `json:"first" description:"Number of the request's first call in it."`
	Calls   int    `json:"calls" description:"How many of the request's calls are in it."`
	OwnNs   int64  `json:"ownNs" description:"The sum of the own times of these calls, in nanoseconds: of their time without the time of the calls that they made. Calls that ran at the same time on several goroutines count fully. Calls that had not returned when the trace was collected do not count."`
}

// A LongFunction is a function that took much time of a request.
type LongFunction struct {
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Its short name."`
	Process  string `json:"process" description:"The traced program."`
	Layer    string `json:"layer" description:"Name of its layer, empty if it has none."`
	Colour   string `json:"colour" description:"Colour of the layer, empty if it has none."`
	Longest  int    `json:"longest" description:"Number of the call with the greatest ownNs."`
	Calls    int    `json:"calls" description:"How many calls it has."`
	OwnNs    int64  `json:"ownNs" description:"The sum of the own times of these calls, in nanoseconds."`
	Remote   string `json:"remote,omitempty" description:"The traced program that answers all of the calls. Then their own time is the time on the way there and back."`
}

// A Source is the source of a function.
type Source struct {
	Function string       `json:"function" description:"Full name of the function."`
	File     string       `json:"file" description:"File of the function, as calls name it."`
	Line     int          `json:"line" description:"Line of the word func."`
	Program  string       `json:"program" description:"The program that it is part of, with its version."`
	URL      string       `json:"url,omitempty" description:"Where upstream shows it; absent if that is not known."`
	Lines    []SourceLine `json:"lines" description:"The lines, from the doc comment on."`
	Missing  string       `json:"missing,omitempty" description:"Of getCallSource: why there are no lines."`
	Action   string       `json:"action,omitempty" description:"What to do about that."`
	Marks    []Mark       `json:"marks" description:"Functions that the lines call: in getSource the functions that recorded calls reached, and in both the functions without a span."`
}

// A Type is a type in the source of a release.
type Type struct {
	Name    string       `json:"name" description:"Full name of the type."`
	File    string       `json:"file" description:"File of the declaration, as calls name it."`
	Line    int          `json:"line" description:"Line of the name."`
	Program string       `json:"program" description:"The program that it is part of, with its version."`
	URL     string       `json:"url,omitempty" description:"Where upstream shows it; absent if that is not known."`
	Lines   []SourceLine `json:"lines" description:"The lines of the declaration, from its comment on."`
	Methods []TypeMethod `json:"methods" description:"The methods of the type; for an interface, the methods of the interfaces that it embeds."`
	// Interface and Recordings say how to read the Scenarios of Methods.
	Interface  bool   `json:"interface,omitempty" description:"Whether it is an interface."`
	Recordings int    `json:"recordings" description:"How many recorded scenarios of the release were searched for its methods; 0 if there are none."`
	Facts      string `json:"facts" description:"Text of lines up to 80 columns wide: the types that were behind an interface in the recordings, and what the releases changed."`
}

// A TypeMethod is a method of a type.
type TypeMethod struct {
	Function  string `json:"function" description:"Full name of the method."`
	Name      string `json:"name" description:"Its short name."`
	File      string `json:"file" description:"File of the declaration, as calls name it."`
	Line      int    `json:"line" description:"Line of the name."`
	Scenarios int    `json:"scenarios" description:"How many of the recorded scenarios called it; 0 for a method of an interface."`
	NoSpan    bool   `json:"noSpan,omitempty" description:"Whether the function has no span. Without a span, recordings do not show whether it was called."`
}

// A SourceLine is a line of source, split into tokens.
type SourceLine struct {
	Number int     `json:"number" description:"Number of the line in upstream's file."`
	Tokens []Token `json:"tokens" description:"The pieces of the line."`
}

// A Token is a piece of a line.
type Token struct {
	Kind string `json:"kind,omitempty" description:"keyword, string, number, comment, function, builtin or type; absent for the rest."`
	Text string `json:"text" description:"The text."`
}

// A Mark is a function that was called from a line.
type Mark struct {
	Line     int    `json:"line" description:"The line."`
	Function string `json:"function" description:"Full name of what was called."`
	Name     string `json:"name" description:"Its short name."`
	Count    int    `json:"count" description:"How often it was called from there."`
	NoSpan   bool   `json:"noSpan,omitempty" description:"Whether the function has no span. Without a span, recordings do not show whether it was called."`
	Upstream string `json:"upstream,omitempty" description:"Of a call of upstream's own tracing: what the first one does, such as adding an event."`
	Failed   bool   `json:"failed,omitempty" description:"Whether one of the calls returned an error or panicked."`
}

// A HitList is a part of the results of a search.
type HitList struct {
	Lines []FoundLine `json:"lines,omitempty" description:"The functions of a line, if the text is FILE.go:LINE, one for each file with that name; total does not count them."`
	Total int         `json:"total" description:"How many hits there are."`
	From  int         `json:"from" description:"How many of them are before the first one here."`
	Names []Name      `json:"names,omitempty" description:"Functions and types of released sources with a name that the text means; at most 20. Functions that recordings have are left out if they have the same name in the newest release."`
	// Reading is independent of from and limit.
	Reading []Reading `json:"reading,omitempty" description:"Layers, feature gates, lessons, exercises and documents with the text; at most 12 of each kind."`
	Items   []Hit     `json:"items" description:"The hits: functions, values, errors. Within a kind, the hits in the fewest recordings come first. Functions with names that match less well come last."`
}

// A FoundLine is a line of a file, with the function that it belongs to.
type FoundLine struct {
	Function   string `json:"function" description:"Full name of the function."`
	Short      string `json:"short" description:"Its short name."`
	K8sVersion string `json:"k8sVersion" description:"The release of the file."`
	File       string `json:"file" description:"The file, as calls name it."`
	Line       int    `json:"line" description:"The line."`
	Begins     int    `json:"begins" description:"The line of the function's word func."`
	Sure       bool   `json:"sure,omitempty" description:"Whether the line is known to be in the function. If not, the function is the recorded one that begins last before the line."`
	Text       string `json:"text" description:"The same in a sentence without the function."`
}

// A Reading is a layer, a feature gate, or a page to read that a search found.
type Reading struct {
	Kind  string `json:"kind" description:"What it is." enum:"layer|gate|lesson|exercise|document"`
	Name  string `json:"name" description:"Its name; the path of a document's file."`
	Title string `json:"title" description:"Its title; a gate's name."`
	Text  string `json:"text,omitempty" description:"A gate's defaults in a sentence, or the heading with the text; absent if the title has the text."`
}

// A Hit is a text that contains the searched text.
type Hit struct {
	Kind   string     `json:"kind" description:"What the text is." enum:"function|value|error"`
	Text   string     `json:"text" description:"Full name of a function, \"name=value\", or an error."`
	Short  string     `json:"short" description:"The same, shorter."`
	Places []HitPlace `json:"places" description:"The scenarios that have it."`
	Behind bool       `json:"behind,omitempty" description:"Whether other functions match better; absent if not."`
}

// A Name is a function or a type in released
// sources. The sources were read, not run.
type Name struct {
	Kind  string `json:"kind" description:"What it is." enum:"function|type"`
	Name  string `json:"name" description:"Full name."`
	Short string `json:"short" description:"The same, shorter."`
	Now   string `json:"now,omitempty" description:"Its short name in the newest release, if that is another one."`
	Fate  string `json:"fate" description:"In which releases the name is, and what became of it."`
	// Release is the release to show the function or type in.
	Release string `json:"release,omitempty" description:"The newest release that has it, under this name or its later one; \"latest\" for the newest of all. Absent if no recorded release has it."`
}

// A HitPlace is a scenario and the releases with a recording that has the text.
type HitPlace struct {
	Scenario string   `json:"scenario" description:"Name of the scenario."`
	Releases []string `json:"releases" description:"The releases, the newest first."`
}
