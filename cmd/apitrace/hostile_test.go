package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// hostile is a text that, printed raw, would clear the screen, set the title, begin a
// link and reorder the line. It is not valid UTF-8.
const hostile = "evil\x1b[2J\x1b]0;owned\a\x1b]8;;file:///etc/passwd\x1b\\\u009b31m\u202egpj.exe\u2066\u200f\u2028\r\x7f\xff"

// ours matches the escape sequences of colours, which views write themselves.
var ours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// rawIn describes the first place in a text that must not reach a terminal. It returns ""
// if there is none.
func rawIn(printed string) string {
	printed = ours.ReplaceAllString(printed, "")
	for i, r := range printed {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return fmt.Sprintf("%q", printed[max(0, i-60):min(len(printed), i+40)])
		}
		if r == unicode.ReplacementChar && printed[i] == 0xff {
			return "invalid UTF-8"
		}
	}
	return ""
}

// hostileRecording writes a recording with the text hostile in its paths, errors, values
// and keys, as far as a recording can keep it. It returns the file.
func hostileRecording(t *testing.T) string {
	t.Helper()
	recording, err := trace.Load(filepath.Join("testdata", "create-invalid.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kept := trace.KeepableText(hostile)
	recording.Scenario, recording.Edited = kept, []string{kept}
	recording.Recorded = time.Unix(1, 0)
	for i := range recording.Requests {
		r := &recording.Requests[i]
		r.Path += trace.KeepablePath("?x=" + hostile)
		r.Incomplete = []string{kept}
		for j := range r.Calls {
			c := &r.Calls[j]
			if c.Error != "" || j%5 == 0 {
				c.Error = kept
			}
			for name := range c.Attributes {
				c.Attributes[name] += kept
			}
		}
		for j := range r.Stored {
			r.Stored[j].Key += kept
		}
	}
	file := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := trace.Save(t.Context(), file, recording); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNothingRawReachesATerminal runs the commands that print texts from a file or the
// command line, with hostile texts.
func TestNothingRawReachesATerminal(t *testing.T) {
	testenv.Costly(t, "runs nearly every command")
	t.Setenv("FORCE_COLOR", "1")
	// Nothing is built: a command that needs the sources reports that they are missing.
	t.Setenv("APITRACE_CACHE", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	file := hostileRecording(t)
	missing := filepath.Join(t.TempDir(), "missing"+hostile)
	other := filepath.Join("testdata", "get-node.jsonl")
	commands := [][]string{
		{"show", file, "--summary"}, {"show", file, "--full", "--notes", "--upstream"}, {"show", file, "--view", "outline"}, {"show", file, "--errors"},
		{"show", missing}, {"show", other, "--only", hostile}, {"show", other, "--grep", hostile}, {"show", other, "--function", hostile},
		{"show", other, "--layer", hostile}, {"show", other, "-o", hostile},
		{"diff", file, other}, {"diff", other, file}, {"diff", file, other, "--full"}, {"diff", file, other, "-o", "names"}, {"diff", file, other, "-o", "json"}, {"diff", file, other, "-o", "html"},
		{"diff", missing, other}, {"compare", hostile, hostile}, {"history", hostile}, {"explain", hostile}, {"source", hostile}, {"routes", hostile},
		{"import", file}, {"import", missing}, {"export", missing, "--otlp"},
		{"scenarios", "show", hostile}, {"run", hostile}, {"run", missing + ".yaml"}, {"request", hostile, "/"}, {"request", "GET", hostile},
		{"request", "GET", "/", "-H", hostile}, {"request", "GET", "/", "--as", hostile}, {"request", "POST", "/", "-f", missing},
		{"record", "--save", missing + "/x"}, {"exec", "--save", missing + "/x", "--", "true"}, {"serve", "--k8s", hostile}, {"serve", "--", hostile},
		{"front", "--server", hostile, "--server-cafile", missing, "--probe", missing, "--otlp"},
		{"edit", hostile}, {"workshop", hostile}, {"cache", hostile}, {"build", "--k8s", hostile}, {hostile}, {"show", "--" + strings.ToValidUTF8(hostile, "")},
	}
	for _, format := range output.Formats {
		commands = append(commands, []string{"show", file, "-o", format})
	}
	for _, args := range commands {
		var printed, said bytes.Buffer
		out := &text.Guard{To: &printed}
		err := execute(t.Context(), append([]string{"apitrace"}, args...), &console.Streams{In: os.Stdin, Out: out, Err: &said, Width: 100})
		_ = out.Close()
		report(&said, message.Printer{}, err)
		if raw := rawIn(printed.String()); raw != "" {
			t.Errorf("%q prints unescaped text: %s", args, raw)
		}
		if raw := rawIn(said.String()); raw != "" {
			t.Errorf("%q writes unescaped text to standard error: %s", args, raw)
		}
		if printed.Len()+said.Len() == 0 {
			t.Errorf("%q prints nothing, expected a result or an error", args)
		}
	}
}

// TestCostlyEveryCommandEscapes runs each command with hostile arguments and with a
// hostile recording.
func TestCostlyEveryCommandEscapes(t *testing.T) {
	testenv.Costly(t, "runs every command three times")
	file := hostileRecording(t)
	tried := eachCommand(t, func(path []string, command *cobra.Command) [][]string {
		return [][]string{{hostile}, {hostile, hostile}, {file}}
	})
	if tried < 150 {
		t.Errorf("%d command lines were run, expected at least 150", tried)
	}
}

// TestSlowEveryFlagEscapes gives a hostile value to each flag of each command.
func TestSlowEveryFlagEscapes(t *testing.T) {
	testenv.Slow(t)
	tried := eachCommand(t, func(path []string, command *cobra.Command) (attempts [][]string) {
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				attempts = append(attempts, []string{"--" + f.Name, hostile}, []string{hostile, "--" + f.Name, hostile})
			}
		})
		return attempts
	})
	if tried < 300 {
		t.Errorf("%d command lines were run, expected at least 300", tried)
	}
}

// eachCommand runs each command with the arguments that attempts returns, without
// sources and network. It returns the number of command lines that it ran.
func eachCommand(t *testing.T, attempts func(path []string, command *cobra.Command) [][]string) (tried int) {
	t.Helper()
	for name, value := range map[string]string{
		"FORCE_COLOR": "1", "GOPROXY": "off", "APITRACE_CACHE": t.TempDir(), "APITRACE_STATE": t.TempDir(),
		"GOMODCACHE": t.TempDir(), "HOME": testenv.Home(t, t.TempDir()), "EDITOR": "true", "VISUAL": "", "BROWSER": "true",
	} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	var walk func(command *cobra.Command)
	walk = func(command *cobra.Command) {
		for _, below := range command.Commands() {
			walk(below)
		}
		path := strings.Fields(command.CommandPath())[1:]
		for _, args := range attempts(path, command) {
			tried++
			runHostile(t, slices.Concat(path, args))
		}
	}
	walk(newRoot("apitrace", &console.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}))
	return tried
}

