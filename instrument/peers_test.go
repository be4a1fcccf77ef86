package instrument

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A peer is a way to trace the calls of a program.
type peer struct {
	name string
	// enter is the code at the start of each function. %q stands for its name.
	enter string
	// imports are those of the package with the functions, variables its other declarations.
	imports, variables string
	// main is the code of the program: a function start, and a function request(n), which
	// serves the n-th request.
	main string
	// requests is the number of requests in a run of the program.
	requests int
	// command returns the command that runs the built program.
	command func(b *testing.B, bin string) *exec.Cmd
	// recorded reads the number of recorded calls of a request from the program's output.
	// fetched asks the running program for the number of recorded calls of the last
	// request. Both are nil if the number is not known.
	recorded func(b *testing.B, output string) int
	fetched  func(b *testing.B, bin string, requests int) int
}

const plainMain = `
import "peers.test/work"

func start() {}

func finish(int) {}

func request(n int) error { return work.Serve(fmt.Sprintf("00-%032x-00000000000000aa-01", n+1), "/") }
`

var peers = []peer{
	{name: "nothing", main: plainMain, requests: 200},
	{name: "apitrace", main: plainMain, requests: 200, fetched: fetched},
	{
		name: "regions of runtime/trace", requests: 200,
		imports: `import "runtime/trace"`, enter: "defer trace.StartRegion(ctx, %q).End()",
		main: `
import (
	"io"
	"runtime/trace"

	"peers.test/work"
)

func start() {
	if err := trace.Start(io.Discard); err != nil {
		panic(err)
	}
}

func request(int) error { return work.Serve("", "") }

func finish(int) { trace.Stop() }
`,
	},
	{
		name: "spans of the OpenTelemetry SDK", requests: 50, recorded: printed,
		imports: `import "go.opentelemetry.io/otel/trace"`, variables: "var Tracer trace.Tracer",
		enter: "ctx, span := Tracer.Start(ctx, %q); defer span.End()",
		main: `
import (
	"context"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"peers.test/work"
)

// A counter is an exporter that only counts the spans.
type counter struct{ spans int }

func (c *counter) ExportSpans(_ context.Context, spans []sdk.ReadOnlySpan) error {
	c.spans += len(spans)
	return nil
}
func (c *counter) Shutdown(context.Context) error { return nil }

// Without WithBlocking, the processor would drop most spans.
var (
	count    = &counter{}
	provider = sdk.NewTracerProvider(sdk.WithBatcher(count, sdk.WithBlocking()))
)

func start() { work.Tracer = provider.Tracer("peers") }

func request(int) error { return work.Serve("", "") }

func finish(requests int) {
	if err := provider.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	fmt.Printf("recorded: %d\n", count.spans/requests)
}
`,
	},
	{name: "dlv trace", main: plainMain, requests: 1, command: delve, recorded: traced},
}

const peerMain = `// Command peers serves requests, prints the mean time of one in nanoseconds, and waits
// until its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	start()
	began := time.Now()
	for i := range n {
		if err := request(i); err != nil {
			panic(err)
		}
	}
	took := time.Since(began)
	finish(n)
	fmt.Printf("\npeers: %d\n", took.Nanoseconds()/int64(n))
	os.Stdout.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
`

// BenchmarkPeers compares ways to trace each call of a program. The program has the call
// tree of the recorded request GET node, one function for each call. Each function works
// for one to two microseconds, as the calls of kube-apiserver do on average. The ways take
// turns, and the table has the medians. Nothing reads the contents of the traces, but no
// way may lose calls.
func BenchmarkPeers(b *testing.B) {
	testenv.Costly(b, "builds five programs, and Delve")
	const rounds = 7
	calls := recordedCalls(b)
	bins := make([]string, len(peers))
	for i := range peers {
		bins[i] = peers[i].build(b, calls)
	}
	for b.Loop() {
		times := make([][]int64, len(peers))
		for range rounds {
			for i := range peers {
				if peers[i].requests > 1 || len(times[i]) == 0 { // a way that takes seconds runs only once
					times[i] = append(times[i], peers[i].run(b, bins[i], len(calls)))
				}
			}
		}
		fmt.Printf("\n| each of %d calls is traced by | time of a request | to nothing | one call |\n| --- | --- | --- | --- |\n", len(calls))
		base := median(times[0])
		for i := range peers {
			t := median(times[i])
			fmt.Printf("| %s | %.3g ms | %.3g | %.3g µs |\n", peers[i].name, float64(t)/1e6, float64(t)/float64(base), float64(t-base)/1e3/float64(len(calls)))
		}
	}
	b.ReportMetric(0, "ns/op")
}

func median(all []int64) int64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// recordedCalls returns the children of each call of the recorded request GET node.
func recordedCalls(b *testing.B) [][]int {
	b.Helper()
	releases, err := recordings.Versions()
	if err != nil {
		b.Fatal(err)
	}
	rec, err := recordings.Load(releases[len(releases)-1].K8sVersion, "get-node")
	if err != nil {
		b.Fatal(err)
	}
	tree, err := trace.NewTree(&rec.Requests[0])
	if err != nil {
		b.Fatal(err)
	}
	calls := make([][]int, tree.Len())
	for i := range tree.Len() {
		calls[i] = slices.Collect(tree.Children(i))
	}
	return calls
}

