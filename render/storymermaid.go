package render

import (
	"bufio"
	"fmt"
	"io"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteStoryMermaid writes a story as a Mermaid sequence diagram, in the order of time. The
// participants are the actors and kube-apiserver. A full arrow is a request. A dashed arrow
// stands where an actor first acts on the watch event of an earlier request. It has the number of
// that request. A decision is a note. Texts of the recording are escaped. lang is "en" or "zh".
func WriteStoryMermaid(w io.Writer, story *view.CausalStory, lang string) error {
	d := &storyDiagram{words: message.For(lang), ids: map[string]string{}, told: map[string]map[int]bool{}}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "sequenceDiagram")
	for i := range story.Lines {
		actor := story.Lines[i].Actor
		if d.ids[actor] == "" {
			d.ids[actor] = fmt.Sprintf("A%d", len(d.ids)+1)
			fmt.Fprintf(out, "    participant %s as %s\n", d.ids[actor], mermaidText(actor))
		}
		if i == 0 {
			fmt.Fprintf(out, "    participant S as %s\n", trace.ProcessAPIServer)
		}
	}
	for _, i := range story.ByTime() {
		d.line(out, story, i)
	}
	for _, remark := range story.Remarks {
		fmt.Fprintf(out, "    Note over S: %s\n", mermaidText(remark))
	}
	return out.Flush()
}

// mermaidText escapes a text of a recording for a terminal and for Mermaid.
func mermaidText(s string) string { return export.EscapeMermaid(oneLine(s)) }

type storyDiagram struct {
	words message.Printer
	ids   map[string]string // by actor
	// told has, by actor, the requests that the actor has learned of.
	told map[string]map[int]bool
}

func (d *storyDiagram) line(out *bufio.Writer, story *view.CausalStory, i int) {
	l := &story.Lines[i]
	id := d.ids[l.Actor]
	if cause := story.Cause(i); cause >= 0 && !story.Lines[cause].Decided {
		if d.told[id] == nil {
			d.told[id] = map[int]bool{}
		}
		if request := story.Lines[cause].Request; !d.told[id][request] {
			d.told[id][request] = true
			fmt.Fprintf(out, "    S-->>%s: %s\n", id, d.words.Sprintf("event of %d", request))
		}
	}
	text := mermaidText(fmt.Sprintf("%d (%s) %s", l.Request, l.Time, l.Text))
	switch {
	case l.Decided:
		fmt.Fprintf(out, "    Note over %s: %s\n", id, text)
	case l.Failed:
		fmt.Fprintf(out, "    %s-xS: %s\n", id, text)
	default:
		fmt.Fprintf(out, "    %s->>S: %s\n", id, text)
	}
}
