// Package search finds functions, values and errors in all recordings, with their
// scenarios and releases. It uses an index in the binary, because reading 500
// recordings would take seconds.
package search

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Kind is the kind of a text.
type Kind uint8

const (
	// Function is the full name of a called function.
	Function Kind = iota
	// Value is a call's value: "apitrace.flowcontrol.flow_schema=exempt".
	Value
	// Error is the text of a returned error.
	Error
)

// A Place is a recording.
type Place struct{ Release, Scenario string }

// An index has each text once, with its recordings.
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

// longest is the maximum length of a text in the index, in bytes. The rest is cut
// off, and is not searched.
const longest = 300

// cut shortens a text to at most longest bytes. It does not cut within a character.
func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	end := longest
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

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
				k := key{kind, cut(text)}
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

// eachText calls add for each text of a recording. It can pass a text several
// times. For the start or the end of a program, it passes only functions and
// errors: the values of a start, for every route and resource, are in "apitrace
// routes".
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

func (x *index) pack() ([]byte, error) {
	c := columns.NewWriter()
	x.code(c)
	return c.Pack(nil)
}

// unpack reads the output of pack.
func unpack(packed []byte) (*index, error) {
	x := new(index)
	c, err := columns.Open(packed, nil)
	if err == nil {
		x.code(c)
		err = c.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the search index is broken: %w; \"go test ./trace/search -update\" rebuilds it", err)
	}
	return x, nil
}

// code writes the index to c, or reads it from c.
func (x *index) code(c *columns.Codec) {
	columns.List(c, "places", &x.places, func(p *Place) {
		c.Text("place.release", &p.Release)
		c.Text("place.scenario", &p.Scenario)
	})
	kind, in := c.Column("kind"), c.Column("in")
	columns.List(c, "entries", &x.entries, func(e *entry) {
		wide := uint64(e.kind)
		c.NumberIn(kind, &wide)
		e.kind = Kind(wide)
		c.Sorted("text", &e.text)
		last := int64(0)
		columns.List(c, "count", &e.in, func(place *int) {
			at := int64(*place)
			c.StepIn(in, &at, last)
			*place, last = int(at), at
		})
	})
}