// wholeScreen are the commands that also write escape sequences other than colours.
// End-to-end tests run them in a terminal.
var wholeScreen = []string{"explore"}

// runHostile runs a command line for at most a second. It checks its standard output and
// standard error.
func runHostile(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var printed, said testenv.Buffer
	out := &text.Guard{To: &printed}
	err := execute(ctx, append([]string{"apitrace"}, args...), &console.Streams{In: strings.NewReader(""), Out: out, Err: &said, Width: 100})
	_ = out.Close()
	report(&said, message.Printer{}, err)
	if raw := rawIn(printed.String()); raw != "" && !slices.Contains(wholeScreen, args[0]) {
		t.Errorf("%q prints unescaped text: %s", args, raw)
	}
	if raw := rawIn(said.String()); raw != "" {
		t.Errorf("%q writes unescaped text to standard error: %s", args, raw)
	}
}

// TestViewsEscapeByThemselves checks that views escape texts even without a text.Guard:
// their output may be written to a file and printed later.
func TestViewsEscapeByThemselves(t *testing.T) {
	file := hostileRecording(t)
	for _, args := range [][]string{
		{"show", file, "--full", "--notes"}, {"show", file, "--view", "outline"}, {"show", file, "--summary"},
		{"diff", file, filepath.Join("testdata", "get-node.jsonl")},
	} {
		var out, said bytes.Buffer
		if err := execute(t.Context(), append([]string{"apitrace"}, args...), &console.Streams{Out: &out, Err: &said}); err != nil && args[0] == "show" {
			t.Fatal(err)
		}
		if raw := rawIn(out.String()); raw != "" {
			t.Errorf("%q prints unescaped text: %s", args, raw)
		}
	}
}
