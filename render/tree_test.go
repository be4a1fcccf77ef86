package render

import (
	"errors"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

func TestWriteTreeErrors(t *testing.T) {
	rec := load(t, "handmade-get-node")
	if err := writeTree(brokenPipe{}, rec, viewtest.FirstGuide{}, Options{}); !errors.Is(err, errBrokenPipe) {
		t.Errorf("a writer that fails: got the error %v, expected errBrokenPipe", err)
	}
	rec.Requests[0].Calls[3].Parent = "00000000000000ff"
	err := writeTree(&strings.Builder{}, rec, viewtest.FirstGuide{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "orphan") || !strings.Contains(err.Error(), "GET /api/v1/nodes/n1") {
		t.Errorf("a call without its parent: got the error %v, expected one that speaks of an orphan and names the request", err)
	}
}

var errBrokenPipe = errors.New("broken pipe")

// brokenPipe is a writer that fails.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }

// TestColourChangesNoText checks that a drawing has the same text with colours and
// without.
func TestColourChangesNoText(t *testing.T) {
	for _, name := range []string{"handmade-get-node", "handmade-create-deployment", "handmade-errors"} {
		plain := draw(t, load(t, name), Options{})
		coloured := draw(t, load(t, name), Options{Layout: Layout{Palette: Colours()}})
		if !strings.Contains(coloured, "\x1b[") {
			t.Errorf("%s: got no colours, expected some", name)
		}
		if got := ansi.Strip(coloured); got != plain {
			t.Errorf("%s: the coloured tree, stripped of colours, is\n%s\nwant\n%s", name, got, plain)
		}
	}
}

// TestLegendIsOneLine checks that a legend takes one line at any width, only for
// the first request, and only if Layout.Legend is set.
func TestLegendIsOneLine(t *testing.T) {
	rec := load(t, "handmade-create-deployment")
	rec.Requests = append(rec.Requests, rec.Requests...)
	for _, lang := range []string{"en", "zh"} {
		for width := 40; width <= 160; width++ {
			options := Options{Options: view.Options{Lang: lang}, Layout: Layout{Width: width}}
			plain := draw(t, rec, options)
			options.Legend = true
			drawn := draw(t, rec, options)
			var legend []string
			for line := range strings.Lines(drawn) {
				if strings.Contains(line, "apitrace show --signs") {
					legend = append(legend, line)
				}
			}
			if len(legend) != 1 || lipgloss.Width(strings.TrimSpace(legend[0])) > width || strings.Replace(drawn, legend[0], "", 1) != plain {
				t.Errorf("%s, %d columns: got the legend %q, expected one line that fits, and no other difference from the tree without a legend", lang, width, legend)
			}
			if width >= 110 && lang == "en" && strings.Count(legend[0], ";") != 3 {
				t.Errorf("%d columns: got the legend %q, expected three signs in it", width, legend[0])
			}
		}
	}
}

func TestASCII(t *testing.T) {
	for _, name := range []string{"handmade-get-node", "handmade-create-deployment", "handmade-errors"} {
		for _, full := range []bool{false, true} {
			for _, r := range draw(t, load(t, name), Options{Options: view.Options{ASCII: true, Choice: view.Choice{Full: full}}, Layout: Layout{Width: 50}}) {
				if r > 126 {
					t.Fatalf("%s: got the character %q, expected only ASCII", name, r)
				}
			}
		}
	}
}

// deep makes a recording of one request with n calls. Each call is below the call
// before, but every tenth call has a sibling in place of calls below.
func deep(n int) *trace.Recording {
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/"}
	parent := ""
	for i := range n {
		id := spanID(i)
		r.Calls = append(r.Calls, trace.Call{ID: id, Parent: parent, Function: "k8s.io/p.f", Process: "kube-apiserver", StartNs: int64(i)})
		if i%10 != 9 {
			parent = id
		}
	}
	return &trace.Recording{Requests: []trace.Request{r}}
}

// TestDeepTree checks that lines fit in a tree with thousands of levels.
func TestDeepTree(t *testing.T) {
	for line := range strings.Lines(draw(t, deep(5000), Options{Options: view.Options{Choice: view.Choice{Full: true}}})) {
		if lipgloss.Width(strings.TrimSuffix(line, "\n")) > 80 {
			t.Fatalf("expected at most 80 columns in the line %q", line)
		}
	}
}
