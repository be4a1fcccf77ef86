package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Run shows a model until the user leaves or ctx ends. If ctx ends, it returns the
// cause. Run restores the terminal, also after a panic.
func Run(ctx context.Context, model tea.Model, in io.Reader, out io.Writer) error {
	_, err := tea.NewProgram(guarded{model}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// guarded panics in Update if a command panics. Bubble Tea prints a panic of Update
// before its Run returns. It prints a panic of a command on another goroutine, and the
// process may exit before that.
type guarded struct{ tea.Model }

// A commandPanic is the panic of a command.
type commandPanic struct {
	reason any
	stack  []byte
}

func (g guarded) Init() tea.Cmd { return guard(g.Model.Init()) }

func (g guarded) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if p, ok := msg.(commandPanic); ok {
		panic(fmt.Sprintf("%v, in a command:\n%s", p.reason, p.stack))
	}
	model, cmd := g.Model.Update(msg)
	return guarded{model}, guard(cmd)
}

// guard turns a panic of a command into a message. It also guards the commands in
// a batch that the command returns.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if reason := recover(); reason != nil {
				msg = commandPanic{reason, debug.Stack()}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guard(batch[i])
			}
		}
		return msg
	}
}
