// Package search finds functions, values and errors in everything that is recorded: which
// scenarios of which releases have them. It asks an index, made from the recordings, that is part of the
// binary; reading 500 recordings would take seconds.
package search

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Kind is the kind of a text in the index.
type Kind uint8

const (
	// Function is the full name of a function that was called.
	Function Kind = iota
	// Value is a value of a call: "apitrace.flowcontrol.flow_schema=exempt".
	Value
	// Error is the text of an error that a call returned.
	Error
)

// A Place is a recording.
type Place struct{ Release, Scenario string }

// An index holds each text once, with the recordings that have it.
type index struct {
	places  []Place
	entries []entry
}

type entry struct {
	kind Kind
	text string
	// in are indices of places, ascending.
	in []int
}

// longest is the maximum length of a text in the index; a longer text is found only by its beginning.
const longest = 300

//go:embed data/index.zst
var packed []byte

var library = sync.OnceValues(func() (*index, error) { return unpack(packed) })

// newIndex reads all recordings and makes their index.
func newIndex() (*index, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	x := &index{}
	type key struct {
		kind Kind
		text string
	}
	all := map[key][]int{}
	for _, info := range infos {
		for _, scenario := range info.Scenarios {
			rec, err := recordings.Load(info.K8sVersion, scenario)
			if err != nil {
				return nil, err
			}
			place := len(x.places)
			x.places = append(x.places, Place{info.K8sVersion, scenario})
			add := func(kind Kind, text string) {
				k := key{kind, text[:min(len(text), longest)]}
				if in := all[k]; len(in) == 0 || in[len(in)-1] != place {
					all[k] = append(in, place)
				}
			}
			eachText(rec, add)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return strings.Compare(a.text, b.text)
	}) {
		x.entries = append(x.entries, entry{k.kind, k.text, all[k]})
	}
	return x, nil
}

// eachText yields the texts of a recording, some of them more than once. A start has the values of
// every route and resource, which "apitrace routes" lists; only its functions and errors are here.
func eachText(rec *trace.Recording, add func(Kind, string)) {
	for r := range rec.Requests {
		ofProgram := rec.Requests[r].OfProgram()
		for c := range rec.Requests[r].Calls {
			call := &rec.Requests[r].Calls[c]
			add(Function, call.Function)
			if call.Error != "" {
				add(Error, call.Error)
			}
			for name, value := range call.Attributes {
				if value != "" && !ofProgram {
					add(Value, name+"="+value)
				}
			}
		}
	}
}

// pack writes the index: the places, then the texts, each with what it shares with the one before, then
// the recordings of each.
func (x *index) pack() ([]byte, error) {
	var raw []byte
	text := func(s string) {
		raw = binary.AppendUvarint(raw, uint64(len(s)))
		raw = append(raw, s...)
	}
	raw = binary.AppendUvarint(raw, uint64(len(x.places)))
	for _, p := range x.places {
		text(p.Release)
		text(p.Scenario)
	}
	raw = binary.AppendUvarint(raw, uint64(len(x.entries)))
	before := ""
	for _, e := range x.entries {
		shared := 0
		for shared < min(len(before), len(e.text)) && before[shared] == e.text[shared] {
			shared++
		}
		raw = append(raw, byte(e.kind))
		raw = binary.AppendUvarint(raw, uint64(shared))
		text(e.text[shared:])
		before = e.text
	}
	for _, e := range x.entries {
		raw = binary.AppendUvarint(raw, uint64(len(e.in)))
		last := 0
		for _, place := range e.in {
			raw = binary.AppendUvarint(raw, uint64(place-last))
			last = place
		}
	}
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	_, err = w.Write(raw)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

var errBroken = errors.New("the search index is broken: \"go test ./trace/search -update\" makes it anew")

// unpack reads the output of pack.
func unpack(packed []byte) (*index, error) {
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	in := reader{rest: raw}
	x := &index{places: make([]Place, in.number())}
	for i := range x.places {
		x.places[i] = Place{in.text(), in.text()}
	}
	x.entries = make([]entry, in.number())
	before := ""
	for i := range x.entries {
		kind := Kind(in.byte())
		shared := min(in.number(), len(before))
		before = before[:shared] + in.text()
		x.entries[i] = entry{kind: kind, text: before}
	}
	for i := range x.entries {
		all := make([]int, in.number())
		place := 0
		for j := range all {
			place += in.number()
			all[j] = place
		}
		x.entries[i].in = all
	}
	if in.broken || len(in.rest) > 0 {
		return nil, errBroken
	}
	return x, nil
}

// A reader takes numbers and texts from bytes. After the first that is not there, all are zero.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) number() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > 1<<24 {
		r.broken, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *reader) byte() byte { return r.take(1, "\x00")[0] }

func (r *reader) text() string { return r.take(r.number(), "") }

func (r *reader) take(n int, without string) string {
	if n > len(r.rest) {
		r.broken, r.rest = true, nil
		return without
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
