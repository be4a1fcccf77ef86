package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/workshop"
)

// A chineseRun runs a command with --lang zh.
type chineseRun struct {
	args []string
	// upstream are patterns of quotations in the output; see testenv.Output.
	upstream []string
	// env are environment variables of the command; SELF stands for the folder of the
	// apitrace binary.
	env []string
	// endless is set for a command that runs until it gets a signal.
	endless bool
	// setup prepares the working folder of the command.
	setup func(t *testing.T, dir string)
}

// Patterns of texts that commands print but that are not apitrace's own.
const (
	goSource     = `(?m)^ *\d+ .*$`                                                                                             // numbered lines of source
	cutName      = `impersonation(\.|/…\S+)`                                                                                    // a name that is cut or broken, because it is too long for its line
	rbacReason   = `of\s+(Cluster)?Role\s+"[^"]*"\s+to User`                                                                    // why kube-apiserver allowed a request
	shellCommand = `(?m)^(cd |env|    | +/).*$`                                                                                 // lines of a script
	libraryError = `module lookup disabled by GOPROXY=off|invalid character .*|traces export: Post|dial tcp|: connect:`         // errors of Go's libraries
	cobraError   = `unknown (shorthand )?flag: \S+|unknown command "[^"]*" for "[^"]*"|(accepts|requires) [^；\n]* received \d+` // cobra's errors about a command line
	quotedSource = "`[^`]*`"                                                                                                    // code that a sentence quotes, over several lines
	goCommand    = `\$ go build`                                                                                                // lines of a build log
)

