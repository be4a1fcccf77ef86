package recordings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// fill draws a value for every field of the model, by reflection. So a field that
// the codec does not store is empty after reading, and TestRoundTrip fails.
func fill(t *rapid.T, v reflect.Value, name string) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(0, rapid.Int64Min(1).Draw(t, name)).UTC()))
		return
	case map[string]string:
		v.Set(reflect.ValueOf(rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, name)))
		return
	case []trace.Call: // a tree, which fill cannot draw
		v.Set(reflect.ValueOf(anyCalls(t)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(1, 3).Draw(t, name), 3))
		for i := range v.Len() {
			fill(t, v.Index(i), name)
		}
	case reflect.String:
		v.SetString(rapid.StringMatching(`[/?=&a-z\x{4e00}-\x{4e10}%]+`).Draw(t, name))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Min(1).Draw(t, name))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64Min(1).Draw(t, name))
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("field %s has the type %s: add a case for it to fill", name, v.Type())
	}
}

// anyCalls draws calls that are one tree.
func anyCalls(t *rapid.T) []trace.Call {
	r := trace.Request{Calls: make([]trace.Call, rapid.IntRange(1, 12).Draw(t, "calls"))}
	first := rapid.Uint64Max(1<<63).Draw(t, "id") + 1
	for i := range r.Calls {
		c := &r.Calls[i]
		fill(t, reflect.ValueOf(c).Elem(), "call")
		c.DurationNs = rapid.Int64Min(0).Draw(t, "duration")
		c.ID, c.Parent, c.StartNs = fmt.Sprintf("%016x", first+uint64(i)), "", 0
		if i > 0 {
			c.Parent = r.Calls[rapid.IntRange(0, i-1).Draw(t, "parent")].ID
			c.StartNs = rapid.Int64Range(-3, 3).Draw(t, "start") // many calls start at the same time
		}
		c.Attributes = map[string]string{"k8s.x": rapid.String().Draw(t, "value")}
		if rapid.Bool().Draw(t, "sparse") {
			c.Attributes, c.Error, c.Panic, c.NewGoroutine, c.Unfinished = nil, "", "", false, false
		}
	}
	if err := r.Sort(); err != nil {
		t.Fatal(err)
	}
	return r.Calls
}

func anyRecording(t *rapid.T) *trace.Recording {
	rec := new(trace.Recording)
	fill(t, reflect.ValueOf(rec).Elem(), "recording")
	for i := range rec.Requests {
		rec.Requests[i].TraceID = fmt.Sprintf("%032x", rapid.Uint64Max(1<<62).Draw(t, "trace")*4+uint64(i)+1)
		rec.Requests[i].Cause = trace.Cause{TraceID: rec.Requests[0].TraceID, Call: rec.Requests[0].Calls[0].ID}
	}
	return rec
}

// pack encodes a recording. It also returns the shared data that decoding needs.
func pack(t interface{ Fatal(...any) }, rec *trace.Recording) ([]byte, *shared) {
	s, err := newShared([]*trace.Recording{rec})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := encode(rec, s)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	if s, err = decodeShared(text); err != nil {
		t.Fatal(err)
	}
	return packed, s
}

// TestRoundTrip checks that every field of the model is the same after decoding.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecording(t)
		packed, s := pack(t, rec)
		got, err := decode(packed, s)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, rec) {
			t.Fatalf("wrote\n%+v\nread\n%+v\nexpected the same", rec, got)
		}
	})
}

// small returns a recording with something in most columns.
func small() *trace.Recording {
	call := func(id, parent string, start int64) trace.Call {
		return trace.Call{
			ID: "00000000000000" + id, Parent: parent, Function: "example.org/shop.Take", File: "example.org/shop/shop.go", Line: 9,
			CallerLine: 4, Process: "shop", Goroutine: 7, StartNs: start, DurationNs: 40, Error: "sold out", Attributes: map[string]string{"item": "pear"},
		}
	}
	return &trace.Recording{Scenario: "buy", K8sVersion: "v1.30.4", Requests: []trace.Request{{
		TraceID: "4387af42cebef2cf258386aeb9064159", Method: "GET", Path: "/cart", Status: 500,
		Calls:      []trace.Call{call("01", "", 0), call("02", "0000000000000001", 5), call("03", "0000000000000002", 9), call("04", "0000000000000001", 30)},
		Incomplete: []string{"some"}, Stored: []trace.StoredKey{{Op: "PUT", Key: "/a", Revision: 3}},
	}}}
}

