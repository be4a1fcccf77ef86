package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// EditorCommand returns the command that opens a file at a line in the editor that
// $VISUAL or $EDITOR names, which may have arguments. An editor that shows files
// read-only when asked is asked: the source is the one that builds are made of.
func EditorCommand(file string, line int, getenv func(string) string) ([]string, error) {
	editor := strings.Fields(getenv("VISUAL"))
	if len(editor) == 0 {
		editor = strings.Fields(getenv("EDITOR"))
	}
	if len(editor) == 0 {
		return nil, errors.New("no editor: set $VISUAL or $EDITOR, for example EDITOR=vim")
	}
	at := fmt.Sprintf("%s:%d", file, line)
	plus := fmt.Sprintf("+%d", line)
	name := strings.TrimSuffix(filepath.Base(editor[0]), ".exe")
	is := func(names ...string) bool { return slices.Contains(names, name) }
	switch {
	case is("vi", "vim", "nvim", "gvim", "view"):
		return append(editor, "-R", plus, file), nil
	case is("nano"):
		return append(editor, "-v", plus, file), nil
	case is("code", "code-insiders", "codium", "cursor"):
		return append(editor, "-g", at), nil
	case is("hx", "helix", "subl", "zed"):
		return append(editor, at), nil
	case is("goland", "idea"):
		return append(editor, "--line", fmt.Sprint(line), file), nil
	}
	// emacs, emacsclient, micro, kak, joe, ne, pico and most others.
	return append(editor, plus, file), nil
}
