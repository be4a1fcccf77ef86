package recordings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// shared is the data that the recordings of one release share. Reading any of
// them needs it.
type shared struct {
	places *places
	// common is typical content of columns, taken from a few recordings. It
	// halves the size of compressed recordings.
	common []byte
}

const (
	// common is made of the commonRecordings largest recordings with at most
	// commonMaxCalls calls. This excludes the recording of a program's start,
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
		contents, err := written(rec, s).Contents()
		if err != nil {
			return nil, err
		}
		for name, content := range contents {
			if name != columns.BitsColumn && !strings.HasPrefix(name, gapColumns) { // their content never repeats
				s.common = append(s.common, content...)
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
	c := &codec{Codec: columns.NewWriter()}
	c.code(s)
	return c.Pack(nil)
}

func decodeShared(packed []byte) (*shared, error) {
	opened, err := columns.Open(packed, nil)
	if err != nil {
		return nil, err
	}
	c, s := &codec{Codec: opened}, &shared{places: new(places)}
	c.code(s)
	return s, c.Close()
}

func (c *codec) code(s *shared) {
	c.places(s.places)
	c.Bytes("common", &s.common)
}
