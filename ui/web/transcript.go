package web

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// transcript matches a tree in a lesson, with the command that printed it. The command
// may go on with options, whose --k8s names the release.
var transcript = regexp.MustCompile(`(?s)<pre><code[^>]*>\$ apitrace show ([a-z0-9-]+)([^\n]*)\n(.*?)</code></pre>`)

var (
	k8sOption = regexp.MustCompile(`--k8s[ =](\S+)`)
	word      = regexp.MustCompile(`[^\s,;]+`)
)

// linkTranscripts makes the calls in the trees of a lesson links to these calls in the
// recording, and the command a link to the recording.
func linkTranscripts(text string) string {
	return transcript.ReplaceAllStringFunc(text, func(block string) string {
		m := transcript.FindStringSubmatch(block)
		scenario, options, tree := m[1], m[2], m[3]
		release := recordings.Latest
		if k8s := k8sOption.FindStringSubmatch(options); k8s != nil {
			release = k8s[1]
		}
		calls, err := callsNamed(release, scenario)
		if err != nil { // the recording is gone; a test reads all lessons
			return block
		}
		address := "#/" + url.PathEscape(release) + "/" + url.PathEscape(scenario) + "/"
		var out strings.Builder
		out.WriteString(`<pre class="transcript"><code>$ <a href="` + address + `1">apitrace show ` + scenario + `</a>` + options + "\n")
		at := 0
		for _, found := range word.FindAllStringIndex(tree, -1) {
			token := tree[found[0]:found[1]]
			name := html.UnescapeString(token)
			call, known := calls[name]
			if !known || !strings.Contains(name, ".") {
				continue
			}
			out.WriteString(tree[at:found[0]] + `<a href="` + address + call.request + "?call=" + url.QueryEscape(call.function) + `">` + token + "</a>")
			at = found[1]
		}
		out.WriteString(tree[at:] + "</code></pre>")
		return out.String()
	})
}

// A namedCall is the first call of a function in a recording, with the number of its
// request.
type namedCall struct{ function, request string }

// callsNamed returns the first calls of a recording by the name of their function, as
// trees write it: without some of the first elements of its import path.
func callsNamed(release, scenario string) (map[string]namedCall, error) {
	release, err := recordings.Resolve(release)
	if err != nil {
		return nil, err
	}
	rec, err := recordings.Load(release, scenario)
	if err != nil {
		return nil, err
	}
	calls := map[string]namedCall{}
	seen := map[string]bool{}
	for r := range rec.Requests {
		for i := range rec.Requests[r].Calls {
			function := rec.Requests[r].Calls[i].Function
			if seen[function] {
				continue
			}
			seen[function] = true
			for name := function; ; {
				if _, known := calls[name]; !known {
					calls[name] = namedCall{function, strconv.Itoa(r + 1)}
				}
				_, rest, more := strings.Cut(name, "/")
				if !more {
					break
				}
				name = rest
			}
		}
	}
	return calls, nil
}
