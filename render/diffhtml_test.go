package render

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// TestDiffPage demands a page that needs nothing else, in which every text is escaped and every
// element closed.
func TestDiffPage(t *testing.T) {
	a, b := indentedRequest("p.A\n p.B apitrace.media_type=<script>alert(1)</script>"), indentedRequest("p.A\n p.B apitrace.media_type=\"'>&\n p.New error=<b>")
	extra := indentedRequest("p.A")
	extra.TraceID, extra.Path = strings.Repeat("b", 32), "/only?a=<i>"
	c := diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10", Requests: []trace.Request{a}},
		&trace.Recording{Scenario: "one", K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0", Requests: []trace.Request{b, extra}}, diff.Options{})
	for _, lang := range []string{"en", "zh"} {
		var out strings.Builder
		if err := WriteDiffHTML(&out, c, everyStep{}, DiffOptions{Options: Options{Lang: lang}, NameA: "<v1>", NameB: "v2"}); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		if needs := regexp.MustCompile(`<(script|link|img|iframe)|src=|@import|url\(|href=""`).FindString(page); needs != "" {
			t.Errorf("the page has %q", needs)
		}
		for _, text := range []string{"&lt;script&gt;alert(1)", "&lt;v1&gt;", "/only?a=&lt;i&gt;"} {
			if !strings.Contains(page, text) {
				t.Errorf("the page does not have %q:\n%s", text, page)
			}
		}
		checkClosed(t, page)
	}
}

// checkClosed reports elements that are not closed in the order in which they were opened.
func checkClosed(t *testing.T, page string) {
	t.Helper()
	page = regexp.MustCompile(`<(!DOCTYPE html|meta[^>]*|br)>`).ReplaceAllString(page, "")
	page = regexp.MustCompile(` open>`).ReplaceAllString(page, ` open="">`)
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("the page is not well-formed: %v", err)
			return
		}
	}
}
