package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A CallTable has the calls of a request as one list per property, in order of
// entry. A value that many calls share is stored once, and the lists refer to it
// by its number. The page reads all details of single calls from this table.
type CallTable struct {
	Same       []CallKind  `json:"same" description:"The properties that all calls of a function share."`
	Values     []CallValue `json:"values" description:"The recorded values, each once."`
	ValueLists [][]int     `json:"valueLists" description:"The lists of values that calls have, as numbers in values. Values that decided the request come first."`
	Goroutines []uint64    `json:"goroutines" description:"The runtime's ids of the goroutines."`

	Of         []int   `json:"of" description:"For each call: its number in same."`
	Caller     []int   `json:"caller" description:"For each call: its number minus the number of its caller; 0 for the first call."`
	CallerLine []int   `json:"callerLine" description:"For each call: the line of the caller that makes it; 0 if the line is not known."`
	Goroutine  []int   `json:"goroutine" description:"For each call: its number in goroutines."`
	StartNs    []int64 `json:"startNs" description:"For each call: the time from the start of the previous call to its start, in nanoseconds."`
	DurationNs []int64 `json:"durationNs" description:"For each call: how long it took, in nanoseconds."`
	Value      []int   `json:"value" description:"For each call: its number in valueLists."`

	NewGoroutine []int          `json:"newGoroutine" description:"The calls that run on a new goroutine. The caller started the goroutine, or code without spans that it called."`
	Unfinished   []int          `json:"unfinished" description:"The calls that had not returned when the trace was collected."`
	Leaves       []int          `json:"leaves" description:"The calls with only the entry recorded. Their duration is not known."`
	Afterwards   []int          `json:"afterwards" description:"The calls that took up the event of a write. Nobody called them: their caller in this table is the previous stage of the event, or the request's first call."`
	Errors       map[int]string `json:"errors" description:"The errors, by the number of the call that returned them."`
	Panics       map[int]string `json:"panics" description:"The panics that passed through calls, by the number of the call."`
}

// A CallKind has the properties that all calls of one function with one name share.
type CallKind struct {
	Function string            `json:"function" description:"Full name of the function."`
	File     string            `json:"file" description:"Import path of the package, a slash, and the name of the file."`
	Line     int               `json:"line" description:"Line of the word func."`
	Process  string            `json:"process" description:"The traced program."`
	Name     string            `json:"name" description:"The name as the tree has it."`
	Short    string            `json:"short,omitempty" description:"The function's short name; absent if it is the name."`
	Place    string            `json:"place" description:"Folder, file and line of the function."`
	Layer    string            `json:"layer" description:"Name of the layer, empty if there is none."`
	Colour   string            `json:"colour" description:"Colour of the layer, empty if it has none."`
	Key      bool              `json:"key" description:"Whether it is a key step."`
	URL      string            `json:"url,omitempty" description:"Where upstream shows the function; absent if that is not known."`
	Title    map[string]string `json:"title" description:"Title of the layer, by language."`
	Note     map[string]string `json:"note,omitempty" description:"The guide's note, by language; absent if there is none."`
}

// A CallValue is a recorded value.
type CallValue struct {
	Name string `json:"name" description:"Full name of the attribute."`
	Text string `json:"value" description:"The value as readers see it."`
	// Raw is nil if it is equal to Text.
	Raw     *string `json:"raw,omitempty" description:"The value as it was recorded, if that is another text."`
	Decides bool    `json:"decides,omitempty" description:"Whether the value decided the request."`
}

func (a *api) getCalls(r *restful.Request) (any, error) {
	l, err := a.loadedOf(r)
	if err != nil {
		return nil, err
	}
	return l.callTable(int(number(r, "request", 0)))
}

// identity is the key of a CallKind. Calls with the same
// identity share a CallKind.
type identity struct {
	function, file, process, name string
	line                          int
}

// numbers assigns consecutive numbers to keys, in the order of their first use.
type numbers[K comparable] map[K]int

// of returns the number of a key, and whether this is the key's first use.
func (n numbers[K]) of(k K) (number int, isNew bool) {
	number, known := n[k]
	if !known {
		number = len(n)
		n[k] = number
	}
	return number, !known
}

