package recordings

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// A codec writes a recording into columns, or reads it from them. Each of its methods
// does both with the same code, so that writing and reading cannot diverge. A new
// field of the model is one more line. After the first error it does nothing.
type codec struct {
	writing bool
	columns *columns
	// shared has the data that the recordings of a release share; nil for coding that data itself.
	shared *shared
	// texts are the texts of this recording, each once; index has the position of each.
	texts []string
	index map[string]uint64
	err   error
}

// encode packs a recording that Validate accepts. The places of its calls must be in shared.
func encode(rec *trace.Recording, s *shared) ([]byte, error) {
	c, err := write(rec, s)
	if err != nil {
		return nil, err
	}
	return c.pack(s.common)
}

// write gives the columns of a recording.
func write(rec *trace.Recording, s *shared) (*columns, error) {
	c := &codec{writing: true, columns: newColumns(), shared: s, index: map[string]uint64{}}
	c.recording(rec)
	return c.written()
}

// decode unpacks the result of encode.
func decode(packed []byte, s *shared) (*trace.Recording, error) {
	cols, err := unpack(packed, s.common)
	if err != nil {
		return nil, err
	}
	return read(cols, s)
}

// read takes a recording out of the columns.
func read(cols *columns, s *shared) (*trace.Recording, error) {
	c, err := newReader(cols)
	if err != nil {
		return nil, err
	}
	c.shared = s
	rec := new(trace.Recording)
	c.recording(rec)
	if err := c.end(); err != nil {
		return nil, err
	}
	if rec.Validate() == nil {
		return rec, nil
	}
	// The order of an earlier apitrace may have been another.
	for i := range rec.Requests {
		if err := rec.Requests[i].Sort(); err != nil {
			return nil, err
		}
	}
	return rec, rec.Validate()
}

// written completes the columns with the texts that they name.
func (c *codec) written() (*columns, error) {
	for _, text := range c.texts {
		c.columns.get("texts").putText(text)
	}
	return c.columns, c.err
}

// newReader returns a codec that reads the columns.
func newReader(cols *columns) (*codec, error) {
	c := &codec{columns: cols}
	if texts := cols.byName["texts"]; texts != nil {
		for len(texts.data) > 0 {
			text, err := texts.text()
			if err != nil {
				return nil, err
			}
			c.texts = append(c.texts, text)
		}
	}
	return c, nil
}

// end returns the first error, or an error if the columns have unread data.
func (c *codec) end() error {
	for _, col := range c.columns.all {
		if c.err == nil && len(col.data) > 0 {
			c.err = fmt.Errorf("column %q has %d bytes too many: another apitrace wrote it", col.name, len(col.data))
		}
	}
	return c.err
}

func (c *codec) recording(rec *trace.Recording) {
	c.text("scenario", &rec.Scenario)
	c.text("k8sVersion", &rec.K8sVersion)
	c.text("etcdVersion", &rec.EtcdVersion)
	c.time("recorded", &rec.Recorded)
	c.text("edition", &rec.Edition)
	list(c, "servers", &rec.Servers, func(server *string) { c.text("servers.server", server) })
	list(c, "edited", &rec.Edited, func(file *string) { c.text("edited.file", file) })
	list(c, "requests", &rec.Requests, c.request)
}

func (c *codec) request(r *trace.Request) {
	c.traceID("traceID.high", "traceID.low", &r.TraceID)
	c.text("method", &r.Method)
	c.text("path", &r.Path)
	integer(c, "status", &r.Status)
	c.time("began", &r.Start)
	list(c, "incomplete", &r.Incomplete, func(s *string) { c.text("incomplete.text", s) })
	list(c, "stored", &r.Stored, c.stored)
	calls := &callCodec{codec: c, lastID: map[string]uint64{}, unit: unitOf(r)}
	if integer(c, "unit", &calls.unit); calls.unit <= 0 {
		c.err = cmp.Or(c.err, fmt.Errorf("the unit of its times is %d ns", calls.unit))
		return
	}
	list(c, "calls", &r.Calls, calls.call)
}

