package columns

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A thing has a field for each method of Codec that the tests check.
type thing struct {
	Number    uint64
	Int       int
	Step      int64
	Predicted uint64
	Flag      bool
	Text      string
	Sorted    string
	Time      time.Time
	Texts     []string
	Pairs     map[string]string
}

// code writes or reads things and bytes.
func code(c *Codec, all *[]thing, bytes *[]byte) {
	model, last := c.Model("model"), int64(0)
	List(c, "things", all, func(x *thing) {
		c.Number("number", &x.Number)
		Int(c, "int", &x.Int)
		c.StepIn(c.Column("step"), &x.Step, last)
		last = x.Step
		c.Predicted(model, &x.Predicted, int(x.Number%3))
		c.Flag("flag", &x.Flag)
		c.Text("text", &x.Text)
		c.Sorted("sorted", &x.Sorted)
		c.Time("time", &x.Time)
		c.Texts("texts of it", &x.Texts)
		c.Pairs("pairs", &x.Pairs)
	})
	c.Bytes("bytes", bytes)
}

// anyThing draws a thing. Lists and the time are not empty, because an empty list is read
// as nil.
func anyThing(t *rapid.T) thing {
	return thing{
		Number: rapid.Uint64().Draw(t, "number"), Int: rapid.Int().Draw(t, "int"), Step: rapid.Int64().Draw(t, "step"),
		Predicted: rapid.Uint64().Draw(t, "predicted"), Flag: rapid.Bool().Draw(t, "flag"), Text: rapid.String().Draw(t, "text"),
		Sorted: rapid.StringMatching("[ab]{0,6}").Draw(t, "sorted"), Time: time.Unix(0, rapid.Int64Min(1).Draw(t, "time")).UTC(),
		Texts: rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "texts"), Pairs: rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, "pairs"),
	}
}

// packed returns a file with things and bytes.
func packed(t interface{ Fatal(...any) }, all []thing, bytes, common []byte) []byte {
	c := NewWriter()
	code(c, &all, &bytes)
	data, err := c.Pack(common)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRoundTrip checks that all values are read as they were written.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(anyThing), 1, 9).Draw(t, "things")
		bytes, common := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes"), rapid.SliceOf(rapid.Byte()).Draw(t, "common")
		c, err := Open(packed(t, all, bytes, common), common)
		if err != nil {
			t.Fatal(err)
		}
		var things []thing
		var read []byte
		code(c, &things, &read)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(things, all) || !reflect.DeepEqual(read, bytes) {
			t.Fatalf("wrote\n%+v %q\nread\n%+v %q\nexpected the same", all, bytes, things, read)
		}
	})
}

// TestVersions reads a file without a version, as in version 1, and rejects a file of a
// later version.
func TestVersions(t *testing.T) {
	head := []byte{1, 1, 'n', 1, 7} // one column with a name of one byte, "n", and one byte of content
	if c, err := Open(frame(t, head), nil); err != nil {
		t.Error(err)
	} else {
		var v uint64
		if c.Number("n", &v); v != 7 || c.Close() != nil {
			t.Errorf("a file of version 1: read %d and the error %v, expected 7 and no error", v, c.Close())
		}
	}
	if _, err := Open(frame(t, append([]byte{0, 9}, head...)), nil); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("a file of version 9: got the error %v, expected one that names the version", err)
	}
}

// TestUnreadColumn checks that unread data in a file is an error.
func TestUnreadColumn(t *testing.T) {
	w, v := NewWriter(), uint64(1)
	w.Number("known", &v)
	w.Number("later", &v)
	data, err := w.Pack(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Number("known", &v)
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), `"later"`) {
		t.Errorf("a file with an unread column: got the error %v, expected one that names the column", err)
	}
}

// FuzzOpen checks that reading ends without a panic, for any file and any content of a
// column.
func FuzzOpen(f *testing.F) {
	data := packed(f, []thing{{Text: "a", Sorted: "ab", Texts: []string{"b"}, Pairs: map[string]string{"c": "d"}, Predicted: 9}}, []byte("e"), nil)
	f.Add(data, "", []byte{})
	f.Add(data[:len(data)/2], "", []byte{})
	for _, column := range []string{"things", "text", "sorted", "sorted.shared", "texts of it", textsColumn, BitsColumn, "pairs"} {
		f.Add(data, column, []byte{})
		f.Add(data, column, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	}
	f.Fuzz(func(t *testing.T, data []byte, column string, content []byte) {
		cols, err := unpack(data, nil)
		if err != nil {
			return
		}
		if column != "" {
			cols.get(column).data = content
		}
		c, err := newReader(cols)
		if err != nil {
			return
		}
		var things []thing
		var bytes []byte
		code(c, &things, &bytes)
		_ = c.Close()
	})
}
