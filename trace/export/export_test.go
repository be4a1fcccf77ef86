package export

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
)

var update = flag.Bool("update", false, "write the golden files")

// coloured is a guide that gives a layer a colour.
type coloured struct{ *instrument.ReaderGuide }

func (coloured) Colour(layer string) string {
	if layer == trace.LayerAuthentication {
		return "#983d1d"
	}
	return ""
}

// real returns a recording of a real kube-apiserver.
func real(t *testing.T) *trace.Recording {
	t.Helper()
	rec, err := trace.Load("../../cmd/apitrace/testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// storagePart returns the part of a real recording at and below the etcd3 store. It
// has calls of both processes, and is small enough for a person to read.
func storagePart(t *testing.T) *trace.Recording {
	t.Helper()
	rec, err := trace.Load("testdata/get-node-storage.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// totals matches the parts of a diagram that differ in each recording of the same code.
var totals = regexp.MustCompile(`[0-9]+ calls in [0-9.]+ ms`)

var writers = map[string]func(io.Writer, *trace.Recording) error{
	"yaml":   WriteYAML,
	"json":   WriteChrome,
	"folded": WriteFolded,
	"mmd": func(w io.Writer, rec *trace.Recording) error {
		guide, err := instrument.Load()
		if err != nil {
			return err
		}
		return WriteMermaid(w, rec, coloured{guide.ForReader("en")})
	},
}

func TestGolden(t *testing.T) {
	for name, write := range writers {
		rec := storagePart(t)
		if name == "mmd" {
			rec = real(t)
		}
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out, rec); err != nil {
				t.Fatal(err)
			}
			got := totals.ReplaceAll(out.Bytes(), []byte("N calls in T ms"))
			file := filepath.Join("testdata", "get-node."+name+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the %s export differs from %s: run \"go test ./trace/export -update\" and look at the difference", name, file)
			}
		})
	}
}

