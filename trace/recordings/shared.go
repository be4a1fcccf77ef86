package recordings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// shared is the data that the recordings of one release share, and that is needed to read any of them.
type shared struct {
	places *places
	// common is typical content of columns, taken from a few recordings. With it, recordings
	// compress to half the size.
	common []byte
}

const (
	// Recordings that common is made of: the largest, except that of a program's start,
	// which is larger than all others together and differs from them.
	commonRecordings = 4
	commonMaxCalls   = 10_000
)

func newShared(all []*trace.Recording) (*shared, error) {
	s := &shared{places: newPlaces(all)}
	var chosen []*trace.Recording
	for _, rec := range all {
		if countCalls(rec) <= commonMaxCalls {
			chosen = append(chosen, rec)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *trace.Recording) int { return cmp.Compare(countCalls(b), countCalls(a)) })
	for _, rec := range chosen[:min(len(chosen), commonRecordings)] {
		cols, err := write(rec, s)
		if err != nil {
			return nil, err
		}
		for _, col := range cols.all {
			if col.name != bitsColumn && !strings.HasPrefix(col.name, gapColumns) { // which are never twice the same
				s.common = append(s.common, col.data...)
			}
		}
	}
	return s, nil
}

func countCalls(rec *trace.Recording) int {
	n := 0
	for i := range rec.Requests {
		n += len(rec.Requests[i].Calls)
	}
	return n
}

func (s *shared) encode() ([]byte, error) {
	c := newWriter()
	c.places(s.places)
	cols, err := c.written()
	if err != nil {
		return nil, err
	}
	cols.get(commonColumn).data = s.common
	return cols.pack(nil)
}

const commonColumn = "common"

func decodeShared(packed []byte) (*shared, error) {
	cols, err := unpack(packed, nil)
	if err != nil {
		return nil, err
	}
	s := &shared{places: new(places), common: cols.take(commonColumn)}
	c, err := newReader(cols)
	if err != nil {
		return nil, err
	}
	c.places(s.places)
	return s, c.end()
}