// callTable returns the calls of request n, counted from 1.
func (l *loaded) callTable(n int) (*CallTable, error) {
	tree, err := l.request(n)
	if err != nil {
		return nil, err
	}
	guides := map[string]view.Guide{}
	for _, lang := range pageLanguages {
		if guides[lang], err = l.guide(lang); err != nil {
			return nil, err
		}
	}
	out := &CallTable{NewGoroutine: []int{}, Unfinished: []int{}, Leaves: []int{}, Afterwards: []int{}, Errors: map[int]string{}, Panics: map[int]string{}}
	same, values, lists, goroutines := numbers[identity]{}, numbers[string]{}, numbers[string]{}, numbers[uint64]{}
	var before int64
	for i := range tree.Len() {
		c := tree.Call(i)
		number, isNew := same.of(identity{c.Function, c.File, c.Process, nameOf(c), c.Line})
		if isNew {
			out.Same = append(out.Same, l.kindOf(c, guides))
		}
		out.Of = append(out.Of, number)
		out.Caller = append(out.Caller, i-max(tree.Parent(i), 0))
		out.CallerLine = append(out.CallerLine, c.CallerLine)
		if number, isNew = goroutines.of(c.Goroutine); isNew {
			out.Goroutines = append(out.Goroutines, c.Goroutine)
		}
		out.Goroutine = append(out.Goroutine, number)
		out.StartNs = append(out.StartNs, c.StartNs-before)
		before = c.StartNs
		out.DurationNs = append(out.DurationNs, c.DurationNs)
		var list []int
		var key strings.Builder
		for _, v := range valuesOf(c, guides["en"]) {
			number, isNew := values.of(v.Name + "\x00" + c.Attributes[v.Name])
			if isNew {
				out.Values = append(out.Values, v)
			}
			list = append(list, number)
			fmt.Fprint(&key, number, " ")
		}
		if number, isNew = lists.of(key.String()); isNew {
			out.ValueLists = append(out.ValueLists, append([]int{}, list...))
		}
		out.Value = append(out.Value, number)
		out.addRare(i, c)
	}
	return out, nil
}

// addRare adds the properties that only few calls have.
func (out *CallTable) addRare(i int, c *trace.Call) {
	if c.NewGoroutine {
		out.NewGoroutine = append(out.NewGoroutine, i)
	}
	if c.Unfinished {
		out.Unfinished = append(out.Unfinished, i)
	}
	if c.Leaf {
		out.Leaves = append(out.Leaves, i)
	}
	if c.Afterwards() {
		out.Afterwards = append(out.Afterwards, i)
	}
	if c.Error != "" {
		out.Errors[i] = c.Error
	}
	if c.Panic != "" {
		out.Panics[i] = c.Panic
	}
}

// kindOf returns the properties that all calls like c share.
func (l *loaded) kindOf(c *trace.Call, guides map[string]view.Guide) CallKind {
	layer := guides["en"].Layer(c.Function)
	out := CallKind{
		Function: c.Function, File: c.File, Line: c.Line, Process: c.Process, Name: nameOf(c), Place: placeOf(c),
		Layer: layer, Colour: view.LayerColour(layer), Key: guides["en"].Key(c.Function), URL: l.rec.SourceURL(c), Title: map[string]string{}, Note: map[string]string{},
	}
	if short := c.ShortName(); short != out.Name {
		out.Short = short
	}
	for lang, guide := range guides {
		if layer != "" {
			out.Title[lang] = guide.Title(layer)
		}
		if note := guide.Note(c.Function); note != "" {
			out.Note[lang] = note
		}
	}
	return out
}

// nameOf returns the name of a call as the call tree shows it.
func nameOf(c *trace.Call) string {
	if view.Upstream(c) {
		return view.UpstreamLabel(c)
	}
	return c.ShortName()
}

// placeOf returns the folder, file and line of a
// call's function as the call tree shows them.
func placeOf(c *trace.Call) string { return (&view.Names{}).Place(c) }

// valuesOf lists the values of a call. Values that decided the request come
// first. Both groups have the order of the guide. Values that the guide does
// not name come last in their group.
func valuesOf(c *trace.Call, guide view.Guide) []CallValue {
	names := guide.Values(c.Function)
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var deciding, others []CallValue
	known := map[string]bool{}
	for _, name := range names {
		raw, ok := c.Attributes[name]
		if !ok || known[name] {
			continue
		}
		known[name] = true
		v := CallValue{Name: name, Text: view.InWords(name, raw), Decides: view.Decides(name)}
		if raw != v.Text {
			v.Raw = &raw
		}
		if v.Decides {
			deciding = append(deciding, v)
		} else {
			others = append(others, v)
		}
	}
	return append(deciding, others...)
}
