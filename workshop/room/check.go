package room

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// A check finds out which exercises can be done on this machine. It uses no network
// and builds nothing.
type check struct {
	// Folder is a preparation to import missing parts from. "" means the current folder
	// if that is a preparation, or else none.
	Folder string
	// K8s is the release, in a form that session.RecordedRelease accepts. The recordings
	// of this release judge the answers.
	K8s string
	// Course is a course's folder; "" is apitrace's own course.
	Course string

	course *workshop.Course
	has    cacheStatus
	mark   mark
	// missing are the exercises that cannot be done.
	missing map[string]bool
}

// run writes for each requirement whether this machine meets it, which exercises need it,
// and the next step. It returns an error if an exercise cannot be done, or a
// requirement is not met.
func (c *check) run(ctx context.Context, w io.Writer, p message.Printer) (err error) {
	if c.K8s, err = session.RecordedRelease(c.K8s); err != nil {
		return err
	}
	if c.course, err = workshop.Open(c.Course); err != nil {
		return err
	}
	if c.mark, err = readMark(c.Folder); err == nil {
		c.Folder = filepath.Clean(c.Folder) // "" in a preparation means that folder
	} else if c.Folder != "" {
		return message.Errorf("%s was not made by \"apitrace workshop prepare\": %w", c.Folder, err)
	}
	if c.has, err = readCacheStatus(ctx, c.K8s); err != nil {
		return err
	}
	c.missing = map[string]bool{}
	recorded, err := c.recorded()
	if err != nil {
		return err
	}
	wrong := machine.PrintFindings(w, p, recorded, progress(), machine.ExaminePorts(), c.servers(), c.sample(), c.changes(ctx))
	if n := len(c.missing); n > 0 {
		return message.Errorf("%d of %d exercises cannot be done on this machine yet", n, len(c.course.Exercises()))
	}
	if wrong > 0 {
		return message.NewError("this machine is not ready for the workshop")
	}
	return nil
}

// recorded solves all exercises that are judged by recordings.
func (c *check) recorded() (machine.Finding, error) {
	f := machine.Finding{What: message.Of("exercises that recordings decide")}
	judge, err := learner.NewJudge(c.K8s)
	if err != nil {
		return f, err
	}
	solved, others := 0, 0
	var failed []error
	for _, e := range c.course.Exercises() {
		if e.Live() {
			continue
		}
		available, err := e.Available(c.K8s)
		if err != nil {
			return f, err
		}
		if !available {
			others++
			continue
		}
		if err := solve(&judge, e); err != nil {
			c.missing[e.Name] = true
			failed = append(failed, message.Errorf("%s: %w", e.Name, err))
			continue
		}
		solved++
	}
	f.Bad = errors.Join(failed...)
	f.Good = message.Of("all %d were solved just now; they need no network, no Go and no server", solved)
	if others > 0 {
		f.Good = message.Of("%s (%d are not about %s)", f.Good, others, c.K8s)
	}
	return f, nil
}

// solve checks that an exercise's right answer passes.
func solve(judge *workshop.Judge, e *workshop.Exercise) error {
	right, err := judge.Right(e)
	if err != nil {
		return err
	}
	if len(right) == 0 {
		return message.NewError("no answer is right")
	}
	verdict, err := judge.Judge(e, workshop.Try{Text: right[0]})
	if err == nil && !verdict.Passed {
		err = message.Errorf("the answer %q does not pass", right[0])
	}
	return err
}

// progress checks that the learner's progress can be saved.
func progress() machine.Finding {
	f := machine.Finding{What: message.Of("your progress")}
	dir, err := program.StateDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(dir, "check-*"); err == nil {
			err = errors.Join(file.Close(), os.Remove(file.Name()))
		}
	}
	if err != nil {
		f.Bad = workshop.StateError(err)
		return f
	}
	f.Good = message.Of("is kept in %s", dir)
	return f
}

// servers checks for the traced servers of all live exercises.
func (c *check) servers() machine.Finding {
	f := machine.Finding{What: message.Of("kube-apiserver %s and etcd, with tracing", c.K8s), Good: message.Of("are in the cache")}
	if c.has.servers {
		return f
	}
	state := message.Of("are not in the cache")
	if c.has.otherBuild {
		state = message.Of("were built by another version of apitrace or Go, and cannot be used")
	}
	return c.lacking(f, state, (*workshop.Exercise).Live)
}

// sample checks for the sample server behind the aggregator.
func (c *check) sample() machine.Finding {
	f := machine.Finding{What: message.Of("the sample API server, with tracing"), Good: message.Of("is in the cache")}
	if c.has.sample {
		return f
	}
	return c.lacking(f, message.Of("is not in the cache"), learner.NeedsSample)
}

// changes checks for Go and the source, which changes of a server need.
func (c *check) changes(ctx context.Context) machine.Finding {
	f := machine.Finding{What: message.Of("changing a server")}
	changing := func(e *workshop.Exercise) bool { return e.Change != nil }
	toolchain, err := program.FindToolchain(ctx)
	switch {
	case err != nil:
		return c.without(f, message.Of("no Go"), c.goToInstall(), changing)
	case c.mark.Go != "" && c.mark.Go != toolchain.Version:
		return c.without(f, message.Of("%s is installed, and the servers were built with %s", toolchain.Version, c.mark.Go), c.goToInstall(), changing)
	case !c.has.source:
		return c.lacking(f, message.Of("the source is not in the cache"), changing)
	}
	f.Good = message.Of("%s and the source are there", toolchain.Version)
	return f
}

// goToInstall says which version of Go to install.
func (c *check) goToInstall() message.Message {
	if c.mark.Go != "" {
		return message.Of("install %s, with which the servers in %s were built", c.mark.Go, c.Folder)
	}
	return message.Of("install Go 1.26 or newer from https://go.dev/dl")
}

// lacking fails a check because a part is missing that can be imported or built.
func (c *check) lacking(f machine.Finding, state message.Message, needs func(*workshop.Exercise) bool) machine.Finding {
	next := message.Of("\"apitrace workshop prepare FOLDER\" on a machine with a network collects what is missing; here, \"apitrace build --sample\" builds it if there is a network")
	if c.Folder != "" {
		next = message.Of("apitrace cache import %s", filepath.Join(c.Folder, serversFile()))
		if _, err := os.Stat(filepath.Join(c.Folder, serversFile())); errors.Is(err, fs.ErrNotExist) {
			next = message.Of("%s has servers for another platform: with a network, \"apitrace build --sample\" builds them here", c.Folder)
		}
	}
	return c.without(f, state, next, needs)
}

// without fails a check because a part is missing, and adds the exercises that need the
// part to c.missing. If no exercise needs it, the check passes.
func (c *check) without(f machine.Finding, state, next message.Message, needs func(*workshop.Exercise) bool) machine.Finding {
	var names []string
	for _, e := range c.course.Exercises() {
		if needs(e) {
			c.missing[e.Name] = true
			names = append(names, c.course.Number(e))
		}
	}
	if len(names) == 0 {
		f.Good = message.Of("no exercise needs it")
		return f
	}
	f.Bad = message.Errorf("%s\n     needed by the exercises %s\n     next: %s", state, message.List(names), next)
	return f
}
