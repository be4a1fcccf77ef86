package commandline

import "testing"

func TestHelpThatIsIncomplete(t *testing.T) {
	for _, content := range []string{
		"", "Use: show\n", "Use: show\nShort: Show\n\nText.\n", "Show\n\nText.\n\nExamples:\n\n  apitrace show\n",
		"Use: show\n\nShort: Show\n\nText.\n\nExamples:\n\n  apitrace show\n",
	} {
		if h, err := ParseHelp(content); err == nil {
			t.Errorf("%q is read as %+v, expected an error", content, h)
		}
	}
}