// source returns the package with a function for each call.
func (p *peer) source(calls [][]int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "package work\n\nimport \"context\"\n%s\n%s\n\nvar Sink uint64\n\n", p.imports, p.variables)
	s.WriteString("// Serve serves a request.\nfunc Serve(traceparent, path string) error { return f0(context.Background()) }\n")
	for i, children := range calls {
		fmt.Fprintf(&s, "\n//go:noinline\nfunc f%d(ctx context.Context) error {\n", i)
		if p.enter != "" {
			fmt.Fprintf(&s, "\t"+p.enter+"\n", "f"+strconv.Itoa(i))
		}
		s.WriteString("\tx := Sink\n\tfor i := range uint64(1000) {\n\t\tx = x*31 + i\n\t}\n\tSink = x\n")
		for _, child := range children {
			fmt.Fprintf(&s, "\tif err := f%d(ctx); err != nil {\n\t\treturn err\n\t}\n", child)
		}
		s.WriteString("\treturn nil\n}\n")
	}
	return s.String()
}

// build builds the program in a temporary folder and returns its path.
func (p *peer) build(b *testing.B, calls [][]int) string {
	b.Helper()
	dir := b.TempDir()
	write := func(name, content string) {
		b.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("main.go", peerMain)
	write("request.go", "package main\n\nimport \"fmt\"\n"+p.main+"\nvar _ = fmt.Sprint\n")
	bin := filepath.Join(dir, "peer.bin")
	args := []string{"build", "-trimpath", "-o", bin}
	if p.name == "apitrace" {
		write("go.mod", "module github.com/kubeapitrace/apitrace\n\ngo 1.26\n\nrequire peers.test v0.0.0\n")
		write("vendor/modules.txt", "# peers.test v0.0.0\n## explicit; go 1.26\npeers.test/work\n")
		write("vendor/peers.test/work/work.go", p.source(calls))
		args = append(args, "-mod=vendor", "-overlay", p.rewrite(b, dir))
	} else {
		for _, name := range []string{"go.mod", "go.sum"} { // the program needs the same versions of modules as apitrace
			content, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				b.Fatal(err)
			}
			write(name, strings.Replace(string(content), "module github.com/kubeapitrace/apitrace", "module peers.test", 1))
		}
		write("work/work.go", p.source(calls))
		args = append(args, "-mod=mod")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", p.name, err, out)
	}
	return bin
}

// rewrite inserts the spans and returns the path of the overlay.
func (p *peer) rewrite(b *testing.B, dir string) string {
	b.Helper()
	guide := &Guide{Programs: map[string]*ProgramGuide{"peers": {
		Packages: []Packages{{Path: "peers.test/work"}},
		Roots:    []Root{{Function: "peers.test/work.Serve", Traceparent: "traceparent", Path: "path"}},
	}}}
	res, err := Rewrite(Options{Guide: guide, Program: "peers", Version: "v1.0.0", Vendor: filepath.Join(dir, "vendor"), Out: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": res.Overlay})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// run runs the program and returns the mean time of a request in nanoseconds. It fails the
// benchmark if not all calls were recorded.
func (p *peer) run(b *testing.B, bin string, calls int) int64 {
	b.Helper()
	cmd := exec.Command(bin)
	if p.command != nil {
		cmd = p.command(b, bin)
	}
	cmd.Args = append(cmd.Args, strconv.Itoa(p.requests))
	cmd.Env = append(os.Environ(), probe.EnvSocket+"="+socketOf(bin), probe.EnvProcess+"=peers")
	_ = os.Remove(socketOf(bin)) // of the run before
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints // Delve prints the calls there
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	recorded := calls
	if p.fetched == nil {
		in.Close()
	}
	text, err := io.ReadAll(out)
	if p.fetched != nil {
		recorded = p.fetched(b, bin, p.requests)
		in.Close()
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		b.Fatalf("%s: %v\n%s%s", p.name, err, text, &complaints)
	}
	if p.recorded != nil {
		recorded = p.recorded(b, string(text)+complaints.String())
	}
	if recorded != calls {
		b.Fatalf("%s recorded %d calls of %d, expected all", p.name, recorded, calls)
	}
	return int64(numberAfter(b, "peers: ", string(text)))
}

// numberAfter returns the number behind a label in a text.
func numberAfter(b *testing.B, label, text string) int {
	b.Helper()
	_, rest, _ := strings.Cut(text, label)
	digits, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(digits)
	if err != nil {
		b.Fatalf("no number after %q in %q", label, text)
	}
	return n
}

func socketOf(bin string) string { return filepath.Join(filepath.Dir(bin), "s") }

// printed reads the number of recorded calls that the program prints.
func printed(b *testing.B, output string) int { return numberAfter(b, "recorded: ", output) }

// fetched fetches the trace of the last request from the probe.
func fetched(b *testing.B, bin string, requests int) int {
	_, records := fetch(b, socketOf(bin), probe.Query{Trace: fmt.Sprintf("%032x", requests), SettleMillis: 20, TimeoutMillis: 5000})
	n := 0
	for _, r := range records {
		if strings.HasPrefix(r.Function, "peers.test/work.f") {
			n++
		}
	}
	return n
}

// traced counts the calls that Delve printed.
func traced(_ *testing.B, output string) int {
	n := 0
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "> ") && strings.Contains(line, "peers.test/work.f") {
			n++
		}
	}
	return n
}

// delve returns the command that traces a program's functions with Delve.
func delve(b *testing.B, bin string) *exec.Cmd {
	b.Helper()
	dlv := filepath.Join(filepath.Dir(bin), "dlv")
	if _, err := os.Stat(dlv); err != nil {
		install := exec.Command("go", "install", "github.com/go-delve/delve/cmd/dlv@v1.27.2")
		install.Env = append(os.Environ(), "GOFLAGS=", "GOBIN="+filepath.Dir(bin))
		if out, err := install.CombinedOutput(); err != nil {
			b.Fatalf("installing Delve: %v\n%s", err, out)
		}
	}
	return exec.Command(dlv, "trace", "--exec", bin, `^peers\.test/work\.f[0-9]+$`, "--")
}
