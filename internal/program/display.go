package program

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A Display shows progress to a person. For a cached build, it shows nothing.
type Display struct {
	w        io.Writer
	p        message.Printer
	terminal bool
	stop     chan struct{}
	stopped  sync.WaitGroup

	mu   sync.Mutex
	last Event
	// began is the start of the first stage after StageResolve; zero before.
	began time.Time
	// printed is the time of the last line, if there is no terminal.
	printed time.Time
	bar     *progressbar.ProgressBar
}

const (
	// refresh is the interval at which a terminal shows the elapsed time.
	refresh = 250 * time.Millisecond
	// lineEvery is the interval of lines about a compilation, if there is no terminal.
	lineEvery = 15 * time.Second
)

// NewDisplay shows progress on w: a bar if w is a terminal, and lines otherwise. The
// caller must call Close.
func NewDisplay(w io.Writer, terminal bool, p message.Printer) *Display {
	d := &Display{w: w, p: p, terminal: terminal, stop: make(chan struct{})}
	if terminal {
		d.stopped.Go(d.keepTime)
	}
	return d
}

// Close ends the display and removes its bar.
func (d *Display) Close() {
	close(d.stop)
	d.stopped.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clear()
}

// Report implements Progress.
func (d *Display) Report(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// Escape control characters in versions from the user and in output of the go command.
	e.Program = text.Escape(e.Program)
	if !e.Note.IsZero() {
		d.clear()
		fmt.Fprintln(d.w, text.EscapeLines(d.p.Sprintf("%s: %s", e.Program, e.Note)))
		return
	}
	changed := e.Stage != d.last.Stage || e.Program != d.last.Program
	d.last = e
	switch {
	case e.Stage == StageResolve:
		d.began = time.Time{}
	case e.Stage == StageDone:
		d.finish()
	default:
		if d.began.IsZero() {
			d.began = time.Now()
		}
		d.show(changed)
	}
}

func (d *Display) finish() {
	d.clear()
	if !d.began.IsZero() {
		fmt.Fprintln(d.w, d.p.Sprintf("%s: done, %s", d.last.Program, d.elapsed()))
	}
	d.began = time.Time{}
}

func (d *Display) show(changed bool) {
	if !d.terminal {
		if d.last.Stage == StageStart {
			return // a few seconds
		}
		if changed || d.last.Total > 0 && time.Since(d.printed) > lineEvery {
			fmt.Fprintln(d.w, d.line())
			d.printed = time.Now()
		}
		return
	}
	if changed || d.bar == nil {
		d.clear()
		d.bar = d.newBar()
	}
	d.draw()
}

// line returns the current stage with its time and the number of compiled packages.
func (d *Display) line() string {
	if d.last.Total > 0 {
		return d.p.Sprintf("%s: %s, %d of %d packages, %s", d.last.Program, stageNames[d.last.Stage], d.last.Done, d.last.Total, d.elapsed())
	}
	return d.stage()
}

// stage returns the current stage with its time.
func (d *Display) stage() string {
	return d.p.Sprintf("%s: %s, %s", d.last.Program, stageNames[d.last.Stage], d.elapsed())
}

func (d *Display) elapsed() string { return time.Since(d.began).Round(time.Second).String() }

// newBar makes a bar for a stage, or a spinner if there is nothing to count.
func (d *Display) newBar() *progressbar.ProgressBar {
	total := d.last.Total
	if total == 0 {
		total = -1
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(d.w),
		progressbar.OptionSetWidth(20),
		// The description already has the time of all stages.
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionThrottle(refresh / 4),
		// The bar must not update itself, because it would draw after clear.
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetRenderBlankState(false),
	}
	if d.last.Total > 0 {
		options = append(options, progressbar.OptionShowCount())
	}
	return progressbar.NewOptions(total, options...)
}

// draw updates the bar. Errors of the terminal must not end a build.
func (d *Display) draw() {
	if d.bar == nil {
		return
	}
	d.bar.Describe(d.stage())
	if d.last.Total > 0 {
		_ = d.bar.Set(d.last.Done)
	}
}

func (d *Display) clear() {
	if d.bar != nil {
		_ = d.bar.Exit()
		_ = d.bar.Clear()
		d.bar = nil
	}
}

// keepTime updates the elapsed time on a terminal while no event is reported.
func (d *Display) keepTime() {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.mu.Lock()
			d.draw()
			d.mu.Unlock()
		}
	}
}
