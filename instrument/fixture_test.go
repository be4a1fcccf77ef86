package instrument

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A fixture is a program in the layout of a workspace. Its main module has apitrace's own
// name, and the vendor folder has the code to instrument.
type fixture struct {
	dir string
	res *Result
}

// newFixture lays out and rewrites the program in testdata/fixture.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	vendor := filepath.Join(dir, "vendor")
	if err := os.CopyFS(filepath.Join(vendor, "fixture.test"), os.DirFS("testdata/fixture")); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(vendor, "fixture.test", "main.go")
	if err := os.Rename(main, filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module github.com/kubeapitrace/apitrace\n\ngo 1.26\n\nrequire fixture.test v0.0.0\n")
	writeFile(t, filepath.Join(vendor, "modules.txt"), "# fixture.test v0.0.0\n## explicit; go 1.26\nfixture.test/app\nfixture.test/control\nfixture.test/lib\nfixture.test/truth\n")
	g, err := load(os.DirFS("testdata/fixture"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	res, err := Rewrite(Options{Guide: g, Program: "fixture", Version: "v1.0.0", Vendor: vendor, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": res.Overlay})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "overlay.json"), string(overlay))
	return &fixture{dir, res}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) build(t *testing.T, flags ...string) string {
	t.Helper()
	bin := filepath.Join(f.dir, "fixture.bin")
	cmd := exec.Command("go", slices.Concat([]string{"build", "-mod=vendor", "-trimpath", "-overlay", "overlay.json", "-o", bin}, flags, []string{"."})...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if arch := testenv.FixtureArch(); arch != "" {
		cmd.Env = append(cmd.Env, "GOARCH="+arch)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the rewritten fixture: %v\n%s", err, out)
	}
	return bin
}

// A knownCall is a call that the fixture itself reports; see testdata/fixture/truth.
type knownCall struct {
	Function string
	Line     int
	Calls    []*knownCall
}

const fixtureTrace = "0123456789abcdef0123456789abcdef"

// run runs the fixture and returns the call tree that it reports, and the probe's
// records.
func (f *fixture) run(t *testing.T, bin string) (known knownCall, header probe.Header, records []probe.Record) {
	t.Helper()
	known, socket := f.start(t, bin)
	header, records = fetch(t, socket, probe.Query{Trace: fixtureTrace, SettleMillis: 20, TimeoutMillis: 5000})
	return known, header, records
}

// start starts the fixture, which ends with the test. It returns the call tree that the
// fixture reports, and the socket of its probe.
func (f *fixture) start(t *testing.T, bin string, env ...string) (known knownCall, socket string) {
	t.Helper()
	socket, _, out := f.launch(t, bin, "00-"+fixtureTrace+"-00000000000000aa-01", env...)
	if err := json.NewDecoder(out).Decode(&known); err != nil {
		t.Fatalf("reading the call tree that the fixture reports: %v", err)
	}
	return known, socket
}

// launch starts the fixture, which ends with the test, for a request with a traceparent. It
// returns the socket of its probe, its input and its output.
func (f *fixture) launch(t *testing.T, bin, traceparent string, env ...string) (socket string, in io.Writer, out io.Reader) {
	t.Helper()
	socket = filepath.Join(testenv.SocketDir(t), "s")
	cmd := exec.Command(bin, traceparent)
	if testenv.FixtureArch() == "arm64" {
		cmd = exec.Command("qemu-aarch64-static", cmd.Args...)
	}
	cmd.Env = append(os.Environ(), probe.EnvSocket+"="+socket, probe.EnvProcess+"=fixture", probe.EnvCheck+"=1")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return socket, input, output
}

func fetch(t testing.TB, socket string, q probe.Query) (h probe.Header, records []probe.Record) {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	if h, err = probe.ReadHeader(in); err != nil {
		t.Fatal(err)
	}
	if records, err = probe.ReadRecords(in, h.Calls); err != nil {
		t.Fatal(err)
	}
	return h, records
}

// drawKnown and drawRecorded render a tree of calls, one line each, for comparison.
func drawKnown(b *bytes.Buffer, depth int, c *knownCall) {
	fmt.Fprintf(b, "%s%s %d\n", strings.Repeat("  ", depth), c.Function, c.Line)
	for _, child := range c.Calls {
		drawKnown(b, depth+1, child)
	}
}

func drawRecorded(b *bytes.Buffer, depth int, parent probe.SpanID, records []probe.Record) {
	for _, r := range records {
		if r.Parent == parent {
			fmt.Fprintf(b, "%s%s %d\n", strings.Repeat("  ", depth), r.Function, r.CallerLine)
			drawRecorded(b, depth+1, r.ID, records)
		}
	}
}

func TestFixtureRecordsItsOwnCallOrder(t *testing.T) {
	f := newFixture(t)
	known, header, records := f.run(t, f.build(t))
	if header.Error != "" || header.Dropped != 0 || header.Undelivered != 0 {
		t.Errorf("the header is %+v, expected no error and no lost calls", header)
	}
	for _, m := range header.Mismatches {
		t.Errorf("the checking mode found a difference: %s", m)
	}
	if header.Checked < int64(len(records)) {
		t.Errorf("the checking mode compared %d of %d calls, expected all", header.Checked, len(records))
	}
	var want, got bytes.Buffer
	drawKnown(&want, 0, &known)
	drawRecorded(&got, 0, 0xaa, records)
	if want.String() != got.String() {
		t.Errorf("the call tree that the fixture reports and the trace differ:\n%s", diff(t, want.Bytes(), got.Bytes()))
	}
	if lines := strings.Count(got.String(), "\n"); lines != len(records) {
		t.Errorf("%d of %d records are in the tree, expected all", lines, len(records))
	}
}

// byFunction finds the record of a function, without its import path.
func byFunction(t *testing.T, records []probe.Record, function string) probe.Record {
	t.Helper()
	for _, r := range records {
		if r.Function == "fixture.test/app."+function {
			return r
		}
	}
	t.Fatalf("no call of %s was recorded", function)
	return probe.Record{}
}

func TestFixtureRecordsOutcomes(t *testing.T) {
	f := newFixture(t)
	_, _, records := f.run(t, f.build(t))
	for function, want := range map[string]string{
		"unnamed": "unnamed result", "several": "several: results", "named": "set late: named result", "isNil": "",
		"strange": "strange fixture.test/app.strange", "catches": "recovered: thrown", "errorsReturned": "",
		"listed": "one\nanother", "listsNone": "",
	} {
		if got := byFunction(t, records, function).Error; got != want {
			t.Errorf("%s returned error %q, expected %q", function, got, want)
		}
	}
	thrower := "fixture.test/app.throws.func1 (app.go:"
	for _, r := range records {
		panics := strings.HasPrefix(r.Panic, thrower)
		switch strings.TrimPrefix(r.Function, "fixture.test/app.") {
		case "throws", "throws.func1":
			if !panics {
				t.Errorf("%s: panic %q, expected one from %s", r.Function, r.Panic, thrower)
			}
		default:
			if r.Panic != "" {
				t.Errorf("%s: panic %q, expected none", r.Function, r.Panic)
			}
		}
		if r.Unfinished || r.Duration < 0 || r.Line == 0 || r.File != "fixture.test/app/app.go" {
			t.Errorf("expected a finished call in app.go, got %+v", r)
		}
	}
}

func TestFixtureRecordsValues(t *testing.T) {
	f := newFixture(t)
	_, _, records := f.run(t, f.build(t))
	for function, want := range map[string][]probe.Attr{
		"values": {
			{Key: "name", Value: "a name"}, {Key: "implementation", Value: "*fixture.test/app.base"},
			{Key: "traced.method", Value: "strange fixture.test/app.valued"}, {Key: "numbers", Value: "2"},
			{Key: "implements", Value: "does"},
			{Key: "name.at.exit", Value: "a name"}, {Key: "chosen", Value: "refused"}, {Key: "first", Value: "0"}, {Key: "second", Value: "changed"}, {Key: "third", Value: "an error"}, {Key: "made", Value: "made of 1"},
		},
		"valued":       {{Key: "outer", Value: "fixture.test/app.Serve"}},
		"valued.func1": {{Key: "outer", Value: "fixture.test/app.Serve"}, {Key: "local", Value: "of a literal"}},
		"work":         {{Key: "apitrace.handoff", Value: "queue"}},
		"save":         {{Key: "apitrace.handoff", Value: "log"}},
		"inner":        nil,
	} {
		if got := byFunction(t, records, function).Attrs; !slices.Equal(got, want) {
			t.Errorf("%s: values %v, expected %v", function, got, want)
		}
	}
}

// TestFixtureKeepsSecrets checks that errors in the trace of a request on secrets show
// only their types, in results and in values, unless the query asks for the texts. Other
// texts must not change.
func TestFixtureKeepsSecrets(t *testing.T) {
	f := newFixture(t)
	bin := f.build(t)
	fetchOf := func(path, secrets string) (probe.Header, []probe.Record) {
		t.Helper()
		_, socket := f.start(t, bin, "FIXTURE_PATH="+path)
		return fetch(t, socket, probe.Query{Trace: fixtureTrace, SettleMillis: 20, TimeoutMillis: 5000, Secrets: secrets})
	}
	const onSecret, onPod = "/api/v1/namespaces/default/secrets/one", "/api/v1/namespaces/default/pods/one"
	const told = " (text not shown: it may quote a secret)"
	for _, test := range []struct {
		path, secrets string
		cut           bool
	}{
		{onSecret, "", true}, {onSecret, probe.SecretsShow, false},
		{onPod, "", false}, {onPod, probe.SecretsCut, true},
	} {
		header, records := fetchOf(test.path, test.secrets)
		if header.Secret != (test.path == onSecret) {
			t.Errorf("%s: the probe marks the request as one on secrets: %t, expected the opposite", test.path, header.Secret)
		}
		want := map[string]string{"unnamed": "unnamed result", "strange": "strange fixture.test/app.strange", "listed": "one\nanother", "isNil": "", "makesError": "made of 1"}
		if test.cut {
			want = map[string]string{
				"unnamed": "unnamed result" /* a constant */, "strange": "*fixture.test/app.strangeError" + told,
				"listed": "*errors.joinError" + told, "isNil": "", "makesError": "*errors.errorString" + told,
			}
		}
		for function, text := range want {
			if got := byFunction(t, records, function).Error; got != text {
				t.Errorf("%s %s: %s returned error %q, expected %q", test.path, test.secrets, function, got, text)
			}
		}
		attrs := byFunction(t, records, "values").Attrs
		if !slices.Contains(attrs, probe.Attr{Key: "made", Value: want["makesError"]}) || !slices.Contains(attrs, probe.Attr{Key: "name", Value: "a name"}) {
			t.Errorf("%s %s: values %v, expected made %q and the name", test.path, test.secrets, attrs, want["makesError"])
		}
	}
}

// TestFixtureRecordsWhatFollowsAWrite checks the calls that follow a write. They are on a
// goroutine that does not work for the request.
func TestFixtureRecordsWhatFollowsAWrite(t *testing.T) {
	f := newFixture(t)
	_, socket := f.start(t, f.build(t))
	header, records := fetch(t, socket, probe.Query{Revision: 41, SettleMillis: 20, TimeoutMillis: 5000})
	for _, m := range header.Mismatches {
		t.Errorf("the checking mode found a difference: %s", m)
	}
	if len(records) != 2 {
		t.Fatalf("%d calls, expected tell and inner: %+v", len(records), records)
	}
	tell, inner := records[0], records[1]
	revision := []probe.Attr{{Key: "apitrace.etcd.revision", Value: "41"}}
	if tell.Function != "fixture.test/app.tell" || tell.Stage != 1 || tell.Parent != 0 || !slices.Equal(tell.Attrs, revision) {
		t.Errorf("expected tell as the first stage, with its revision, got %+v", tell)
	}
	if inner.Function != "fixture.test/app.inner" || inner.Stage != 0 || inner.Parent != tell.ID {
		t.Errorf("expected inner below tell, got %+v", inner)
	}
	if header, _ := fetch(t, socket, probe.Query{Revision: 42, TimeoutMillis: 10}); header.Calls != 0 {
		t.Errorf("%d calls follow a revision that was never written, expected none", header.Calls)
	}
}

// TestFixtureRecordsItsStart checks the trace of the code that runs before main and in
// main. Requests are not part of this trace: a request has its own trace, or none. One of
// the four calls of work and one of the four calls of save belong to the request.
func TestFixtureRecordsItsStart(t *testing.T) {
	f := newFixture(t)
	bin := f.build(t)
	const bootTrace = "fedcba9876543210fedcba9876543210"
	known, socket := f.start(t, bin, probe.EnvBoot+"=00-"+bootTrace+"-00000000000000bb-01")
	header, records := fetch(t, socket, probe.Query{Trace: bootTrace})
	for _, m := range header.Mismatches {
		t.Errorf("the checking mode found a difference: %s", m)
	}
	var got bytes.Buffer
	drawStart(&got, 0, 0, records)
	const want = `runtime.main
  fixture.test/app.noteInit
  fixture.test/app.StartWorker
    fixture.test/app.StartWorker.func1
      fixture.test/app.work
        fixture.test/app.inner
      fixture.test/app.work
        fixture.test/app.inner
      fixture.test/app.work
        fixture.test/app.inner
    fixture.test/app.StartWorker.func2
      fixture.test/app.tell
        fixture.test/app.inner
      fixture.test/app.tell
        fixture.test/app.inner
    fixture.test/app.StartWorker.func3
      fixture.test/app.save
        fixture.test/app.inner
      fixture.test/app.save
        fixture.test/app.inner
      fixture.test/app.save
        fixture.test/app.inner
`
	if got.String() != want {
		t.Errorf("the trace of the start is\n%s\nexpected\n%s", got.String(), want)
	}
	if r := records[0]; !r.Unfinished || r.File != "runtime/proc.go" || r.Line == 0 {
		t.Errorf("expected runtime.main, unfinished, in runtime/proc.go, got %+v", r)
	}
	// Requests are traced as usual, on goroutines that belonged to the start.
	_, records = fetch(t, socket, probe.Query{Trace: fixtureTrace, SettleMillis: 20, TimeoutMillis: 5000})
	var wantRequest, gotRequest bytes.Buffer
	drawKnown(&wantRequest, 0, &known)
	drawRecorded(&gotRequest, 0, 0xaa, records)
	if wantRequest.String() != gotRequest.String() {
		t.Errorf("after a traced start, the call tree that the fixture reports and the trace differ:\n%s", diff(t, wantRequest.Bytes(), gotRequest.Bytes()))
	}
}

// drawStart is like drawRecorded, but leaves out the lines of callers, because some of
// them are in the runtime. Goroutines begin in any order, so it sorts, by name, the calls
// on goroutines that a function started.
func drawStart(b *bytes.Buffer, depth int, parent probe.SpanID, records []probe.Record) {
	at := slices.IndexFunc(records, func(r probe.Record) bool { return r.ID == parent })
	var here, started []probe.Record
	for _, r := range records {
		switch {
		case r.Parent != parent:
		case at >= 0 && r.Goroutine != records[at].Goroutine:
			started = append(started, r)
		default:
			here = append(here, r)
		}
	}
	slices.SortStableFunc(started, func(a, b probe.Record) int { return strings.Compare(a.Function, b.Function) })
	for _, r := range append(here, started...) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth), r.Function)
		drawStart(b, depth+1, r.ID, records)
	}
}

// TestFixtureIsFreeOfRaces runs the fixture with the race detector, which needs cgo.
func TestFixtureIsFreeOfRaces(t *testing.T) {
	if testing.Short() || testenv.FixtureArch() != "" {
		t.Skip("this test builds the standard library with the race detector")
	}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("the race detector needs cgo, and there is no C compiler here")
	}
	f := newFixture(t)
	_, header, records := f.run(t, f.build(t, "-race"))
	if len(header.Mismatches) > 0 || len(records) == 0 {
		t.Errorf("got %d records and the mismatches %v, expected records without mismatches", len(records), header.Mismatches)
	}
	if _, records := f.follow(t, filepath.Join(f.dir, "fixture.bin")); drawChains(records) != caused {
		t.Errorf("the chains are\n%s\nexpected\n%s", drawChains(records), caused)
	}
}

// diff returns the differences between two texts in unified format.
func diff(t *testing.T, want, got []byte) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "known"), string(want))
	writeFile(t, filepath.Join(dir, "recorded"), string(got))
	cmd := exec.Command("diff", "-U3", "known", "recorded")
	cmd.Dir = dir
	out, _ := cmd.Output()
	return string(out)
}
