//go:build go1.26

package probe

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// The wire format between a traced program and apitrace. A reader connects to the
// program's unix socket and writes one Query as a line of JSON. Then it reads the answer:
// one Header as a line of JSON, and Header.Calls Records in binary. Records in JSON would
// cost the program more processor time than the request itself.
//
// In a binary record, a number is a varint of package encoding/binary, signed if the
// field of Record is signed.
//
// A text is its index in the list of the answer's texts. The first text is "". A new text
// has the next index, and its length and its bytes follow.

// Bits of the first byte of a binary record.
const (
	wireNewGoroutine = 1 << iota
	wireLeaf
	wireUnfinished
	wireNotes // stage, error, panic and attributes follow
)

// A RecordWriter writes records in binary.
type RecordWriter struct {
	out    *bufio.Writer
	record []byte
	texts  map[string]uint64
	start  int64 // of the previous record
}

// NewRecordWriter returns a writer for the records of one answer.
func NewRecordWriter(out *bufio.Writer) *RecordWriter {
	return &RecordWriter{out: out, texts: map[string]uint64{"": 0}}
}

// Write writes a record. It does not keep r.
func (w *RecordWriter) Write(r *Record) error {
	w.record = w.record[:0]
	w.record = append(w.record, r.wireFlags())
	w.number(uint64(r.ID))
	w.number(uint64(r.Parent))
	w.number(uint64(r.Seq))
	w.text(r.Function)
	w.text(r.File)
	w.signed(int64(r.Line))
	w.signed(int64(r.CallerLine))
	w.number(r.Goroutine)
	w.signed(r.Start - w.start)
	w.signed(r.Duration)
	w.start = r.Start
	if r.hasNotes() {
		w.signed(int64(r.Stage))
		w.text(r.Error)
		w.text(r.Panic)
		w.number(uint64(len(r.Attrs)))
		for _, a := range r.Attrs {
			w.text(a.Key)
			w.text(a.Value)
		}
	}
	_, err := w.out.Write(w.record)
	return err
}

func (r *Record) hasNotes() bool {
	return r.Stage != 0 || r.Error != "" || r.Panic != "" || len(r.Attrs) > 0
}

func (r *Record) wireFlags() (flags byte) {
	for _, f := range []struct {
		set  bool
		flag byte
	}{{r.NewGoroutine, wireNewGoroutine}, {r.Leaf, wireLeaf}, {r.Unfinished, wireUnfinished}, {r.hasNotes(), wireNotes}} {
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}

func (w *RecordWriter) number(n uint64) { w.record = binary.AppendUvarint(w.record, n) }

func (w *RecordWriter) signed(n int64) { w.record = binary.AppendVarint(w.record, n) }

func (w *RecordWriter) text(s string) {
	number, known := w.texts[s]
	if !known {
		number = uint64(len(w.texts))
		w.texts[s] = number
	}
	w.number(number)
	if !known {
		w.number(uint64(len(s)))
		w.record = append(w.record, s...)
	}
}

// ReadHeader reads the header of an answer.
func ReadHeader(in *bufio.Reader) (h Header, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return h, unexpected(err)
	}
	return h, json.Unmarshal(line, &h)
}

// ReadRecords reads the records that follow a header. On an error, it also returns the
// complete records.
func ReadRecords(in *bufio.Reader, calls int) ([]Record, error) {
	r := recordReader{in: in, texts: []string{""}}
	var records []Record
	for i := range calls {
		record := r.read()
		if r.err != nil {
			return records, fmt.Errorf("reading call %d of %d: %w", i+1, calls, r.err)
		}
		records = append(records, record)
	}
	return records, nil
}

// A recordReader reads binary records. After an error, it reads zeros.
type recordReader struct {
	in    *bufio.Reader
	texts []string
	start int64 // of the previous record
	err   error
}

func (r *recordReader) read() (record Record) {
	flags, err := r.in.ReadByte()
	r.fail(err)
	record.NewGoroutine, record.Leaf, record.Unfinished = flags&wireNewGoroutine != 0, flags&wireLeaf != 0, flags&wireUnfinished != 0
	record.ID, record.Parent, record.Seq = SpanID(r.number()), SpanID(r.number()), uint32(r.number())
	record.Function, record.File = r.text(), r.text()
	record.Line, record.CallerLine = int(r.signed()), int(r.signed())
	record.Goroutine = r.number()
	r.start += r.signed()
	record.Start, record.Duration = r.start, r.signed()
	if flags&wireNotes == 0 {
		return record
	}
	record.Stage, record.Error, record.Panic = int(r.signed()), r.text(), r.text()
	for attrs := r.number(); attrs > 0 && r.err == nil; attrs-- {
		record.Attrs = append(record.Attrs, Attr{r.text(), r.text()})
	}
	return record
}

func (r *recordReader) number() uint64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.in)
	r.fail(err)
	return n
}

func (r *recordReader) signed() int64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadVarint(r.in)
	r.fail(err)
	return n
}

// maxText limits the length of a text. The probe writes texts of a few kilobytes at most.
const maxText = 1 << 20

func (r *recordReader) text() string {
	number, known := r.number(), uint64(len(r.texts))
	switch {
	case number < known:
		return r.texts[number]
	case number > known:
		r.fail(fmt.Errorf("text %d of %d", number, known))
		return ""
	}
	length := r.number()
	if length > maxText {
		r.fail(fmt.Errorf("a text of %d bytes, expected at most %d", length, maxText))
	}
	if r.err != nil {
		return ""
	}
	text := make([]byte, length)
	_, err := io.ReadFull(r.in, text)
	r.fail(err)
	r.texts = append(r.texts, string(text))
	return string(text)
}

// fail keeps the first error.
func (r *recordReader) fail(err error) {
	if r.err == nil && err != nil {
		r.err = unexpected(err)
	}
}

// unexpected turns io.EOF in the middle of an answer into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
