package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// mostSentences is the maximum number of sentences in the story of a request.
const mostSentences = 15

// WriteOutline tells the story of each request of a recording in a few sentences, each with its
// function, place and time. It uses only the Filter of the options' Choice, and leaves out sentences
// whose call the filter does not select. It returns the same errors as WriteTree.
func WriteOutline(w io.Writer, rec *trace.Recording, guide Guide, options Options) error {
	options.Choice = view.Choice{Most: StepsPerRequest(len(rec.Requests)), Filter: options.Filter}
	return writeListings(w, rec, guide, options, (*listing).writeOutline)
}

func (l *listing) writeOutline(out *bufio.Writer) {
	l.writeHeading(out)
	fmt.Fprintln(out)
	l.writeSentences(out, view.Sentences(l.story.Tree, l.guide, l.story.ErrorPath, l.lang, mostSentences))
	l.writeStored(out)
}

// writeSentences writes a sentence a paragraph, its layer in front, and below it where that happened.
func (l *listing) writeSentences(out *bufio.Writer, sentences []view.Sentence) {
	lets := l.story.Lets(&l.choice.Filter, l.guide)
	for n, s := range sentences {
		if !lets(s.Call) {
			continue
		}
		call := l.story.Tree.Call(s.Call)
		number := fmt.Sprintf("%2d  ", n+1)
		indent := strings.Repeat(" ", lipgloss.Width(number))
		title := l.shortTitle(s.Layer) + l.colon()
		for i, line := range wrapNames(title+s.Text, l.width-len(indent)) {
			if i == 0 {
				rest := strings.TrimPrefix(line, title)
				if len(rest) < len(line) {
					line = l.headingStyle(s.Layer).Render(title) + rest
				}
				fmt.Fprintln(out, number+line)
				continue
			}
			fmt.Fprintln(out, indent+line)
		}
		where := fmt.Sprintf("%s %s, %s", l.story.Names.Of(call), l.story.Names.Place(call), l.took(call))
		for _, line := range wrapNames(where, l.width-len(indent)) {
			fmt.Fprintln(out, indent+l.Facts.Render(line))
		}
		l.writeServers(out, s.Servers, indent)
	}
}

// took returns the duration of a call. An unfinished call has none: the recording has the time from its start until the
// probe was asked, which can be after the end of the other calls.
func (l *listing) took(call *trace.Call) string {
	if call.Unfinished {
		return saysRunning.In(l.lang)
	}
	if call.Leaf {
		return saysEntryOnly.In(l.lang)
	}
	return l.duration(call.DurationNs)
}

// writeServers draws servers that pass requests on to one another.
func (l *listing) writeServers(out *bufio.Writer, servers []view.Server, indent string) {
	p := message.For(l.lang)
	for n, server := range servers {
		lead := ""
		if n > 0 {
			lead = strings.Repeat(l.blank, n-1) + strings.TrimSuffix(l.last, " ") + l.into + " "
		}
		below := indent + strings.Repeat(" ", lipgloss.Width(lead)+2)
		fmt.Fprintln(out, indent+l.Guide.Render(lead)+l.Key.Render(server.Name))
		text := p.Sprintf("%s, %s: %s",
			p.Plural(server.Resources, "%d resource", "%d resources and subresources", server.Resources),
			p.Plural(server.Routes, "%d route", "%d routes", server.Routes), message.List(server.Versions))
		for _, line := range wrapNames(text, l.width-len(below)) {
			fmt.Fprintln(out, below+l.Facts.Render(line))
		}
	}
}

func (l *listing) colon() string {
	return message.For(l.lang).Sprintf(": ")
}

// shortTitle is the title of a layer without what stands in brackets. Of what the first layer of all is
// about, "Server start, configuration and background work", a start's outline names the first.
func (l *listing) shortTitle(layer string) string {
	title, ends := l.title(layer), "(（"
	if l.story.Tree.Request.IsStart() {
		ends += ",、"
	}
	if cut := strings.IndexAny(title, ends); cut > 0 {
		title = strings.TrimSpace(title[:cut])
	}
	return title
}
