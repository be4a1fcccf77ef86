package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyRecording draws a recording that Validate accepts. Its texts have any characters
// that JSON can have.
func anyRecording(t *rapid.T) *Recording {
	rec := &Recording{
		Scenario:    rapid.String().Draw(t, "scenario"),
		K8sVersion:  rapid.String().Draw(t, "k8s"),
		EtcdVersion: rapid.String().Draw(t, "etcd"),
		Servers:     rapid.SampledFrom([][]string{nil, {"own example.com/own v0.1.0"}}).Draw(t, "servers"),
		Edited:      rapid.SampledFrom([][]string{nil, {"a.go"}, {"b.go", "a.go"}}).Draw(t, "edited"),
		Edition:     rapid.SampledFrom([]string{"", "0123456789ab", "0123456789ab k8s.io/p/... k8s.io/q"}).Draw(t, "edition"),
		Recorded:    anyTime(t),
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "requests") {
		rec.Requests = append(rec.Requests, anyRequest(t, i))
		if i > 0 && rapid.Bool().Draw(t, "caused") {
			cause(t, rec, i)
		}
	}
	// A recording has its requests in the order in which they were sent.
	slices.SortStableFunc(rec.Requests, func(x, y Request) int { return x.Start.Compare(y.Start) })
	return rec
}

// cause makes the last request one that an earlier request caused. All of these are in one
// trace.
func cause(t *rapid.T, rec *Recording, number int) {
	by := rec.Requests[rapid.IntRange(0, number-1).Draw(t, "cause")]
	r := &rec.Requests[number]
	r.TraceID = strings.Repeat("f", 32)
	r.Cause = Cause{TraceID: by.TraceID, Call: by.Calls[len(by.Calls)-1].ID}
	for range rapid.IntRange(0, 2).Draw(t, "pending") {
		r.Pending = append(r.Pending, Pending{
			Process: rapid.SampledFrom([]string{"kube-scheduler", "other"}).Draw(t, "process"), Queue: rapid.String().Draw(t, "queue"), Item: rapid.String().Draw(t, "item"),
			By: r.Calls[0].ID, Due: anyTime(t),
		})
	}
	r.Calls[0].Attributes = map[string]string{AttrCauses: by.Calls[0].ID + " " + by.Calls[0].ID}
}

func anyTime(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "unknown") {
		return time.Time{}
	}
	return time.Unix(0, rapid.Int64Min(1).Draw(t, "time")).UTC()
}

func anyRequest(t *rapid.T, number int) Request {
	name := rapid.StringMatching(`[/?=&a-z\x{4e00}-\x{4e10}%]+`)
	r := Request{
		TraceID:    fmt.Sprintf("%032x", number+1),
		Method:     name.Draw(t, "method"),
		Path:       name.Draw(t, "path"),
		Status:     rapid.Int().Draw(t, "status"),
		Start:      anyTime(t),
		Incomplete: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "incomplete"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "stored") {
		r.Stored = append(r.Stored, StoredKey{
			Op: "PUT", Key: rapid.String().Draw(t, "key"), Revision: rapid.Int64().Draw(t, "revision"),
			Size: rapid.Int().Draw(t, "size"), Encoding: rapid.String().Draw(t, "encoding"),
			APIVersion: rapid.String().Draw(t, "apiVersion"), Kind: rapid.String().Draw(t, "kind"),
		})
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "calls") {
		r.Calls = append(r.Calls, anyCall(t, number, i, name))
	}
	if len(r.Incomplete) == 0 {
		r.Incomplete = nil
	}
	if err := r.Sort(); err != nil {
		t.Fatal(err)
	}
	return r
}

func anyCall(t *rapid.T, number, i int, name *rapid.Generator[string]) Call {
	c := Call{
		ID:           callID(number, i),
		Function:     name.Draw(t, "function"),
		File:         name.Draw(t, "file"),
		Line:         rapid.Int().Draw(t, "line"),
		CallerLine:   rapid.Int().Draw(t, "callerLine"),
		Process:      rapid.SampledFrom([]string{"kube-apiserver", "etcd", "other"}).Draw(t, "process"),
		Goroutine:    rapid.Uint64().Draw(t, "goroutine"),
		NewGoroutine: rapid.Bool().Draw(t, "new"),
		DurationNs:   rapid.Int64Range(0, 1<<40).Draw(t, "duration"),
		Leaf:         rapid.Bool().Draw(t, "leaf"),
		Unfinished:   rapid.Bool().Draw(t, "unfinished"),
		Error:        rapid.String().Draw(t, "error"),
		Panic:        rapid.String().Draw(t, "panic"),
	}
	if i > 0 {
		c.Parent = callID(number, rapid.IntRange(0, i-1).Draw(t, "parent"))
		c.StartNs = rapid.Int64Range(-3, 3).Draw(t, "start") // many calls start at the same time
	}
	values := rapid.MapOfN(rapid.StringMatching(`k8s\.[a-z]*`), rapid.String(), 0, 3).Draw(t, "attributes")
	if len(values) > 0 {
		c.Attributes = values
	}
	return c
}

// callID returns the ID of call i of a request. It is the only one of its trace.
func callID(number, i int) string { return fmt.Sprintf("%08x%08x", number, i+1) }

// TestRoundTrip checks that a recording is the same after it was written and read.
func TestRoundTrip(t *testing.T) {
	forms := map[string]func(io.Writer, *Recording) error{
		"OTLP": func(w io.Writer, rec *Recording) error { return WriteOTLP(context.Background(), w, rec) },
		"JSON": WriteJSON,
	}
	for name, write := range forms {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			rec := anyRecording(t)
			var out bytes.Buffer
			if err := write(&out, rec); err != nil {
				t.Fatal(err)
			}
			got, err := parse(out.Bytes())
			if err != nil {
				t.Fatalf("parse: %v in %s", err, out.String())
			}
			if !reflect.DeepEqual(got, rec) {
				t.Fatalf("wrote %+v, read %+v, expected the same", rec, got)
			}
			if lines := bytes.Count(out.Bytes(), []byte("\n")); name == "OTLP" && lines != len(rec.Requests) {
				t.Fatalf("got %d lines, expected one for each of %d requests", lines, len(rec.Requests))
			}
		}))
	}
}

// FuzzParse checks that a recording that was read from any input can be written and
// read again.
func FuzzParse(f *testing.F) {
	rec := load(f, "handmade-errors.json")
	for i := range rec.Requests { // short seeds keep the fuzzer quick
		rec.Requests[i].Calls = rec.Requests[i].Calls[:5]
	}
	var otlp, text bytes.Buffer
	if err := WriteOTLP(context.Background(), &otlp, rec); err != nil {
		f.Fatal(err)
	}
	if err := WriteJSON(&text, rec); err != nil {
		f.Fatal(err)
	}
	f.Add(otlp.Bytes())
	f.Add(text.Bytes())
	f.Add([]byte(`{"resourceSpans":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := parse(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("parse returned an error without a text")
			}
			return
		}
		for name, write := range map[string]func(io.Writer, *Recording) error{
			"OTLP": func(w io.Writer, rec *Recording) error { return WriteOTLP(context.Background(), w, rec) },
			"JSON": WriteJSON,
		} {
			var out bytes.Buffer
			if err := write(&out, rec); err != nil {
				t.Fatalf("writing the parsed recording as %s: %v", name, err)
			}
			if _, err := parse(out.Bytes()); err != nil {
				t.Fatalf("parsing the recording written as %s: %v\n%s", name, err, out.String())
			}
		}
	})
}
