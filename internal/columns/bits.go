package columns

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A bitCoder writes or reads numbers as the bits of one arithmetic code: the
// better a Model predicts a bit, the less space the bit takes. The code suits
// numbers without repeated sequences, such as times, which zstd cannot compress
// well.
//
// The code is a number from low to high. Its leading bytes are written as soon
// as low and high share them.
type bitCoder struct {
	writing   bool
	low, high uint32
	// code has four bytes of the code at the current position, for reading.
	code uint32
	// data has the written bytes, or the bytes that are not read yet.
	data []byte
	err  error
}

func newBitWriter() *bitCoder { return &bitCoder{writing: true, high: 1<<32 - 1} }

func newBitReader(data []byte) *bitCoder {
	b := &bitCoder{high: 1<<32 - 1, data: data}
	for range 4 {
		b.code = b.code<<8 | b.next()
	}
	return b
}

// next removes and returns the first byte of the data. If there is none, it
// sets err and returns 0.
func (b *bitCoder) next() uint32 {
	if len(b.data) == 0 {
		b.err = fmt.Errorf("column %q: %w", BitsColumn, errTruncated)
		return 0
	}
	first := b.data[0]
	b.data = b.data[1:]
	return uint32(first)
}

// end returns the first error, or an error if unread data is left.
func (b *bitCoder) end() error {
	if b.err == nil && len(b.data) > 0 {
		return fmt.Errorf("column %q has %d bytes too many: another version of apitrace wrote it", BitsColumn, len(b.data))
	}
	return b.err
}

// written returns all bytes of the code.
func (b *bitCoder) written() []byte { return binary.BigEndian.AppendUint32(b.data, b.low) }

// bit writes or reads a bit with the model's prediction, and returns it.
func (b *bitCoder) bit(bit bool, m *bitModel) bool {
	middle := b.low + uint32(uint64(b.high-b.low)*uint64(m.one)>>16)
	if !b.writing {
		bit = b.code <= middle
	}
	if bit {
		b.high = middle
	} else {
		b.low = middle + 1
	}
	if (b.low^b.high)>>24 == 0 {
		b.shift()
	}
	m.learn(bit)
	return bit
}

// shift writes or reads the bytes that low and high share.
func (b *bitCoder) shift() {
	for (b.low^b.high)>>24 == 0 {
		if b.writing {
			b.data = append(b.data, byte(b.low>>24))
		} else {
			b.code = b.code<<8 | b.next()
		}
		b.low, b.high = b.low<<8, b.high<<8|0xff
	}
}

// A bitModel predicts a bit from earlier ones.
type bitModel struct {
	// one is the probability of a set bit, in 1/65536.
	one uint16
	// seen is the number of bits so far, at most mostSeen.
	seen uint8
}

const (
	// mostSeen limits bitModel.seen. The greater it is, the more slowly a model
	// learns in the end.
	mostSeen = 250
	// surest is a probability's minimum distance from 0 and 1, in 1/65536.
	surest = 24
)

// learn moves the probability towards the bit.
func (m *bitModel) learn(bit bool) {
	to := int32(surest)
	if bit {
		to = 65536 - surest
	}
	m.one += uint16((to - int32(m.one)) * learningRates[m.seen] >> 15)
	if m.seen < mostSeen {
		m.seen++
	}
}

// learningRates says how far a model moves its probability towards a bit, by
// the number of bits seen: in 1/32768 of the difference between them.
var learningRates = func() (all [256]int32) {
	for seen := range all {
		all[seen] = int32(32768 * 2 / (2*seen + 3))
	}
	return all
}()

// ownLengths is the number of lengths with separate models for each context.
const ownLengths = 4

// enough is the number of bits after which a model of a context no longer
// trains the general model of the length.
const enough = 32

// A Model predicts numbers of one kind: first the length, which is the number
// of binary digits, then the digits.
type Model struct {
	// lengths[i] predicts whether a number has more than i digits, in any
	// context.
	lengths [64]bitModel
	// contexts has such models for the first lengths, by context.
	contexts [][ownLengths]bitModel
	// leading predicts the three digits after the first, by the length.
	leading [65][8]bitModel
	// others predicts whether any of the digits after these is 1, by the
	// length.
	others [65]bitModel
}

func newModel() *Model {
	m := &Model{}
	for i := range m.lengths {
		m.lengths[i].one = 1 << 15
	}
	for i := range m.leading {
		for j := range m.leading[i] {
			m.leading[i][j].one = 1 << 15
		}
		m.others[i].one = 1 << 13
	}
	return m
}

// number writes or reads a number and returns it.
func (b *bitCoder) number(v uint64, m *Model, context int) uint64 {
	for context >= len(m.contexts) {
		m.contexts = append(m.contexts, [ownLengths]bitModel{})
	}
	own := &m.contexts[context]
	n := bits.Len64(v)
	for i := range own {
		model, general := &own[i], &m.lengths[i]
		if model.seen == 0 {
			model.one = general.one
		}
		more := b.bit(i < n, model)
		if model.seen < enough {
			general.learn(more)
		}
		if !more {
			return b.digits(v, i, m)
		}
	}
	for i := ownLengths; i < len(m.lengths); i++ {
		if !b.bit(i < n, &m.lengths[i]) {
			return b.digits(v, i, m)
		}
	}
	return b.digits(v, len(m.lengths), m)
}

// digits writes or reads the digits of a number with this length, and returns
// the number. The first digit is always 1, so it is not written.
func (b *bitCoder) digits(v uint64, length int, m *Model) uint64 {
	if length < 2 || b.err != nil {
		return uint64(length)
	}
	left := length - 1
	node := 1 // a leading 1 and the digits so far
	for left > 0 && node < 8 {
		left--
		node = 2*node + int(BitOf(b.bit(v>>left&1 == 1, &m.leading[length][node])))
	}
	out := uint64(node) << left
	if left > 0 && b.bit(v&(1<<left-1) != 0, &m.others[length]) {
		for left > 0 {
			left--
			even := bitModel{one: 1 << 15}
			out |= BitOf(b.bit(v>>left&1 == 1, &even)) << left
		}
	}
	return out
}
