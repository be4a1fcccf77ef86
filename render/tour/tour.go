// Package tour writes a recording's default view as a tour of VS Code's CodeTour
// (https://github.com/microsoft/codetour). Each step of the view becomes a step of the
// tour, at its line in a checkout of Kubernetes, with the guide's note and the recorded
// values.
package tour

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A file is a tour in CodeTour's format; see the schema in testdata.
type file struct {
	Schema      string `json:"$schema"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Ref is the tag of the release. CodeTour shows the files at this tag. It is ""
	// if the recorded program was built from a checkout.
	Ref   string `json:"ref,omitempty"`
	Steps []step `json:"steps"`
}

// A step is a step of a tour.
type step struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	// File is the path below the root of the checkout, or "" for a step without a
	// file.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Choice sets the content of a tour.
type Choice struct {
	// Most is the maximum number of steps of a request, as in view.Choice. 0 means
	// no limit.
	Most int
	// Lang is the language of texts that are not from the guide: "en" or "zh".
	Lang string
}

var (
	saysTour    = message.Of("The path of %s through kube-apiserver %s, recorded by apitrace.")
	saysRequest = message.Of("%s: %d calls, of which this tour shows the key steps.")
	saysOutside = message.Of("This code is not in the repository of Kubernetes: %s, %s line %d.")
	saysEdited  = message.Of("%s was edited when this was recorded.")
	saysTimes   = message.Of("%d such calls, one after another.")
	saysFailed  = message.Of("It fails: %s")
	saysPanic   = message.Of("A panic, raised in %s, passes through it.")
	saysCaller  = message.Of("Called by %s, line %d.")
)

// Write writes the tour of a recording. It is for a checkout of Kubernetes at the
// recorded release, or for the checkout that the recorded program was built from.
func Write(w io.Writer, rec *trace.Recording, guide view.Guide, choice Choice) error {
	t := file{Schema: "https://aka.ms/codetour-schema", Title: plain(rec.Scenario)}
	if semver.Build(rec.K8sVersion) == "" {
		t.Ref = rec.K8sVersion
	}
	var paths []string
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return message.Errorf("tour of %s %s: %w", r.Method, r.Path, err)
		}
		paths = append(paths, r.Method+" "+r.Path)
		t.Steps = append(t.Steps, step{
			Title:       plain(r.Method + " " + r.Path),
			Description: saysRequest.Format(choice.Lang, code(r.Method+" "+r.Path)+answer(r), tree.Len()),
		})
		g := guided{rec: rec, guide: guide, lang: choice.Lang, view: view.NewView(tree, guide, view.Choice{Most: choice.Most})}
		t.Steps = g.add(t.Steps, g.view.Root)
	}
	if t.Title == "" {
		t.Title = plain(message.List(paths).In(choice.Lang))
	}
	t.Description = saysTour.Format(choice.Lang, code(message.List(paths).In(choice.Lang)), rec.K8sVersion)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(t)
}

// answer returns " → " and the status of a request's answer, or "".
func answer(r *trace.Request) string {
	if r.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" → %d", r.Status)
}

// guided has the data for the steps of a request.
type guided struct {
	rec   *trace.Recording
	guide view.Guide
	lang  string
	view  *view.View
}

// add appends the steps for a node and the nodes below it, in order of entry.
func (g *guided) add(steps []step, n *view.Node) []step {
	steps = append(steps, g.step(n))
	for _, child := range n.Children {
		steps = g.add(steps, child)
	}
	return steps
}

// step returns the step for a node.
func (g *guided) step(n *view.Node) step {
	c := g.view.Tree.Call(n.Calls[0])
	s := step{Title: plain(funcname.Unmarked(c.ShortName()))}
	texts := []string{"**" + code(c.ShortName()) + "**"}
	if title := g.guide.Title(n.Layer); title != "" {
		texts[0] += " · " + title
	}
	add := func(text string) { texts = append(texts, text) }
	switch path, in := c.KubernetesFile(); {
	case slices.Contains(g.rec.Edited, c.File):
		add(saysEdited.Format(g.lang, code(c.File)))
	case !in:
		add(saysOutside.Format(g.lang, strings.TrimSpace(c.Process+" "+g.rec.Version(c.Process)), code(c.File), c.Line))
	default:
		s.File, s.Line = path, c.Line
	}
	if url := g.rec.SourceURL(c); url != "" && s.File == "" {
		add("<" + url + ">")
	}
	if note := g.guide.Note(c.Function); note != "" {
		add(note)
	}
	if len(n.Calls) > 1 {
		add(saysTimes.Format(g.lang, len(n.Calls)))
	}
	if values := g.values(c); values != "" {
		add(values)
	}
	if c.Error != "" {
		add(saysFailed.Format(g.lang, code(c.Error)))
	}
	if c.Panic != "" {
		add(saysPanic.Format(g.lang, code(c.Panic)))
	}
	if parent := g.view.Tree.Parent(n.Calls[0]); parent >= 0 && c.CallerLine > 0 {
		add(saysCaller.Format(g.lang, code(g.view.Tree.Call(parent).ShortName()), c.CallerLine))
	}
	s.Description = strings.Join(texts, "\n\n")
	return s
}

// values lists a call's values in the guide's order.
func (g *guided) values(c *trace.Call) string {
	var lines []string
	for _, name := range g.guide.Values(c.Function) {
		if value := view.InWords(name, c.Attributes[name]); value != "" {
			lines = append(lines, "- "+strings.TrimPrefix(name, "apitrace.")+": "+code(value))
		}
	}
	return strings.Join(lines, "\n")
}

// code formats a text as code in Markdown. CodeTour follows links in descriptions,
// even to commands of the editor, so a recorded text must not become a link.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// plain removes control characters and characters with a meaning in Markdown,
// because CodeTour puts titles into links.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]()<>`*\\!#", r) || r < ' ' {
			return -1
		}
		return r
	}, text)
}
