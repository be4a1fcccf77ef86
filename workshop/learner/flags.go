package learner

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session"
)

// inText matches the commands in a text that accept the flags of chosen. A command
// after "$ " is left alone, because its output follows in the text.
var inText = regexp.MustCompile(`(?:\$ |\b)apitrace (?:(learn|show|explain|request|run|source|routes|edit)\b|(workshop)(?: (?:check|explain|hint|jump|lesson|next|solution|start|summary|trace|watch)\b)?)`)

// chosen holds the learner's flags for the language, the release and the course, each
// with a blank before it. The commands that apitrace suggests must have these flags, too.
// Otherwise their output is in another language or about another release.
type chosen struct{ lang, k8s, course string }

func chosenBy(o Options, k8s string) (chosen, error) {
	var c chosen
	if o.LangChosen {
		c.lang = " --lang " + o.Lang
	}
	usual, err := session.RecordedRelease(apiserver.DefaultVersion)
	if k8s != usual {
		c.k8s = " --k8s " + k8s
	}
	if o.Course != "" {
		c.course = " --course '" + o.Course + "'"
	}
	return c, err
}

// in adds the flags to the commands in a text.
func (c chosen) in(text string) string {
	if c == (chosen{}) {
		return text
	}
	return inText.ReplaceAllStringFunc(text, func(command string) string {
		parts := strings.Fields(command)
		switch {
		case parts[0] == "$":
			return command
		case parts[1] == "workshop" || parts[1] == "learn":
			return command + c.lang + c.k8s + c.course
		case slices.Contains([]string{"source", "routes", "edit"}, parts[1]):
			return command + c.k8s
		}
		return command + c.lang + c.k8s
	})
}