// FuzzDecode checks that reading any content of the columns gives a valid recording or
// an error.
func FuzzDecode(f *testing.F) {
	rec := small()
	_, s := pack(f, rec)
	contents, err := written(rec, s).Contents()
	if err != nil {
		f.Fatal(err)
	}
	for name, content := range contents {
		f.Add(name, content)
		f.Add(name, []byte{})
		f.Add(name, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	}
	f.Fuzz(func(t *testing.T, column string, data []byte) {
		c := columns.NewWriter()
		for name, content := range contents {
			c.Bytes(name, &content)
		}
		c.Bytes(column, &data)
		opened, err := c.Reread()
		if err != nil {
			return
		}
		rec, err := read(opened, s)
		if err == nil && rec.Validate() != nil {
			t.Errorf("read returned a recording that is not valid: %v", rec.Validate())
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("read returned an error without a text")
		}
	})
}

// callsOf returns the calls of the first request after rounding.
func callsOf(t *testing.T, rec *trace.Recording) []trace.Call {
	t.Helper()
	short, err := rounded(rec)
	if err != nil {
		t.Fatal(err)
	}
	return short.Requests[0].Calls
}

func TestRounded(t *testing.T) {
	rec := small()
	calls := rec.Requests[0].Calls
	calls[0].DurationNs, calls[1].StartNs, calls[1].DurationNs, calls[2].StartNs = 10_019, 5, 9_996, 19
	calls[3].StartNs, calls[3].DurationNs = 9_999, 31 // it ends after its parent
	before := fmt.Sprint(rec)
	got := callsOf(t, rec)
	// In units of 10 ns, the times are 0, 1, 5, 999, 1000, 1001 and 1003. The
	// difference 994 between 5 and 999 becomes 1024.
	for i, want := range [][2]int64{{0, 10_310}, {0, 10_300}, {10, 40}, {10_290, 40}} {
		if got[i].StartNs != want[0] || got[i].DurationNs != want[1] {
			t.Errorf("call %d: got the duration %d and the start %d, expected the duration %d and the start %d, in ns", i, got[i].DurationNs, got[i].StartNs, want[1], want[0])
		}
	}
	if fmt.Sprint(rec) != before {
		t.Error("rounded changed its argument, expected only a changed copy")
	}
	calls[0].DurationNs = 1_000_000_001
	if got := callsOf(t, rec); got[0].DurationNs != 1_000_000_000 || got[3].StartNs != 9_000 || got[3].DurationNs != 1_000 {
		t.Errorf("got the calls %+v of a trace longer than 1 s, expected call 0 to take 1,000,000,000 ns, and call 3 to start at 9,000 ns and take 1,000 ns", got)
	}
	if floor(-1, 10) != -10 || floor(-10, 10) != -10 || floor(9, 10) != 0 {
		t.Error("floor does not round down to a multiple of 10")
	}
}

// TestRoundedKeepsOrder checks that rounding keeps the order of times that are
// multiples of the unit. It must change each difference between two times by at most
// a sixteenth, and leave rounded times unchanged.
func TestRoundedKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := small()
		calls := rec.Requests[0].Calls
		for i := range calls {
			calls[i].DurationNs = fine * rapid.Int64Range(0, 1<<20).Draw(t, "duration")
			if i > 0 {
				calls[i].StartNs = fine * rapid.Int64Range(-1<<10, 1<<20).Draw(t, "start")
			}
		}
		if err := rec.Requests[0].Sort(); err != nil {
			t.Fatal(err)
		}
		short, err := rounded(rec)
		if err != nil {
			t.Fatal(err)
		}
		if err := short.Validate(); err != nil {
			t.Fatal(err)
		}
		was, is := eventsOf(rec), eventsOf(short)
		for i := range was {
			for j := range was {
				before, after := was[j]-was[i], is[j]-is[i]
				if before < 0 {
					continue // the loops also come to these times in the other order
				}
				if off := after - before; (after == 0) != (before == 0) || max(off, -off)*16 > before {
					t.Fatalf("a difference of %d ns became %d ns, expected a change of at most a sixteenth", before, after)
				}
			}
		}
		again, err := rounded(short)
		if err != nil || !reflect.DeepEqual(again, short) {
			t.Fatalf("rounding a rounded recording changes\n%+v\nto\n%+v (error %v), expected no change", short, again, err)
		}
	})
}

// eventsOf lists when the calls of the first request begin and end, in the order
// of the calls' IDs.
func eventsOf(rec *trace.Recording) []int64 {
	calls := slices.SortedFunc(slices.Values(rec.Requests[0].Calls), func(a, b trace.Call) int { return strings.Compare(a.ID, b.ID) })
	var events []int64
	for i := range calls {
		start, end := span(&calls[i])
		events = append(events, start, end)
	}
	return events
}

// TestCodes checks that codeOf and codedBy are the inverse of each other for numbers
// with few digits, and that all codes from 1 on are used.
func TestCodes(t *testing.T) {
	for code := uint64(1); code < 400; code++ {
		if v := codedBy(code); codeOf(v) != code || codedBy(code+1) <= v || shortened(int64(v)) != int64(v) {
			t.Errorf("code %d stands for %d, which has the code %d and is rounded to %d, expected the same code and number, less than the next code's", code, v, codeOf(v), shortened(int64(v)))
		}
	}
	for _, v := range []uint64{17, 31, 33, 1<<40 + 1} {
		if code := codeOf(v); code != 0 {
			t.Errorf("codeOf(%d) = %d, expected 0 for a number with more than %d digits", v, code, digits)
		}
	}
}
