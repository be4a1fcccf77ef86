package terminal

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A job is slow work in the background. There is at most one job. A new
// job cancels the old one.
type job struct {
	says    message.Message
	what    string
	started time.Time
	cancel  context.CancelFunc
}

type (
	// finished is the result of a job.
	finished struct {
		job    *job
		result tea.Msg
	}
	// ticked redraws the screen, because the shown time of a job has changed.
	ticked struct{ job *job }
)

// start returns the command that runs a job. Update receives the result, and drops
// it if the job was cancelled or replaced.
func (m *Model) start(says message.Message, what string, work func(context.Context) tea.Msg) tea.Cmd {
	m.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{says: says, what: what, started: m.options.Now(), cancel: cancel}
	m.job = j
	return tea.Batch(func() tea.Msg { return finished{j, work(ctx)} }, j.tick())
}

func (j *job) tick() tea.Cmd {
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return ticked{j} })
}

// cancel ends the running job. It reports whether there was one.
func (m *Model) cancel() bool {
	if m.job == nil {
		return false
	}
	m.job.cancel()
	m.job = nil
	return true
}

// progress describes the running job and its time so far.
func (m *Model) progress() string {
	took := m.options.Now().Sub(m.job.started).Seconds()
	return saysProgress.Format(m.options.Lang, m.job.says.Format(m.options.Lang, m.job.what), took)
}
