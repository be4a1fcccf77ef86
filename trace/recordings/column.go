package recordings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A column holds the values of one field for all calls (or requests, or stored keys), as
// consecutive varints: similar values compress well.
type column struct {
	name string
	data []byte
	// next is the column that was last used after this one: it is probably the next one again.
	next *column
}

func (c *column) put(v uint64) { c.data = binary.AppendUvarint(c.data, v) }

func (c *column) putText(s string) {
	c.put(uint64(len(s)))
	c.data = append(c.data, s...)
}

// uint takes the next value out of the column.
func (c *column) uint() (uint64, error) {
	if len(c.data) > 0 && c.data[0] < 1<<7 { // as most are
		v := uint64(c.data[0])
		c.data = c.data[1:]
		return v, nil
	}
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		return 0, fmt.Errorf("column %q: %w", c.name, errTruncated)
	}
	c.data = c.data[n:]
	return v, nil
}

func (c *column) text() (string, error) {
	n, err := c.uint()
	if err != nil {
		return "", err
	}
	if n > uint64(len(c.data)) {
		return "", fmt.Errorf("column %q: %w", c.name, errTruncated)
	}
	s := string(c.data[:n])
	c.data = c.data[n:]
	return s, nil
}

// texts takes all texts out of the column.
func (c *column) texts() ([]string, error) {
	var texts []string
	for all := string(c.data); len(c.data) > 0; { // one string, of which the texts are parts
		n, err := c.uint()
		if err != nil {
			return nil, err
		}
		if n > uint64(len(c.data)) {
			return nil, fmt.Errorf("column %q: %w", c.name, errTruncated)
		}
		at := len(all) - len(c.data)
		texts = append(texts, all[at:at+int(n)])
		c.data = c.data[n:]
	}
	return texts, nil
}

var errTruncated = errors.New("it ends too early")

// columns are the columns of one recording, in the order in which they were first used.
type columns struct {
	all    []*column
	byName map[string]*column
	// last is the column that find returned last.
	last *column
}

func newColumns() *columns { return &columns{byName: map[string]*column{}} }

// get returns the column with a name, and adds it if there is none.
func (c *columns) get(name string) *column {
	col := c.find(name)
	if col == nil {
		col = &column{name: name}
		c.all = append(c.all, col)
		c.byName[name] = col
	}
	return col
}

// find returns the column with a name, or nil. Calls have their fields in the same order, so few columns
// are looked up in the map.
func (c *columns) find(name string) *column {
	if c.last != nil && c.last.next != nil && c.last.next.name == name {
		c.last = c.last.next
		return c.last
	}
	col := c.byName[name]
	if col == nil {
		return nil
	}
	if c.last != nil {
		c.last.next = col
	}
	c.last = col
	return col
}

// take returns all of a column, and leaves it empty.
func (c *columns) take(name string) []byte {
	col := c.byName[name]
	if col == nil {
		return nil
	}
	data := col.data
	col.data = nil
	return data
}

// size is the number of bytes that are left to read.
func (c *columns) size() int {
	n := 0
	for _, col := range c.all {
		n += len(col.data)
	}
	return n
}

const (
	// maxSize is the maximum size of an unpacked recording.
	maxSize = 64 << 20
	// window is the distance that the compression looks back.
	window = 4 << 20
	// dictionary is the number by which zstd knows common; any will do.
	dictionary = 1
)

// pack returns the columns as zstd: the number of columns, the name and size of each, then
// their content. Each is compressed in blocks of its own, because frequent values of one
// are rare in another. Content that resembles common, which may be nil, takes almost no
// space; the same common is needed to unpack.
func (c *columns) pack(common []byte) ([]byte, error) {
	head := binary.AppendUvarint(nil, uint64(len(c.all)))
	parts := [][]byte{nil}
	for _, col := range c.all {
		name := &column{}
		name.putText(col.name)
		name.put(uint64(len(col.data)))
		head = append(head, name.data...)
		parts = append(parts, col.data)
	}
	parts[0] = head
	var out bytes.Buffer
	options := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window)}
	if len(common) > 0 {
		options = append(options, zstd.WithEncoderDictRaw(dictionary, common))
	}
	w, err := zstd.NewWriter(&out, options...)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		_, err := w.Write(part)
		if err := errors.Join(err, w.Flush()); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// unpack reads the output of pack.
func unpack(packed, common []byte) (*columns, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSize)}
	if len(common) > 0 {
		options = append(options, zstd.WithDecoderDictRaw(dictionary, common))
	}
	r, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// Frames do not tell their size. What is decoded is four to seven times as long: with room for it, nothing is copied while it grows.
	raw, err := r.DecodeAll(packed, make([]byte, 0, 8*len(packed)))
	if err != nil {
		return nil, err
	}
	rest := &column{name: "names of columns", data: raw}
	n, err := rest.uint()
	if err != nil {
		return nil, err
	}
	c := newColumns()
	var sizes []uint64
	for range n {
		name, err := rest.text()
		if err != nil {
			return nil, err
		}
		size, err := rest.uint()
		if err != nil {
			return nil, err
		}
		if c.byName[name] != nil {
			return nil, fmt.Errorf("it has two columns %q", name)
		}
		c.get(name)
		sizes = append(sizes, size)
	}
	for i, col := range c.all {
		if sizes[i] > uint64(len(rest.data)) {
			return nil, fmt.Errorf("column %q: %w", col.name, errTruncated)
		}
		col.data, rest.data = rest.data[:sizes[i]], rest.data[sizes[i]:]
	}
	if len(rest.data) > 0 {
		return nil, fmt.Errorf("%d bytes are left over", len(rest.data))
	}
	return c, nil
}
