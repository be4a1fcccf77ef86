// Package columns defines the format of the data files inside apitrace:
// recordings, the index of the sources, the names of all releases, and the
// search index. A file has one column for each field. The packages that define
// the fields have the same code for writing and for reading them.
//
// A file is compressed with zstd. It has the version of the format, the names
// and sizes of the columns, and their content. The column "texts" holds each
// text once. The column "bits" holds the numbers that a Model predicts.
package columns

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// A Codec writes values into columns, or reads them. The same code calls its
// methods for writing and for reading, so that the two cannot diverge. A writing
// codec writes the value that a pointer refers to; a reading codec sets this
// value. After the first error, a Codec does nothing.
type Codec struct {
	writing bool
	columns *columns
	// bits has the numbers that models predict.
	bits   *bitCoder
	models map[string]*Model
	// texts holds each text once. index maps a text to its position in texts,
	// from 1.
	texts []string
	index map[string]uint64
	// before has the previous text of Sorted, by column.
	before map[string]string
	err    error
}

// NewWriter returns a codec that writes.
func NewWriter() *Codec {
	return &Codec{writing: true, columns: newColumns(), bits: newBitWriter(), models: map[string]*Model{}, index: map[string]uint64{}, before: map[string]string{}}
}

// Pack returns the content of the file. Data that resembles common takes
// almost no space. common may be nil. Open must get the same common. Pack may
// be called only once.
func (c *Codec) Pack(common []byte) ([]byte, error) {
	if c.finish(); c.err != nil {
		return nil, c.err
	}
	return c.columns.pack(common)
}

// Contents finishes writing and yields the columns with their content, in the order of their
// first use.
func (c *Codec) Contents() (iter.Seq2[string, []byte], error) {
	c.finish()
	return func(yield func(string, []byte) bool) {
		for _, col := range c.columns.all {
			if !yield(col.name, col.data) {
				return
			}
		}
	}, c.err
}

// BitsColumn is the column of predicted numbers, textsColumn the column of texts.
const (
	BitsColumn  = "bits"
	textsColumn = "texts"
)

// finish adds the columns "texts" and "bits", unless they would be empty.
func (c *Codec) finish() {
	for _, text := range c.texts {
		c.columns.get(textsColumn).putText(text)
	}
	if len(c.models) > 0 {
		c.columns.get(BitsColumn).data = c.bits.written()
	}
	c.texts, c.models = nil, nil
}

// Open returns a codec that reads the output of Pack. It returns an error if
// packed is not such output, or if it needs another version of the format.
func Open(packed, common []byte) (*Codec, error) {
	cols, err := unpack(packed, common)
	if err != nil {
		return nil, err
	}
	return newReader(cols)
}

// Reread finishes writing and returns a codec that reads the values. It is for
// tests that do not call Pack. c must not be used any more.
func (c *Codec) Reread() (*Codec, error) {
	if c.finish(); c.err != nil {
		return nil, c.err
	}
	return newReader(c.columns)
}

func newReader(cols *columns) (c *Codec, err error) {
	c = &Codec{columns: cols, bits: newBitReader(cols.take(BitsColumn)), models: map[string]*Model{}, before: map[string]string{}}
	if texts := cols.byName[textsColumn]; texts != nil {
		c.texts, err = texts.texts()
	}
	return c, err
}

// Close returns the first error, or an error if columns have unread data.
func (c *Codec) Close() error {
	if len(c.models) > 0 || len(c.bits.data) > 0 {
		c.Fail(c.bits.end())
	}
	for _, col := range c.columns.all {
		if len(col.data) > 0 {
			c.Fail(fmt.Errorf("column %q has %d bytes too many: another version of apitrace wrote it", col.name, len(col.data)))
		}
	}
	return c.err
}

// Writing reports whether the codec writes.
func (c *Codec) Writing() bool { return c.writing }

// Err returns the first error.
func (c *Codec) Err() error { return c.err }

// Fail sets the codec's error, unless it has one or err is nil.
func (c *Codec) Fail(err error) { c.err = cmp.Or(c.err, err) }

// Column returns the column with a name, and adds it if needed. NumberIn and
// StepIn take it, so that the name is not looked up each time.
func (c *Codec) Column(name string) *Column { return c.columns.get(name) }

// column returns the column with a name. A writing codec adds the column if
// needed. A reading codec returns nil if the file does not have it.
func (c *Codec) column(name string) *Column {
	if c.writing {
		return c.columns.get(name)
	}
	return c.columns.find(name)
}

// Number writes or reads an unsigned value. If the file does not have the
// column, *v stays as it is.
func (c *Codec) Number(column string, v *uint64) {
	if c.err == nil {
		c.NumberIn(c.column(column), v)
	}
}

// NumberIn is Number for a column from Column. A nil column is not read.
func (c *Codec) NumberIn(col *Column, v *uint64) {
	switch {
	case c.err != nil || col == nil:
	case c.writing:
		col.put(*v)
	default:
		*v, c.err = col.uint()
	}
}

// Numbers reads and yields the remaining numbers of a column. It stops after an
// error.
func (c *Codec) Numbers(column string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for col := c.columns.get(column); c.err == nil && len(col.data) > 0; {
			var v uint64
			if c.NumberIn(col, &v); c.err != nil || !yield(v) {
				return
			}
		}
	}
}