// chineseRuns runs every command in ways that need no server.
// TestSlowServerCommandsInChinese in e2e/commands has the other runs.
var chineseRuns = map[string][]chineseRun{
	"run":     {{args: []string{"nosuch"}}, {args: nil}, {args: []string{"get-node", "--k8s", "newest"}}, {args: []string{"get-node", "--etcd-cafile", "x"}}, {args: []string{"get-node", "--save", "nosuch/x"}}},
	"show":    {{args: []string{"get-node"}}, {args: []string{"get-node", "--notes"}}, {args: []string{"get-node", "--summary"}}, {args: []string{"get-node", "--only", "9"}}, {args: []string{"get-node", "--layer", "etcd"}}, {args: []string{"get-node", "--layer", "admision"}}, {args: []string{"nosuch.jsonl"}}, {args: []string{"--signs"}}, {args: []string{"get-node", "--k8s", "1.22"}}, {args: []string{"create-deployment"}}, {args: []string{"incomplete.json"}, setup: imported, upstream: []string{`unknown service|\(spans that are not in the file\)`}}},
	"explore": {{args: []string{"get-node"}}, {args: []string{"get-node", "--live"}}},
	"search": {{args: []string{"CacheDelegator.Get"}}, {args: []string{"is forbidden", "--most", "2"}, upstream: []string{`apitrace\.error=.*`}}, {args: []string{"qqqqqq"}},
		{args: []string{"--value", "flow_schema=qqq"}}, {args: []string{"--value", "qqq"}}, {args: []string{"x", "--most", "0"}}},
	"scenarios":      {{args: nil}, {args: []string{"--pairs"}}, {args: []string{"--k8s", "1.20"}}},
	"scenarios show": {{args: []string{"get-node"}}, {args: []string{"boot-sample"}}, {args: []string{"watch-pods"}}, {args: []string{"nosuch"}}},
	"request":        {{args: []string{"GET"}}, {args: []string{"GET", "nodes"}}, {args: []string{"GET", "/api", "-H", "x"}}, {args: []string{"GET", "/api", "--timeout", "0s"}}, {args: []string{"GET", "/api", "-f", "nosuch"}}},
	"exec":           {{args: nil}, {args: []string{"--as", "nobody", "--", "true"}}},
	"record":         {{args: []string{"--as", "nobody"}}, {args: []string{"-i"}}, {args: []string{"--save", "nosuch/x"}}},
	"serve":          {{args: []string{"--status"}}, {args: []string{"--stop"}}, {args: []string{"--stop", "--status"}}, {args: []string{"x"}}, {args: []string{"--", "--etcd-servers=x"}}, {args: []string{"--sample", "2", "--otlp"}}},
	"front":          {{args: nil}, {args: []string{"--server", "x", "--server-cafile", "x", "--probe", "x", "--otlp"}}},
	"diff": {{args: []string{"create-deployment", "1.30", "1.37"}, upstream: []string{"`[^`]*`"}}, {args: []string{"get-node", "1.30", "1.37", "--times"}, upstream: []string{cutName}}, {args: []string{"get-node", "1.37", "1.37"}},
		{args: []string{"get-node", "1.1", "1.37"}}, {args: []string{"get-node", "1.30", "1.37", "-o", "names"}}},
	"compare":           {{args: []string{"get-node", "get-node-cached"}}, {args: []string{"get-node", "nosuch"}}},
	"article":           {{args: nil}, {args: []string{"Z"}}},
	"history":           {{args: []string{"CacheDelegator.Get", "--ascii"}, upstream: []string{"`[^`]*`"}}, {args: []string{"get-node"}}, {args: []string{"nosuch"}}, {args: []string{"registry.(*Store).Create"}, upstream: []string{"`[^`]*`"}}},
	"affected":          {{args: nil}, {args: []string{"nosuch"}}, {args: []string{"nosuch", "nosuch"}}, {args: []string{"x", "y", "z"}}},
	"versions":          {{args: nil}, {args: []string{"--recorded"}}, {args: []string{"-o", "x"}}},
	"learn":             {{args: nil}},
	"workshop":          {{args: nil}, {args: []string{"--details"}}, {args: nil, setup: started}, {args: []string{"--details"}, setup: started}},
	"workshop next":     {{args: nil}, {args: []string{"--skip"}, setup: started}},
	"workshop start":    {{args: []string{"1.2"}}, {args: []string{"nosuch"}}},
	"workshop serve":    {{args: []string{"--code", "x"}}, {args: []string{"--save", "x.txt"}}, {args: []string{"--listen", "nosuch:x:1"}}, {args: []string{"--no-open", "--code", "2345-6789"}, endless: true}},
	"workshop join":     {{args: nil}, {args: []string{"x", "--code", "abcd-2345", "--name", "x"}}},
	"workshop vote":     {{args: []string{"x"}}, {args: []string{"true"}}},
	"workshop prepare":  {{args: nil}, {args: []string{"--check"}}, {args: []string{"--dry-run", "room", "--plain"}}},
	"workshop leave":    {{args: nil}},
	"workshop jump":     {{args: []string{"1.2"}}, {args: nil}},
	"workshop trace":    {{args: nil}, {args: nil, setup: started}},
	"workshop check":    {{args: []string{"x"}}, {args: []string{"x"}, setup: started}, {args: nil, setup: started}},
	"workshop watch":    {{args: nil, endless: true}},
	"workshop hint":     {{args: nil}, {args: nil, setup: started}},
	"workshop solution": {{args: nil, setup: started}, {args: []string{"--anyway"}, setup: started}},
	"workshop explain":  {{args: nil}, {args: nil, setup: started}},
	"workshop lesson":   {{args: nil}, {args: []string{"1"}}},
	"workshop summary":  {{args: nil}, {args: nil, setup: started}},
	"workshop reset":    {{args: nil}, {args: []string{"--all"}}, {args: []string{"--all", "x"}}, {args: []string{"--yes"}}, {args: nil, setup: started}, {args: []string{"--all", "--yes"}, setup: started}},
	"workshop new":      {{args: []string{"mine/01-basics/01-first-call.yaml"}}, {args: []string{"x"}}, {args: []string{"mine/01-basics/02-x.yaml", "--kind", "x"}}},
	"workshop verify": {{args: []string{"01-orientation/01-first-call"}}, {args: []string{"nosuch"}},
		{args: []string{"--course", "mine"}, setup: func(t *testing.T, dir string) {
			quietly(t, dir, "workshop", "new", "mine/01-basics/01-first-call.yaml")
		}}},
	"explain": {{args: []string{"getResourceHandler.func1"}}, {args: []string{"etcd3.(*store).Get", "--scenario", "get-node"}}, {args: []string{"nosuch"}}, {args: []string{"Get"}}},
	"source":  {{args: []string{"etcd3.(*store).Get"}}, {args: []string{"p.F", "--k8s", "newest"}}, {args: nil}},
	"routes":  {{args: []string{"--resource", "pods"}}, {args: []string{"--resource", "pods", "-o", "wide"}}, {args: []string{"--resource", "x"}}, {args: []string{"--resource", "pod"}}, {args: []string{"--method", "x"}}, {args: []string{"-o", "x"}}, {args: []string{"--trace", "x", "--live"}}},
	"edit": {{args: []string{"--list"}}, {args: []string{"--list"}, setup: edited}, {args: []string{"--revert", "p.go"}, setup: edited}, {args: []string{"--revert", "q.go"}, setup: edited},
		{args: []string{"--revert", "--all"}}, {args: []string{"--revert"}}, {args: nil}, {args: []string{"etcd3/store.go"}}},
	"site":         {{args: nil}, {args: []string{"--out", "public", "--scenario", "get-node", "--k8s", "1.37", "--dry-run"}}, {args: []string{"--out", "public", "--k8s", "1.99"}}},
	"web":          {{args: []string{"nosuch.jsonl", "--no-open"}}, {args: []string{"--listen", "example.org:1", "--no-open"}}, {args: []string{"--listen", "x", "--no-open"}}},
	"dap":          {{args: []string{"--listen", "example.org:1"}}, {args: []string{"x"}}},
	"mcp":          {{args: []string{"x"}}},
	"export":       {{args: []string{"x"}}, {args: []string{"nosuch", "--otlp"}}, {args: []string{"get-node.jsonl", "--otlp"}}, {args: []string{"get-node.jsonl", "--otlp"}, env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}}},
	"export tour":  {{args: []string{"nosuch"}}, {args: nil}},
	"import":       {{args: []string{"nosuch"}}, {args: []string{"notes.txt"}}, {args: []string{"get-node.jsonl", "--save", "out.jsonl"}}, {args: []string{"incomplete.jsonl", "--save", "out.jsonl"}, setup: incomplete}},
	"watch":        {{args: []string{"get-node"}}, {args: []string{"nosuch"}}, {args: []string{"get-node", "--k8s", "./nowhere"}}},
	"build":        {{args: []string{"--dry-run", "--sample"}, upstream: []string{shellCommand}}, {args: []string{"--dry-run", "--plain"}, upstream: []string{shellCommand}}, {args: nil}},
	"cache list":   {{args: nil}, {args: nil, setup: filled}},
	"cache size":   {{args: nil}, {args: nil, setup: filled}},
	"cache export": {{args: nil}, {args: []string{"x.apitrace", "--k8s", "newest"}}},
	"cache import": {{args: nil}, {args: []string{"nosuch.apitrace"}}},
	"cache clean":  {{args: nil}, {args: []string{"--dry-run"}, setup: filled}, {args: []string{"--max", "1B"}, setup: filled}, {args: []string{"x"}}, {args: []string{"--max", "x"}}},
	"doctor":       {{args: nil}, {args: nil, setup: filled}, {args: nil, env: []string{"PATH=SELF"}}},
	"bug":          {{args: nil}, {args: nil, setup: filled}, {args: []string{"--out", "report.txt"}}},
	"version":      {{args: nil}},
	"manual":       {{args: nil}, {args: []string{"/dev/null/man"}}},
	"help":         {{args: []string{"fly"}}, {args: []string{"shwo"}}, {args: []string{"workshop", "fly"}}},
}

