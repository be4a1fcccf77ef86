package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Guide describes functions for a diagram.
type Guide interface {
	// Layer returns a function's layer, or "".
	Layer(function string) string
	// Title returns the name of a layer for readers.
	Title(layer string) string
	// Key reports whether a function is a key step.
	Key(function string) bool
	// Group returns the label for calls of this and similar functions, or "".
	Group(function string) string
	// Colour returns a layer's color as "#rrggbb", or "".
	Colour(layer string) string
}

// WriteMermaid writes a Mermaid sequence diagram. The participants are the client and
// the server's layers, in the order of their first entry. An arrow is a key step in
// another layer than the nearest key step above. If there is none above, the arrow
// comes from the client. Consecutive equal arrows become one arrow with a count. A
// note for each request has the number of calls. Each layer has its color as
// background, pale enough for readable text.
func WriteMermaid(w io.Writer, rec *trace.Recording, guide Guide) error {
	d := &diagram{guide: guide, ids: map[string]string{}}
	for i := range rec.Requests {
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			return message.Errorf("writing a sequence diagram: %w", err)
		}
		d.request(tree)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "sequenceDiagram")
	fmt.Fprintln(out, "    actor client as Client")
	for _, layer := range d.layers {
		participant := fmt.Sprintf("participant %s as %s", d.ids[layer], EscapeMermaid(d.guide.Title(layer)))
		if colour := tint(d.guide.Colour(layer)); colour != "" {
			fmt.Fprintf(out, "    box %s\n        %s\n    end\n", colour, participant)
		} else {
			fmt.Fprintf(out, "    %s\n", participant)
		}
	}
	for _, line := range d.lines {
		fmt.Fprintf(out, "    %s\n", line)
	}
	return out.Flush()
}

type diagram struct {
	guide  Guide
	layers []string          // in order of first entry
	ids    map[string]string // by layer
	lines  []string
}

// An arrow is a key step into another layer, or several equal steps.
type arrow struct {
	from, to, text string
	times          int
	failed         bool
}

func (d *diagram) request(tree *trace.Tree) {
	r := tree.Request
	arrows := d.arrows(tree)
	entry := "client"
	shown := 0
	for _, a := range arrows {
		shown += a.times
	}
	if len(arrows) > 0 {
		entry = arrows[0].to
	}
	d.lines = append(d.lines, fmt.Sprintf("Note over client: %s %s<br/>%d calls in %s, %d of them shown",
		EscapeMermaid(r.Method), EscapeMermaid(r.Path), tree.Len(), millis(r.Took().Nanoseconds()), shown))
	for _, a := range arrows {
		text := EscapeMermaid(a.text)
		if a.times > 1 {
			text += fmt.Sprintf(" ×%d", a.times)
		}
		sign := "->>"
		if a.failed {
			sign = "-x"
		}
		d.lines = append(d.lines, fmt.Sprintf("%s%s%s: %s", a.from, sign, a.to, text))
	}
	if entry != "client" && r.Status != 0 {
		d.lines = append(d.lines, fmt.Sprintf("%s-->>client: %d", entry, r.Status))
	}
}

// arrows lists the key steps into another layer, in order of entry.
func (d *diagram) arrows(tree *trace.Tree) []arrow {
	var all []arrow
	// at has, by call, the participant of the nearest key step at or above the call,
	// or "client".
	at := make([]string, tree.Len())
	for i := range tree.Len() {
		at[i] = "client"
		if p := tree.Parent(i); p >= 0 {
			at[i] = at[p]
		}
		call := tree.Call(i)
		layer := d.guide.Layer(call.Function)
		if !d.guide.Key(call.Function) && i > 0 || layer == "" || layer == trace.LayerUpstreamTracing {
			continue
		}
		to := d.participant(layer)
		if to == at[i] {
			continue
		}
		a := arrow{from: at[i], to: to, text: call.ShortName(), times: 1, failed: call.Error != "" || call.Panic != ""}
		if group := d.guide.Group(call.Function); group != "" {
			a.text = group
		}
		at[i] = to
		if n := len(all) - 1; n >= 0 && all[n].from == a.from && all[n].to == a.to && all[n].text == a.text && all[n].failed == a.failed {
			all[n].times++
			continue
		}
		all = append(all, a)
	}
	return all
}

func (d *diagram) participant(layer string) string {
	id, ok := d.ids[layer]
	if !ok {
		id = fmt.Sprintf("L%d", len(d.layers)+1)
		d.ids[layer], d.layers = id, append(d.layers, layer)
	}
	return id
}

// EscapeMermaid replaces the characters of Mermaid's syntax. A semicolon or a line break would
// end the statement.
func EscapeMermaid(text string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", "\n", " ", "\r", " ").Replace(text)
}

// tint returns a color "#rrggbb" in Mermaid's form, with a quarter of its strength, and
// "" for other texts.
func tint(colour string) string {
	var r, g, b uint8
	if n, _ := fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b); n != 3 {
		return ""
	}
	return fmt.Sprintf("rgba(%d, %d, %d, 0.25)", r, g, b)
}

func millis(ns int64) string { return fmt.Sprintf("%.2f ms", float64(ns)/1e6) }
