package console

import (
	"context"
	"os"
	"os/exec"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// Edit opens a file at a line in the user's editor, and waits until the editor ends.
func (s *Streams) Edit(ctx context.Context, file string, line int, readOnly bool) error {
	args, err := source.EditorCommand(file, line, readOnly, os.Getenv)
	if err != nil {
		return err
	}
	editor := exec.CommandContext(ctx, args[0], args[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = s.In, s.Raw(), s.RawErr()
	if err := editor.Run(); err != nil {
		return message.Errorf("editor %q: %w", args[0], err)
	}
	return nil
}
