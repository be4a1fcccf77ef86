package render

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/colorprofile"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// UseColour decides whether output is coloured. The flag wins ("always", "never";
// "auto" or "" leaves it to the rest), then a non-empty NO_COLOR, then
// FORCE_COLOR. Without any, colour is for terminals that are not "dumb".
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

// UseHyperlinks decides whether places become hyperlinks (OSC 8): in a terminal known to
// support them, or if FORCE_HYPERLINK is set ("0" turns them off). A terminal cannot be
// asked, and one without support may print garbage.
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
	vte, _ := strconv.Atoi(getenv("VTE_VERSION")) // 0, which counts as too old, if it is not a number
	return vte >= 5000 ||
		slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}, getenv("TERM_PROGRAM")) ||
		slices.Contains([]string{"xterm-kitty", "alacritty", "foot", "xterm-ghostty"}, getenv("TERM"))
}

// ColourProfile returns the terminal's colours, by COLORTERM and TERM.
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
