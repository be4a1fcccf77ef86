package render

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/colorprofile"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// UseColour reports whether output is coloured: yes for the flag "always", no for
// "never". With "auto" or "", a non-empty NO_COLOR means no, or else a non-empty
// FORCE_COLOR means yes. Without both, output is coloured in a terminal, unless
// TERM is "dumb". For any other flag, UseColour returns an error.
func UseColour(flag string, terminal bool, getenv func(string) string) (bool, error) {
	switch flag {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto", "":
	default:
		return false, message.Errorf("colour %q: expected auto, always or never", flag)
	}
	switch {
	case getenv("NO_COLOR") != "":
		return false, nil
	case getenv("FORCE_COLOR") != "":
		return true, nil
	}
	return terminal && getenv("TERM") != "dumb", nil
}

// UseHyperlinks reports whether places become hyperlinks (OSC 8). If
// FORCE_HYPERLINK is not empty, "0" means no, and any other value means yes.
// Otherwise, there are links in terminals that are known to support them. A
// program cannot ask a terminal whether it does, and a terminal without support
// may print garbage.
func UseHyperlinks(terminal bool, getenv func(string) string) bool {
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	if !terminal {
		return false
	}
	for _, name := range []string{"WT_SESSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "KONSOLE_VERSION", "DOMTERM"} {
		if getenv(name) != "" {
			return true
		}
	}
	vte, _ := strconv.Atoi(getenv("VTE_VERSION")) // if it is not a number, vte is 0, which is too old
	return vte >= 5000 ||
		slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}, getenv("TERM_PROGRAM")) ||
		slices.Contains([]string{"xterm-kitty", "alacritty", "foot", "xterm-ghostty"}, getenv("TERM"))
}

// ColourProfile returns the range of colours of the terminal, according to COLORTERM
// and TERM.
func ColourProfile(getenv func(string) string) colorprofile.Profile {
	term := getenv("TERM")
	switch {
	case slices.Contains([]string{"truecolor", "24bit"}, getenv("COLORTERM")):
		return colorprofile.TrueColor
	case slices.Contains([]string{"linux", "xterm", "screen", "vt100", "ansi", "cygwin"}, term):
		return colorprofile.ANSI
	}
	return colorprofile.ANSI256
}
