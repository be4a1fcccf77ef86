package web

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// transcript matches a tree in a lesson, with the command that printed it. The command
// may go on with options, whose --k8s names the release.
var transcript = regexp.MustCompile(`(?s)<pre><code[^>]*>\$ apitrace show ([a-z0-9-]+)([^\n]*)\n(.*?)</code></pre>`)

var (
	k8sOption = regexp.MustCompile(`--k8s[ =](\S+)`)
	word      = regexp.MustCompile(`[^\s,;]+`)
	// row matches the beginning of a row of a tree, up to the name of its function. It has the
	// time of the row, which may be absent.
	row = regexp.MustCompile(`^ *(>?<?[\d.]+(?:ns|µs|ms|s))? +[│├└─┄ ]*$`)
)

// linkTranscripts makes the calls in the trees of a lesson links to these calls in the
// recording, and the command a link to the recording. A row of a tree leads to the call that it
// shows. Another name, for example in a sentence, leads to the first call of the function.
func linkTranscripts(text string) string {
	return transcript.ReplaceAllStringFunc(text, func(block string) string {
		m := transcript.FindStringSubmatch(block)
		scenario, options, tree := m[1], m[2], m[3]
		release := recordings.Latest
		if k8s := k8sOption.FindStringSubmatch(options); k8s != nil {
			release = k8s[1]
		}
		words := word.FindAllStringIndex(tree, -1)
		wanted := map[string][]shownCall{}
		for _, at := range words {
			if name := html.UnescapeString(tree[at[0]:at[1]]); strings.Contains(name, ".") {
				wanted[name] = nil
			}
		}
		if err := findCalls(release, scenario, wanted); err != nil { // the recording is gone; a test reads all lessons
			return block
		}
		address := "#/" + url.PathEscape(release) + "/" + url.PathEscape(scenario) + "/"
		var out strings.Builder
		out.WriteString(`<pre class="transcript"><code>$ <a href="` + address + `1">apitrace show ` + scenario + `</a>` + options + "\n")
		at := 0
		for _, found := range words {
			token := tree[found[0]:found[1]]
			name := html.UnescapeString(token)
			calls := wanted[name]
			if len(calls) == 0 {
				continue
			}
			call := &calls[0]
			line := strings.LastIndexByte(tree[:found[0]], '\n') + 1
			if begin := row.FindStringSubmatch(html.UnescapeString(tree[line:found[0]])); begin != nil {
				link := strings.HasPrefix(strings.TrimLeft(tree[found[1]:], " "), "▸") // the row of the section has the same call
				call = shown(calls, begin[1], !link)
			}
			query := "?call=" + url.QueryEscape(call.name.Function)
			if call != &calls[0] {
				query += "&by=" + url.QueryEscape(call.name.Caller) + "&nth=" + strconv.Itoa(call.name.Nth)
			}
			out.WriteString(tree[at:found[0]] + `<a href="` + address + call.request + html.EscapeString(query) + `">` + token + "</a>")
			at = found[1]
		}
		out.WriteString(tree[at:] + "</code></pre>")
		return out.String()
	})
}

// A shownCall is a call that a row of a tree may show, with the number of its request and its
// time as trees write it. passed is set if a row has shown the call.
type shownCall struct {
	name          trace.CallName
	request, time string
	passed        bool
}

// shown returns the call of a row with a time. It skips the calls of earlier rows, and takes
// the first call with this time. Without such a call, it takes the first call. pass notes that
// the row has shown the call.
func shown(calls []shownCall, time string, pass bool) *shownCall {
	at := slices.IndexFunc(calls, func(c shownCall) bool { return !c.passed && c.time == time })
	if at < 0 {
		at = max(0, slices.IndexFunc(calls, func(c shownCall) bool { return !c.passed }))
	}
	calls[at].passed = calls[at].passed || pass
	return &calls[at]
}

// findCalls adds the calls of a recording to the names of their functions. A tree writes a
// function with its full name, or without the first elements of its import path.
func findCalls(release, scenario string, wanted map[string][]shownCall) error {
	release, err := recordings.Resolve(release)
	if err != nil {
		return err
	}
	rec, err := recordings.Load(release, scenario)
	if err != nil {
		return err
	}
	names := map[string][]string{} // the wanted names of a function
	for r := range rec.Requests {
		request := &rec.Requests[r]
		tree, err := trace.NewTree(request)
		if err != nil {
			return err
		}
		signs := view.SignsFor(false)
		signs.TickNs = request.TickNs()
		places := trace.NewPlaces(tree)
		for i := range tree.Len() {
			call := tree.Call(i)
			of, known := names[call.Function]
			if !known {
				for name, more := call.Function, true; more; _, name, more = strings.Cut(name, "/") {
					if _, is := wanted[name]; is {
						of = append(of, name)
					}
				}
				names[call.Function] = of
			}
			for _, name := range of {
				wanted[name] = append(wanted[name], shownCall{name: places.Name(i), request: strconv.Itoa(r + 1), time: signs.Took(call)})
			}
		}
	}
	return nil
}
