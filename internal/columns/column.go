package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A Column holds the values of one field, for all objects of a kind. Similar
// values compress well. Numbers are varints. A text is its length and its
// bytes.
type Column struct {
	name string
	data []byte
	// next is the column that was used after this one the last time. It will
	// probably be used after this one again.
	next *Column
}

func (c *Column) put(v uint64) { c.data = binary.AppendUvarint(c.data, v) }

func (c *Column) putText(s string) {
	c.put(uint64(len(s)))
	c.data = append(c.data, s...)
}

// uint removes and returns the column's next value.
func (c *Column) uint() (uint64, error) {
	if len(c.data) > 0 && c.data[0] < 1<<7 { // like most values
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

// text removes and returns the column's next text.
func (c *Column) text() (string, error) {
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

// texts removes and returns all texts of the column.
func (c *Column) texts() ([]string, error) {
	var texts []string
	for all := string(c.data); len(c.data) > 0; { // the texts are parts of this one string
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

// columns are a file's columns, in the order of their first use.
type columns struct {
	all    []*Column
	byName map[string]*Column
	// last is the last column that find returned.
	last *Column
}

func newColumns() *columns { return &columns{byName: map[string]*Column{}} }

// get returns the column with a name, and adds it if needed.
func (c *columns) get(name string) *Column {
	col := c.find(name)
	if col == nil {
		col = &Column{name: name}
		c.all = append(c.all, col)
		c.byName[name] = col
	}
	return col
}

// find returns the column with a name, or nil. Objects have their fields in the same
// order, so few lookups need the map.
func (c *columns) find(name string) *Column {
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

// take removes and returns the content of a column. It returns nil if there is
// no such column.
func (c *columns) take(name string) []byte {
	col := c.byName[name]
	if col == nil {
		return nil
	}
	data := col.data
	col.data = nil
	return data
}

// size returns the number of unread bytes.
func (c *columns) size() int {
	n := 0
	for _, col := range c.all {
		n += len(col.data)
	}
	return n
}

const (
	// MaxSize is the maximum size of an unpacked file in bytes.
	MaxSize = 64 << 20
	// window is the greatest distance, in bytes, at which the compression finds
	// a repetition.
	window = 8 << 20
	// dictionary is the number of the dictionary common in a zstd frame. pack
	// and unpack must use the same number.
	dictionary = 1
	// version is the version of the format. A file of version 1 does not name
	// its version. It begins with the number of columns, which is never 0.
	version = 2
)

// pack returns the columns, compressed with zstd: 0, the version of the
// format, the number of columns, the name and size of each column, and then
// their content. Each column's content is compressed in blocks of its own,
// because frequent values of one column are rare in another. Data that
// resembles common takes almost no space. common may be nil. unpack must get
// the same common.
func (c *columns) pack(common []byte) ([]byte, error) {
	head := &Column{}
	head.put(0)
	head.put(version)
	head.put(uint64(len(c.all)))
	parts := [][]byte{nil}
	for _, col := range c.all {
		head.putText(col.name)
		head.put(uint64(len(col.data)))
		parts = append(parts, col.data)
	}
	parts[0] = head.data
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

// unpack reads the output of pack. It returns an error if the unpacked data is
// longer than MaxSize.
func unpack(packed, common []byte) (*columns, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxSize)}
	if len(common) > 0 {
		options = append(options, zstd.WithDecoderDictRaw(dictionary, common))
	}
	r, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// A frame does not say how large its data is: four to seven times as large
	// as the frame. With enough capacity, the data is not copied while it grows.
	raw, err := r.DecodeAll(packed, make([]byte, 0, 8*len(packed)))
	if err != nil {
		return nil, err
	}
	rest := &Column{name: "names of columns", data: raw}
	c, sizes, err := readHead(rest)
	if err != nil {
		return nil, err
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

// readHead removes the version, and the names and sizes of the columns, from
// the beginning of the data. It returns the columns, without content, and
// their sizes in bytes.
func readHead(rest *Column) (c *columns, sizes []uint64, err error) {
	n, err := rest.uint()
	if n == 0 && err == nil {
		var has uint64
		if has, err = rest.uint(); err == nil && has != version {
			return nil, nil, fmt.Errorf("it is in version %d of the format: this apitrace reads up to version %d", has, version)
		}
		if err == nil {
			n, err = rest.uint()
		}
	}
	c = newColumns()
	for ; n > 0 && err == nil; n-- {
		var name string
		if name, err = rest.text(); err != nil {
			break
		}
		var size uint64
		if size, err = rest.uint(); err != nil {
			break
		}
		if c.byName[name] != nil {
			return nil, nil, fmt.Errorf("it has two columns %q", name)
		}
		c.get(name)
		sizes = append(sizes, size)
	}
	return c, sizes, err
}