// readers are commands that only read recordings, the guide and the course. They run in the
// process of the test, one after the other. Starting the program and parsing the same files
// again would take most of the test's time. All other commands run as processes.
var readers = []string{"show", "search", "scenarios", "diff", "compare", "history", "explain", "source", "routes", "learn", "workshop", "import", "help", "article"}

// runsHere reports whether a run takes place in the test's process: its command is one of
// the readers, and is not endless.
func (r chineseRun) runsHere(args []string) bool {
	return slices.Contains(readers, args[0]) && !r.endless
}

// generated are commands that print a shell script made by cobra. The script has no
// text for people.
var generated = []string{"completion bash", "completion zsh", "completion fish", "completion powershell"}

// halfWidth matches half-width punctuation after a Chinese character, at the end of a
// line or before a blank.
var halfWidth = regexp.MustCompile(`\p{Han}[,;:?!]( |$)`)

// TestEveryCommandSpeaksChinese checks that every command with --lang zh prints only
// Chinese, except for names, flags, code and upstream's own messages.
func TestEveryCommandSpeaksChinese(t *testing.T) {
	testenv.Costly(t, "runs every command")
	var paths, leaves []string
	root := newRoot("apitrace", console.Standard())
	root.InitDefaultHelpCmd()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "apitrace ")
		if c.HasParent() {
			paths = append(paths, path)
		}
		if !c.HasSubCommands() {
			leaves = append(leaves, path)
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
	for _, path := range leaves {
		if len(chineseRuns[path]) == 0 && !slices.Contains(generated, path) {
			t.Errorf("%s: chineseRuns has no run of this command", path)
		}
	}
	names, commands := knownNames(t), paths
	for path, runs := range chineseRuns {
		if !slices.Contains(paths, path) {
			t.Errorf("chineseRuns has a row for the unknown command %q", path)
		}
		for _, run := range runs {
			args := append(append(strings.Fields(path), "--lang", "zh"), run.args...)
			t.Run(strings.Join(append(strings.Fields(path), run.args...), " "), func(t *testing.T) {
				if !run.runsHere(args) {
					t.Parallel()
				}
				dir := chineseFolder(t)
				if run.setup != nil {
					run.setup(t, dir)
				}
				printed := run.do(t, dir, args...)
				o := testenv.Output{Names: names, Commands: commands, Upstream: append(run.upstream, goSource, rbacReason, libraryError, cobraError, goCommand, quotedSource)}
				if english := o.English(t, printed); len(english) > 0 {
					t.Errorf("English in the output:\n%s", strings.Join(english, "\n"))
				}
				for line := range strings.Lines(printed) {
					if halfWidth.MatchString(line) {
						t.Errorf("half-width punctuation after a Chinese character: %s", line)
					}
					if strings.HasPrefix(strings.TrimSpace(line), "。") || strings.HasPrefix(strings.TrimSpace(line), "，") {
						t.Errorf("a line begins with punctuation: %s", line)
					}
				}
			})
		}
	}
}

