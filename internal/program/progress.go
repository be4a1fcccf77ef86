package program

import "github.com/kubeapitrace/apitrace/internal/message"

// A Stage is a step between a version and a running program.
type Stage string

// stageNames are the names of the stages for people.
var stageNames = map[Stage]message.Message{
	StageResolve: message.Of("resolve"), StageDownload: message.Of("download"), StageTidy: message.Of("tidy"), StageVendor: message.Of("vendor"),
	StageGenerate: message.Of("generate"), StageRewrite: message.Of("rewrite"), StageCompile: message.Of("compile"), StageLink: message.Of("link"),
	StageDone: message.Of("done"),
}

// The stages, in their order.
const (
	StageResolve  Stage = "resolve"
	StageDownload Stage = "download"
	StageTidy     Stage = "tidy"
	StageVendor   Stage = "vendor"
	StageGenerate Stage = "generate" // only if the program has generators
	StageRewrite  Stage = "rewrite"
	StageCompile  Stage = "compile"
	StageLink     Stage = "link"
	StageDone     Stage = "done"
)

// An Event is one step of progress.
type Event struct {
	// Program is the program that is being built: "kube-apiserver v1.37.1".
	Program string
	Stage   Stage
	// Done is the number of compiled packages out of Total, in StageCompile. Total is 0 if there
	// is nothing to count.
	Done, Total int
	// Item is the current package or module; may be "".
	Item string
	// Note is a message for the user that stays on the screen. It may be empty.
	Note message.Message
}

// A Progress receives the progress of a build. Calls of Report are serialized. They are
// frequent: hundreds per second.
type Progress interface {
	Report(Event)
}

// A reporter fills in the fields that all events of one build share.
type reporter struct {
	to   Progress
	last Event
}

func newReporter(to Progress, p Program) *reporter {
	return &reporter{to: to, last: Event{Program: p.String()}}
}

func (r *reporter) stage(s Stage, total int) {
	r.last.Stage, r.last.Total, r.last.Done = s, total, 0
	r.send(r.last)
}

// item reports the current item.
func (r *reporter) item(item string) {
	e := r.last
	e.Item = item
	r.send(e)
}

// step counts one more finished item.
func (r *reporter) step(item string) {
	r.last.Done++
	r.item(item)
}

func (r *reporter) notef(format string, args ...any) {
	e := r.last
	e.Note = message.Of(format, args...)
	r.send(e)
}

func (r *reporter) send(e Event) {
	if r.to != nil {
		r.to.Report(e)
	}
}
