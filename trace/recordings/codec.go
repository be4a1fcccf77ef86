package recordings

import (
	"cmp"
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
	// bits has the numbers that models predict.
	bits   *bitCoder
	models map[string]*numberModel
	// locals has the number of each place among those of this recording, from 1 on in order of their first call; 0 for
	// places that it has not called yet. last is the number that was given last.
	locals []int32
	last   int32
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
	c := newWriter()
	c.shared = s
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

// newWriter returns a codec that writes columns.
func newWriter() *codec {
	return &codec{writing: true, columns: newColumns(), bits: newBitWriter(), models: map[string]*numberModel{}, index: map[string]uint64{}}
}

// written completes the columns with the texts that they name, and with the bits.
func (c *codec) written() (*columns, error) {
	for _, text := range c.texts {
		c.columns.get("texts").putText(text)
	}
	if len(c.models) > 0 {
		c.columns.get(bitsColumn).data = c.bits.written()
	}
	return c.columns, c.err
}

// newReader returns a codec that reads the columns.
func newReader(cols *columns) (*codec, error) {
	c := &codec{columns: cols, bits: newBitReader(cols.take(bitsColumn)), models: map[string]*numberModel{}}
	var err error
	if texts := cols.byName["texts"]; texts != nil {
		c.texts, err = texts.texts()
	}
	return c, err
}

// end returns the first error, or an error if the columns have unread data.
func (c *codec) end() error {
	if len(c.models) > 0 || len(c.bits.data) > 0 {
		c.err = cmp.Or(c.err, c.bits.end())
	}
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
	c.calls(r)
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

// column returns the column to write to or to read from; nil where nothing was written to it.
func (c *codec) column(name string) *column {
	if c.writing {
		return c.columns.get(name)
	}
	return c.columns.find(name)
}

// number writes or reads a value as it is.
func (c *codec) number(column string, v *uint64) {
	if c.err == nil {
		c.numberIn(c.column(column), v)
	}
}

// numberIn is number for a column that is known.
func (c *codec) numberIn(col *column, v *uint64) {
	switch {
	case c.err != nil || col == nil:
	case c.writing:
		col.put(*v)
	default:
		*v, c.err = col.uint()
	}
}

// step writes or reads a value as its difference to another one.
func (c *codec) step(column string, v *int64, from int64) {
	if c.err == nil {
		c.stepIn(c.column(column), v, from)
	}
}

// stepIn is step for a column that is known.
func (c *codec) stepIn(col *column, v *int64, from int64) {
	folded := fold(*v - from)
	c.numberIn(col, &folded)
	if !c.writing {
		*v = from + unfold(folded)
	}
}

// fold makes a number that is near 0 a small one without a sign.
func fold(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unfold(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// predicted writes or reads a number as a model predicts it, in a context.
func (c *codec) predicted(model *numberModel, v *uint64, context int) {
	if c.err != nil {
		return
	}
	*v = c.bits.number(*v, model, context)
	c.err = c.bits.err
}

// model returns the model with a name.
func (c *codec) model(name string) *numberModel {
	m := c.models[name]
	if m == nil {
		m = newNumberModel()
		c.models[name] = m
	}
	return m
}

func integer[T int | int64](c *codec, column string, v *T) {
	wide := int64(*v)
	c.step(column, &wide, 0)
	*v = T(wide)
}

func (c *codec) flag(column string, v *bool) {
	bit := bitOf(*v)
	c.number(column, &bit)
	*v = bit == 1
}

func bitOf(v bool) uint64 {
	if v {
		return 1
	}
	return 0
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

// idDigits is the number of hexadecimal digits of the ID of a call.
const idDigits = 16

// hex16 writes 16 hexadecimal digits.
func hex16(v uint64) string {
	var digits [idDigits]byte
	putHex(&digits, v)
	return string(digits[:])
}

func putHex(to *[idDigits]byte, v uint64) {
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = "0123456789abcdef"[v&15]
		v >>= 4
	}
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