// Step writes or reads a value as its difference from another value, from.
func (c *Codec) Step(column string, v *int64, from int64) {
	if c.err == nil {
		c.StepIn(c.column(column), v, from)
	}
}

// StepIn is Step for a column from Column.
func (c *Codec) StepIn(col *Column, v *int64, from int64) {
	folded := Fold(*v - from)
	c.NumberIn(col, &folded)
	if !c.writing {
		*v = from + Unfold(folded)
	}
}

// Fold maps a signed number to an unsigned one: 0, -1, 1, -2 to 0, 1, 2, 3.
func Fold(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// Unfold is the inverse of Fold.
func Unfold(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Predicted writes or reads a number with a model's prediction in a context.
// The context must be a small number, because the model allocates memory for
// every context up to this number.
func (c *Codec) Predicted(model *Model, v *uint64, context int) {
	if c.err != nil {
		return
	}
	*v = c.bits.number(*v, model, context)
	c.err = c.bits.err
}

// Model returns the model with a name. It makes the model if needed.
func (c *Codec) Model(name string) *Model {
	m := c.models[name]
	if m == nil {
		m = newModel()
		c.models[name] = m
	}
	return m
}

// Int writes or reads a whole number, which may be negative.
func Int[T ~int | ~int64 | ~uint8](c *Codec, column string, v *T) {
	wide := int64(*v)
	c.Step(column, &wide, 0)
	*v = T(wide)
}

// Flag writes or reads a bool.
func (c *Codec) Flag(column string, v *bool) {
	bit := BitOf(*v)
	c.Number(column, &bit)
	*v = bit == 1
}

// BitOf returns 1 for true, and 0 for false.
func BitOf(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// Text writes or reads a text. The file stores each different text once.
func (c *Codec) Text(column string, v *string) {
	var i uint64
	if c.writing {
		i = c.intern(*v)
	}
	c.Number(column, &i)
	if c.writing || c.err != nil {
		return
	}
	switch {
	case i == 0:
		*v = ""
	case i > uint64(len(c.texts)):
		c.err = fmt.Errorf("column %q refers to text %d, but there are only %d texts", column, i, len(c.texts))
	default:
		*v = c.texts[i-1]
	}
}

// intern returns the number of a text, and adds the text if needed. The empty
// text has the number 0; all others have 1 or more.
func (c *Codec) intern(text string) uint64 {
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

// Sorted writes or reads a text that probably begins like the previous text of
// the column, as in a sorted list.
func (c *Codec) Sorted(column string, v *string) {
	before := c.before[column]
	var shared uint64
	if c.writing {
		for shared < uint64(min(len(before), len(*v))) && before[shared] == (*v)[shared] {
			shared++
		}
	}
	c.Number(column+".shared", &shared)
	if c.err != nil {
		return
	}
	rest := c.columns.get(column)
	if c.writing {
		rest.putText((*v)[shared:])
		c.before[column] = *v
		return
	}
	if shared > uint64(len(before)) {
		c.err = fmt.Errorf("column %q: a text shares a prefix of %d bytes with a text of %d bytes", column, shared, len(before))
		return
	}
	end, err := rest.text()
	*v, c.err = before[:shared]+end, err
	c.before[column] = *v
}

// Bytes writes or reads the whole content of a column.
func (c *Codec) Bytes(column string, v *[]byte) {
	if c.writing {
		c.columns.get(column).data = *v
		return
	}
	*v = c.columns.take(column)
}

// Time writes or reads a time as nanoseconds since 1970. 0 stands for the zero
// time. A time that was read is in UTC.
func (c *Codec) Time(column string, t *time.Time) {
	var ns int64
	if !t.IsZero() {
		ns = t.UnixNano()
	}
	c.Step(column, &ns, 0)
	if !c.writing && ns != 0 {
		*t = time.Unix(0, ns).UTC()
	}
}

// List writes or reads the number of elements, and calls each for every
// element. It reads an empty list as nil.
func List[T any](c *Codec, column string, all *[]T, each func(*T)) {
	n := uint64(len(*all))
	c.Number(column, &n)
	if !c.writing && c.err == nil && n > 0 {
		if n > 100 && n > uint64(c.columns.size()) { // each element takes a byte or more, so n is wrong; a short list needs no check
			c.err = fmt.Errorf("column %q: expected %d elements: %w", column, n, errTruncated)
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

// Texts writes or reads a list of texts. The number of texts is in the column,
// the texts are in a column with the suffix ".text".
func (c *Codec) Texts(column string, all *[]string) {
	List(c, column, all, func(text *string) { c.Text(column+".text", text) })
}

// Pairs writes or reads a map in the order of its keys. It reads an empty map as nil.
func (c *Codec) Pairs(column string, all *map[string]string) {
	var keys []string
	if len(*all) > 0 {
		keys = slices.Sorted(maps.Keys(*all))
	}
	List(c, column, &keys, func(key *string) {
		value := (*all)[*key]
		c.Text(column+".name", key)
		c.Text(column+".value", &value)
		if c.writing {
			return
		}
		if *all == nil {
			*all = map[string]string{}
		}
		(*all)[*key] = value
	})
}

var errTruncated = errors.New("it ends too early")
