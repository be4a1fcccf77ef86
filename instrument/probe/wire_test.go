package probe

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

var wireRecords = []Record{
	{ID: 1, Parent: 0xfedcba9876543210, Function: "p.Serve", File: "p/p.go", Line: 7, Goroutine: 41, Start: 1_790_000_000_000_000_000, Duration: 12},
	{ID: 2, Parent: 1, Seq: 1, Function: "p.Leaf", File: "p/p.go", Line: 9, CallerLine: 8, Goroutine: 41, Leaf: true, Start: 1_790_000_000_000_000_001},
	{ID: 3, Parent: 1, Seq: 2, Function: "p.go", File: "p/q.go", Line: 1 << 20, Goroutine: 1 << 40, NewGoroutine: true, Start: 1_789_999_999_999_999_999, Duration: -1, Unfinished: true},
	{ID: 1<<64 - 1, Seq: 1<<32 - 1, Function: "p.Serve", Stage: 3, Error: "p/p.go", Panic: "ö\x00\xff", Attrs: []Attr{{"key", ""}, {"key", "key"}, {"", "p.Serve"}}},
	{Error: "alone"}, {Panic: "alone"}, {Attrs: []Attr{{"a", "b"}}}, {Stage: 1}, {},
}

func encoded(tb testing.TB, records []Record) []byte {
	var b bytes.Buffer
	buffer := bufio.NewWriter(&b)
	out := NewRecordWriter(buffer)
	for i := range records {
		if err := out.Write(&records[i]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := buffer.Flush(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestRecordsSurviveTheWire(t *testing.T) {
	got, err := ReadRecords(bufio.NewReader(bytes.NewReader(encoded(t, wireRecords))), len(wireRecords))
	if err != nil {
		t.Fatal(err)
	}
	for i := range wireRecords {
		if !reflect.DeepEqual(got[i], wireRecords[i]) {
			t.Errorf("record %d\n is %+v\nexpected %+v", i, got[i], wireRecords[i])
		}
	}
}

func TestAShortAnswerIsAnError(t *testing.T) {
	whole := encoded(t, wireRecords)
	for n := range whole {
		records, err := ReadRecords(bufio.NewReader(bytes.NewReader(whole[:n])), len(wireRecords))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: got the error %v, expected ErrUnexpectedEOF", n, len(whole), err)
		}
		for i := range records {
			if !reflect.DeepEqual(records[i], wireRecords[i]) {
				t.Fatalf("%d of %d bytes: record %d is %+v", n, len(whole), i, records[i])
			}
		}
	}
	if _, err := ReadHeader(bufio.NewReader(strings.NewReader(`{"calls":1}`))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a header without end: got the error %v, expected ErrUnexpectedEOF", err)
	}
}

// FuzzReadRecords gives any bytes to ReadRecords. If it accepts them, writing and reading
// the records again must give the same records.
func FuzzReadRecords(f *testing.F) {
	f.Add(encoded(f, wireRecords), 3)
	f.Add([]byte{wireNotes, 1, 2, 3, 1, 0xff, 0xff, 0xff, 0xff, 0xff}, 1) // the length of a text that is far too long
	f.Fuzz(func(t *testing.T, input []byte, calls int) {
		records, err := ReadRecords(bufio.NewReader(bytes.NewReader(input)), calls)
		if err != nil {
			return
		}
		again, err := ReadRecords(bufio.NewReader(bytes.NewReader(encoded(t, records))), len(records))
		if err != nil || !reflect.DeepEqual(again, records) {
			t.Errorf("%+v came back as %+v, error %v", records, again, err)
		}
	})
}
