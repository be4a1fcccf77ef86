package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// EditorCommand returns the command that opens a file at a line in the editor of $VISUAL
// or $EDITOR, which may have arguments. With readOnly, the command has a read-only option
// if the editor is vi, a variant of vi or nano, because builds use the same files.
func EditorCommand(file string, line int, readOnly bool, getenv func(string) string) ([]string, error) {
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
	flag := func(f string) []string {
		if readOnly {
			return append(editor, f)
		}
		return editor
	}
	switch {
	case is("vi", "vim", "nvim", "gvim", "view"):
		return append(flag("-R"), plus, file), nil
	case is("nano"):
		return append(flag("-v"), plus, file), nil
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
