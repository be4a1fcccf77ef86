package room

import (
	"context"
	"io"
	"os"
	"runtime"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session"
)

// The sizes and times of the parts, measured with v1.37.1 on linux/amd64. The exported
// builds, with the files that builds with edits need, have 800 MB. Writing them takes half
// a minute of processor time. They take 3.7 GB when imported. The time of a build is from
// the README.
const (
	bytesOfServers  = 800e6
	bytesOfPlain    = 80e6
	bytesImported   = 3.7e9
	minutesOfExport = 1
	minutesOfServer = 12 // kube-apiserver and etcd
	minutesOfSample = 2
	minutesOfTool   = 2 // apitrace for another platform
	minutesOfSite   = 1
)

// A part is a line of the plan. size is in bytes; minutes is processor time.
type part struct {
	what    message.Message
	size    int64
	minutes int
}

// A plan lists a preparation's parts. builds is the number of bytes that builds need in
// the cache.
type plan struct {
	parts  []part
	builds int64
}

// plan makes a preparation's plan, without builds that are in the cache.
func (o *Preparation) plan(ctx context.Context) (*plan, error) {
	version, err := session.RecordedRelease(o.K8s)
	if err != nil {
		return nil, err
	}
	o.K8s = version
	has, err := readCacheStatus(ctx, version)
	if err != nil {
		return nil, err
	}
	plan := &plan{}
	add := func(what message.Message, size int64, minutes int) {
		plan.parts = append(plan.parts, part{what, size, minutes})
	}
	self, err := os.Executable()
	if err != nil {
		return nil, message.Errorf("finding apitrace: %w", err)
	}
	info, err := os.Stat(self)
	if err != nil {
		return nil, message.Errorf("finding apitrace: %w", err)
	}
	others := len(o.platforms()) - 1
	add(message.Plural(others+1, "apitrace for %d platform", "apitrace for %d platforms", others+1), info.Size()*int64(others+1), others*minutesOfTool)
	size, err := o.site().Size()
	if err != nil {
		return nil, err
	}
	add(message.Of("the lessons, and the recordings of %s, as a site", version), size, minutesOfSite)
	if !has.servers {
		add(message.Of("building kube-apiserver %s and etcd with tracing", version), 0, minutesOfServer)
		plan.builds += apiserver.Program(version).Space
	}
	if !has.sample {
		add(message.Of("building the sample API server with tracing"), 0, minutesOfSample)
		plan.builds += apiserver.SampleProgram(version).Space / 10 // it shares most of its packages with kube-apiserver
	}
	exported := int64(bytesOfServers)
	if o.Plain {
		exported += bytesOfPlain
		if !has.plain {
			add(message.Of("building kube-apiserver %s and etcd without tracing", version), 0, minutesOfServer)
			plan.builds += apiserver.Program(version).Space
		}
	}
	add(message.Of("the servers for %s/%s, with source and compiled packages", runtime.GOOS, runtime.GOARCH), exported, minutesOfExport)
	return plan, nil
}

// write writes the plan as a table with a sum.
func (l *plan) write(w io.Writer, p message.Printer) error {
	table := text.NewTable(3)
	table.Row(p.Sprintf("PART"), p.Sprintf("SIZE"), p.Sprintf("PROCESSOR TIME"))
	sum := part{what: message.Of("in all, about")}
	for _, part := range append(l.parts, part{}) {
		if part.what.IsZero() {
			part = sum
		}
		size := "-"
		if part.size > 0 {
			size = program.FormatBytes(part.size)
		}
		sum.size, sum.minutes = sum.size+part.size, sum.minutes+part.minutes
		table.Row(part.what.Localize(p), size, minutes(part.minutes, p))
	}
	if err := table.Write(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n"+p.Sprintf("This machine has %d processors. A machine that imports the servers needs %s of free disk.", runtime.NumCPU(), program.FormatBytes(bytesImported))+"\n")
	return err
}

func minutes(n int, p message.Printer) string {
	if n == 0 {
		return p.Sprintf("seconds")
	}
	return p.Sprintf("%d min", n)
}

// checkSpace returns an error if a disk is too full for the plan.
func (o *Preparation) checkSpace(l *plan) error {
	var need int64
	for _, part := range l.parts {
		need += part.size
	}
	if err := mustHave(o.Folder, need); err != nil || l.builds == 0 {
		return err
	}
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	return mustHave(cache.Root, l.builds)
}

// mustHave returns an error unless a folder's disk has need bytes free. The folder need
// not exist yet.
func mustHave(folder string, need int64) error {
	free, err := program.FreeSpace(existing(folder))
	if err == nil && free < need {
		return message.Errorf("%s has %s free, about %s are needed: choose a folder on a larger disk", folder, program.FormatBytes(free), program.FormatBytes(need))
	}
	return err
}