// TestYAMLEqualsJSON checks that the YAML of a recording has the same content as its
// JSON.
func TestYAMLEqualsJSON(t *testing.T) {
	rec := real(t)
	rec.Requests[0].Calls[3].Error = "a\x00b\x7f: # \"x\"\n\ttab \u2028 é 世 - no: yes"
	rec.Requests[0].Calls[4].Error = "1e3"
	rec.Requests[0].Calls[5].Goroutine = 1<<64 - 1
	var asYAML, asJSON bytes.Buffer
	if err := WriteYAML(&asYAML, rec); err != nil {
		t.Fatal(err)
	}
	if err := trace.WriteJSON(&asJSON, rec); err != nil {
		t.Fatal(err)
	}
	var fromYAML, fromJSON any
	if err := yaml.Unmarshal(asYAML.Bytes(), &fromYAML); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	for data, to := range map[string]*any{string(text): &fromYAML, asJSON.String(): &fromJSON} {
		decoder := json.NewDecoder(strings.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(fromYAML, fromJSON) {
		t.Error("the YAML and the JSON of a recording have different contents")
	}
}

// TestYAMLLikeTheEncoder checks that WriteYAML writes the same as the encoder for the
// whole recording.
func TestYAMLLikeTheEncoder(t *testing.T) {
	texts := []string{
		"", "e", "no", "true", "False", "null", "~", "12", "0b11", "0x1f", "-1", "1e3", "12:30:45", "2026-11-21", "2026-11-21T01:08:14Z", ".inf", "<<",
		"0000000000000018", "00000000000003e8", "0b11111111111111", "00000000000000b1", "00000000000000a1", "12345678901234567890123", "9999999999999999e9999",
		"a: b", "a #b", "a:", "- a", "-", "--- a", "...", "?", "[a]", "{a}", "*a", "&a", "!a", "%a", "@a", "`a`", "'a'", "\"a\"", "a, b", " a", "a ", "\ta",
		"/registry/pods/default/p", "etcd3.(*store).Get", "k8s.io/a.init.0.func1.2", "(a)", "_a", "é 世界", "a\u2028b", "a\x00b\x7f", "a\xffb",
		"a\nb", "a\n\n  b\n", "  a\nb", "a \nb", "calls: []\n  calls: []\nrequests: []", strings.Repeat("a b ", 60) + "c", strings.Repeat("long", 60),
	}
	rec := storagePart(t)
	r := &rec.Requests[0]
	for i := range r.Calls {
		if r.Calls[i].Attributes == nil {
			r.Calls[i].Attributes = map[string]string{}
		}
	}
	for i, text := range texts {
		call := &r.Calls[i+1]
		call.Error, call.Panic, call.Attributes = text, text, map[string]string{"plain.name": text, "text": text}
		call.Unfinished, call.Leaf = i%2 == 0, i%3 == 0
		if i%5 == 0 {
			call.NewGoroutine, call.CallerLine = true, 0 // without a line it may be anywhere among its siblings
		}
		if text != "" && i%2 == 0 {
			call.Attributes[text] = text
		}
		r.Incomplete = append(r.Incomplete, text)
		r.Stored = append(r.Stored, trace.StoredKey{Op: "PUT", Key: text, Revision: int64(i)})
	}
	r.Path = "/calls: [] requests: []"
	second := *r
	second.TraceID, second.Incomplete, second.Stored = strings.Repeat("1", 32), nil, nil
	rec.Requests = append(rec.Requests, second)
	var got bytes.Buffer
	if err := WriteYAML(&got, rec); err != nil {
		t.Fatal(err)
	}
	want, err := encodeYAML(rec)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Error(cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")))
	}
}

// TestFoldedWeights checks that the weights of all stacks sum up to the own times of
// all calls, and that each stack has one line.
func TestFoldedWeights(t *testing.T) {
	rec := real(t)
	var out bytes.Buffer
	if err := WriteFolded(&out, rec); err != nil {
		t.Fatal(err)
	}
	tree, err := trace.NewTree(&rec.Requests[0])
	if err != nil {
		t.Fatal(err)
	}
	var want, got int64
	for i := range tree.Len() {
		want += tree.SelfNs(i)
	}
	stacks := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		blank := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(strings.TrimSpace(line[blank:]), 10, 64)
		if err != nil || n <= 0 {
			t.Fatalf("line %q does not end with a positive weight: %v", line, err)
		}
		if stacks[line[:blank]] {
			t.Errorf("stack %q has two lines, expected one", line[:blank])
		}
		stacks[line[:blank]] = true
		got += n
	}
	if got != want {
		t.Errorf("the weights sum up to %d ns, expected the sum of the own times, %d ns", got, want)
	}
	if got < rec.Requests[0].Calls[0].DurationNs {
		t.Errorf("the weights sum up to %d ns, expected at least the request's duration, %d ns", got, rec.Requests[0].Calls[0].DurationNs)
	}
}

// TestMermaidParticipants checks that both ends of every arrow are participants, and
// that every participant has an arrow.
func TestMermaidParticipants(t *testing.T) {
	for _, lang := range []string{"", "zh"} {
		guide, err := instrument.Load()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		rec := real(t)
		rec.Requests[0].Path = "/a;b#c?x=<y>"
		if err := WriteMermaid(&out, rec, coloured{guide.ForReader(lang)}); err != nil {
			t.Fatal(err)
		}
		known, met := map[string]bool{"client": true}, map[string]bool{"client": true}
		for line := range strings.Lines(out.String()) {
			fields := strings.Fields(line)
			switch {
			case fields[0] == "participant":
				known[fields[1]] = true
			case strings.Contains(fields[0], ">>") || strings.Contains(fields[0], "-x"):
				from, to, _ := strings.Cut(strings.TrimSuffix(fields[0], ":"), "-")
				to = strings.TrimLeft(to, "->x")
				if !known[from] || !known[to] {
					t.Errorf("line %q: %q or %q is not a participant", line, from, to)
				}
				met[from], met[to] = true, true
			}
			if strings.Contains(line, "/a") && !strings.Contains(line, "/a#59;b#35;c?x=#lt;y#gt;<br/>") {
				t.Errorf("line %q: the path is not escaped", line)
			}
		}
		if !reflect.DeepEqual(known, met) {
			t.Errorf("got the participants %v, but arrows of %v, expected the same", known, met)
		}
		for _, layer := range guide.Layers {
			if layer.Name == "authentication" && !strings.Contains(out.String(), " as "+layer.Title.In(lang)+"\n") {
				t.Errorf("language %q: expected a participant with the title %q", lang, layer.Title.In(lang))
			}
		}
	}
}

func TestInvalidRecording(t *testing.T) {
	for name, write := range writers {
		if err := write(io.Discard, &trace.Recording{Requests: []trace.Request{{}}}); err == nil {
			t.Errorf("%s: writing a recording without calls returned no error", name)
		}
	}
}
