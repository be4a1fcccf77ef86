package program

import "github.com/kubeapitrace/apitrace/internal/message"

// A Stage is a step of a build.
type Stage string

// stageNames are the names of the stages for people.
var stageNames = map[Stage]message.Message{
	StageResolve: message.Of("resolve"), StageDownload: message.Of("download"), StageTidy: message.Of("tidy"), StageVendor: message.Of("vendor"),
	StageGenerate: message.Of("generate"), StageRewrite: message.Of("rewrite"), StageCompile: message.Of("compile"), StageLink: message.Of("link"),
	StageDone: message.Of("done"), StageStart: message.Of("start"),
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
	// StageStart: the built program starts. It is reported by who starts the program.
	StageStart Stage = "start"
)

// An Event is one step of progress.
type Event struct {
	// Program is the program to build, such as "kube-apiserver v1.37.1".
	Program string
	Stage   Stage
	// In StageCompile, Done of Total packages are compiled. In other stages, or if
	// the number of packages is not known, Total is 0.
	Done, Total int
	// Item is the current package or module, or "".
	Item string
	// Note is a message that stays on the screen, or empty.
	Note message.Message
}

// A Progress receives a build's progress. A build calls Report up to hundreds of
// times per second, but never concurrently.
type Progress interface {
	Report(Event)
}

// A reporter sends the events of one build to a Progress, which may be nil.
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
