package recordings

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// shared is what the recordings of one release have in common, and what one needs to read any.
type shared struct {
	places *places
	// common is what the columns of a recording are likely to hold, from those of a few.
	// They compress to half with its help.
	common []byte
}

const (
	// Recordings that common is made of: the largest, but none of a program's start,
	// which is larger than all others together and like none of them.
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
			if col.name != startColumn && col.name != durationColumn { // which are never twice the same
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
	c := &codec{writing: true, columns: newColumns(), index: map[string]uint64{}}
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