// TestCompletionSpeaksChinese checks that the descriptions that a shell shows beside
// completed names are Chinese, too.
func TestCompletionSpeaksChinese(t *testing.T) {
	if testing.Short() {
		t.Skip("each run starts the program")
	}
	o := testenv.Output{Names: append(knownNames(t), commandNames()...), Upstream: []string{`Completion ended with directive: .*`}}
	for _, args := range [][]string{{""}, {"show", "get-"}, {"workshop", "start", ""}, {"explain", "--scenario", ""}, {"history", "get-"}, {"diff", ""}, {"run", "--"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"__complete", "--lang", "zh"}, args...)
			if english := o.English(t, chineseRun{}.do(t, t.TempDir(), args...)); len(english) > 0 {
				t.Errorf("English in the output:\n%s", strings.Join(english, "\n"))
			}
		})
	}
}

func commandNames() []string {
	var names []string
	for _, c := range newRoot("apitrace", console.Standard()).Commands() {
		names = append(names, c.Name())
	}
	return names
}

// knownNames returns the names of scenarios, exercises and layers.
func knownNames(t *testing.T) []string {
	t.Helper()
	names, err := loadKnownNames()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var loadKnownNames = sync.OnceValues(func() ([]string, error) {
	library, errLibrary := scenarios.List()
	course, errCourse := workshop.Open("")
	guide, errGuide := instrument.Load()
	if err := errors.Join(errLibrary, errCourse, errGuide); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range library {
		names = append(names, s.Name)
	}
	for _, e := range course.Exercises() {
		names = append(names, e.Name)
	}
	for _, layer := range guide.Layers {
		names = append(names, layer.Name)
	}
	return names, nil
})

// chineseFolder returns an empty home folder with a recording and a file that is not a
// recording.
func chineseFolder(t *testing.T) string {
	t.Helper()
	dir := testenv.Home(t, t.TempDir())
	recording, err := os.ReadFile("testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "get-node.jsonl"), string(recording))
	writeFile(t, filepath.Join(dir, "notes.txt"), "notes\n")
	return dir
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("apitrace")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// do runs a command without network, and returns its standard output and standard error
// together.
func (r chineseRun) do(t *testing.T, dir string, args ...string) string {
	t.Helper()
	run := r.start
	if r.runsHere(args) {
		run = r.here
	}
	out := run(t, dir, args)
	if out == "" {
		t.Fatal("the command printed nothing")
	}
	return out
}

// environment returns the variables of a run that differ from the test's own variables.
func (r chineseRun) environment(t *testing.T, dir string) []string {
	t.Helper()
	all := []string{"LC_ALL=C.UTF-8", "HOME=" + dir, "GOPROXY=off", "GOMODCACHE=" + filepath.Join(dir, "modules"), "TMPDIR=" + dir,
		program.CacheEnv + "=" + filepath.Join(dir, "cache"), program.StateEnv + "=" + filepath.Join(dir, "state"), "COLUMNS=", "VISUAL=", "EDITOR="}
	for _, variable := range r.env {
		all = append(all, strings.ReplaceAll(variable, "SELF", filepath.Dir(self(t))))
	}
	return all
}

// here runs a command in this process, as main does.
func (r chineseRun) here(t *testing.T, dir string, args []string) string {
	t.Helper()
	t.Chdir(dir)
	for _, variable := range r.environment(t, dir) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	args = append([]string{"apitrace"}, args...)
	var out bytes.Buffer
	printer := message.For(output.LanguageOf(args, os.Getenv))
	err := execute(t.Context(), args, &console.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Printer: printer})
	report(&out, printer, err)
	return out.String()
}

// start runs a command as a process.
func (r chineseRun) start(t *testing.T, dir string, args []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, self(t), args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	c.Env = append(os.Environ(), r.environment(t, dir)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if r.endless {
		time.AfterFunc(3*time.Second, func() { _ = c.Process.Signal(os.Interrupt) })
	}
	_ = c.Wait() // the output includes errors
	if ctx.Err() != nil {
		t.Fatalf("the command did not end within a minute:\n%s", out.String())
	}
	return out.String()
}

func quietly(t *testing.T, dir string, args ...string) { chineseRun{}.do(t, dir, args...) }

// started begins the workshop.
func started(t *testing.T, dir string) {
	quietly(t, dir, "workshop", "next", "--lang", "zh")
}

// incomplete writes a trace of another program. The trace does not name the service, and
// lacks the parent of one span.
func incomplete(t *testing.T, dir string) {
	writeFile(t, filepath.Join(dir, "incomplete.jsonl"), `{"resourceSpans":[{"scopeSpans":[{"spans":[`+
		`{"traceId":"0123456789abcdef0123456789abcdef","spanId":"0000000000000001","name":"GET /x","startTimeUnixNano":"1","endTimeUnixNano":"9","attributes":[{"key":"code.function.name","value":{"stringValue":"p.F"}}]},`+
		`{"traceId":"0123456789abcdef0123456789abcdef","spanId":"0000000000000002","parentSpanId":"0000000000000009","name":"g","startTimeUnixNano":"2","endTimeUnixNano":"3"}]}]}]}`)
}

// imported imports the trace that incomplete writes.
func imported(t *testing.T, dir string) {
	incomplete(t, dir)
	quietly(t, dir, "import", "incomplete.jsonl", "--save", "incomplete.json", "--lang", "zh")
}

// edited makes an edit of etcd's file p.go, and an edit of q.go that changes nothing.
func edited(t *testing.T, dir string) {
	at := filepath.Join(dir, "state", "edits", "v1.37.1", "etcd", "p", "p.go")
	writeFile(t, at, "package p\n\nfunc F() { println() }\n")
	writeFile(t, at+".orig", "package p\n\nfunc F() {}\n")
	other := filepath.Join(filepath.Dir(at), "q.go")
	writeFile(t, other, "package p\n")
	writeFile(t, other+".orig", "package p\n")
}

// filled fills the cache: a complete build with an edit, an interrupted build, and Go's
// build cache. It also makes a command fail, because main keeps the last error.
func filled(t *testing.T, dir string) {
	builds := filepath.Join(dir, "cache", "builds")
	manifest, err := json.Marshal(map[string]any{"program": "etcd", "version": "v3.7.0", "key": "0123", "rewrite": "x", "edited": true, "edits": []string{"p/p.go"}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(builds, "etcd_v3.7.0_0123456789ab", "apitrace.json"), string(manifest))
	writeFile(t, filepath.Join(builds, "etcd_v3.7.0_0123456789ab", "build.log"), "$ go build\n")
	writeFile(t, filepath.Join(builds, "kube-apiserver_v1.37.1_0123456789ab", "x"), "x")
	writeFile(t, filepath.Join(dir, "cache", "gocache", "00", "x"), "x")
	chineseRun{}.start(t, dir, []string{"show", "nosuch.jsonl", "--lang", "zh"})
}