func (c *codec) stored(k *trace.StoredKey) {
	c.text("stored.op", &k.Op)
	c.text("stored.key", &k.Key)
	integer(c, "stored.revision", &k.Revision)
	integer(c, "stored.size", &k.Size)
	c.text("stored.encoding", &k.Encoding)
	c.text("stored.apiVersion", &k.APIVersion)
	c.text("stored.kind", &k.Kind)
}

// number writes or reads a value as it is.
func (c *codec) number(column string, v *uint64) {
	if c.err != nil {
		return
	}
	if c.writing {
		c.columns.get(column).put(*v)
		return
	}
	if col := c.columns.find(column); col != nil {
		*v, c.err = col.uint()
	}
}

// step writes or reads a value as its difference to another one.
func (c *codec) step(column string, v *int64, from int64) {
	zigzag := uint64(*v-from)<<1 ^ uint64((*v-from)>>63)
	c.number(column, &zigzag)
	if !c.writing {
		*v = from + (int64(zigzag>>1) ^ -int64(zigzag&1))
	}
}

func integer[T int | int64](c *codec, column string, v *T) {
	wide := int64(*v)
	c.step(column, &wide, 0)
	*v = T(wide)
}

func (c *codec) flag(column string, v *bool) {
	var bit uint64
	if *v {
		bit = 1
	}
	c.number(column, &bit)
	*v = bit == 1
}

func (c *codec) text(column string, v *string) {
	var i uint64
	if c.writing {
		i = c.intern(*v)
	}
	c.number(column, &i)
	if c.writing || c.err != nil {
		return
	}
	if i > uint64(len(c.texts)) {
		c.err = fmt.Errorf("column %q names text %d of %d", column, i, len(c.texts))
	} else if i > 0 {
		*v = c.texts[i-1]
	}
}

// intern gives the number of a text: 0 for none, else from 1 on.
func (c *codec) intern(text string) uint64 {
	if text == "" {
		return 0
	}
	i, ok := c.index[text]
	if !ok {
		c.texts = append(c.texts, text)
		i = uint64(len(c.texts))
		c.index[text] = i
	}
	return i
}

// time keeps nanoseconds since 1970, and 0 for no time.
func (c *codec) time(column string, t *time.Time) {
	var ns int64
	if !t.IsZero() {
		ns = t.UnixNano()
	}
	c.step(column, &ns, 0)
	if !c.writing && ns != 0 {
		*t = time.Unix(0, ns).UTC()
	}
}

// list writes or reads the number of elements, and each of them. An empty list comes back as nil.
func list[T any](c *codec, column string, all *[]T, each func(*T)) {
	n := uint64(len(*all))
	c.number(column, &n)
	if !c.writing && c.err == nil && n > 0 {
		if n > uint64(c.columns.size()) { // each element takes a byte or more
			c.err = fmt.Errorf("column %q promises %d elements: %w", column, n, errTruncated)
			return
		}
		*all = make([]T, n)
	}
	for i := range *all {
		if c.err != nil {
			return
		}
		each(&(*all)[i])
	}
}

// traceID is a text of 32 hexadecimal digits.
func (c *codec) traceID(high, low string, v *string) {
	var h, l uint64
	if c.writing {
		h, l = c.parse((*v)[:16]), c.parse((*v)[16:])
	}
	c.number(high, &h)
	c.number(low, &l)
	*v = hex16(h) + hex16(l)
}

// hex16 writes 16 hexadecimal digits.
func hex16(v uint64) string {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], v)
	return hex.EncodeToString(bytes[:])
}

func (c *codec) parse(digits string) uint64 {
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		c.err = err
	}
	return v
}

// pairs writes or reads a map in the order of its keys. An empty map comes back as nil.
func (c *codec) pairs(column string, all *map[string]string) {
	var keys []string
	if len(*all) > 0 {
		keys = slices.Sorted(maps.Keys(*all))
	}
	list(c, column, &keys, func(key *string) {
		value := (*all)[*key]
		c.text(column+".name", key)
		c.text(column+".value", &value)
		if c.writing {
			return
		}
		if *all == nil {
			*all = map[string]string{}
		}
		(*all)[*key] = value
	})
}
