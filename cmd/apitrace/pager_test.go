package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testterm"
)

// TestPager checks which commands show their output in a pager on a terminal. These are
// the commands with output that users read from its beginning.
func TestPager(t *testing.T) {
	t.Setenv("APITRACE_PAGER", "sed 's/^/in the pager: /'")
	for command, pages := range map[string]bool{
		"show get-node":                        true,
		"compare get-node get-not-found":       true,
		"learn":                                true,
		"workshop":                             true,
		"workshop lesson 3":                    true,
		"workshop summary":                     true,
		"workshop trace":                       true,
		"history get-node":                     true,
		"history CacheDelegator.Get":           true,
		"explain ConsistentListFromCache":      true,
		"explain rest.BeforeCreate":            true,
		"source rest.BeforeCreate":             true,
		"search BeforeCreate":                  true,
		"source rest.BeforeCreate --no-pager":  false,
		"workshop lesson 3 --no-pager":         false,
		"compare --no-pager get-node get-node": false,
		"workshop hint":                        false,
		"workshop lesson 99":                   false,
	} {
		t.Setenv(program.StateEnv, t.TempDir())
		if command != "learn" { // learn prints its welcome only to a learner without progress
			if err := execute(t.Context(), []string{"apitrace", "workshop", "jump", "3"}, &console.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		args := append([]string{"apitrace"}, strings.Fields(command)...)
		err := execute(t.Context(), args, &console.Streams{Out: &out, Err: &bytes.Buffer{}, Width: 80})
		text := out.String()
		if fails := command == "workshop lesson 99"; fails != (err != nil) && !strings.HasPrefix(command, "compare") { // compare fails if there are differences
			t.Errorf("%q: got the error %v, expected one only for the missing lesson", command, err)
		}
		if pages && strings.Count(text, "in the pager: ") != strings.Count(text, "\n") || strings.Contains(text, "in the pager: ") != pages {
			t.Errorf("%q: expected all output in the pager: %v, otherwise none; got\n%s", command, pages, text)
		}
	}
}

// TestLegendOnATerminal checks that the first tree in a session of a terminal has a legend,
// on one line, and that later trees and comparisons do not explain the signs again.
func TestLegendOnATerminal(t *testing.T) {
	for _, columns := range []int{60, 80, 120} {
		const twice = "apitrace show get-node --depth 1 --no-pager; apitrace show get-node --depth 1 --no-pager; apitrace diff get-node 1.30 1.37 --layer cacher --no-pager"
		c := testterm.Start(t, command(t, "sh", "-c", twice), columns, 60)
		c.Wait()
		if strings.Contains(c.Output(), "calls in order of time") || !strings.Contains(c.Output(), "+ only v1.37.1") {
			t.Errorf("%d columns: expected a comparison that explains only its marks, got\n%s", columns, c.Output())
		}
		lines := 0
		for line := range strings.Lines(c.Output()) {
			if strings.Contains(line, "apitrace show --signs") && strings.Contains(line, "⋯9: 9 calls folded there") {
				lines++
			}
		}
		if lines != 1 {
			t.Errorf("%d columns: got %d lines with the legend, expected 1:\n%s", columns, lines, c.Output())
		}
	}
}
