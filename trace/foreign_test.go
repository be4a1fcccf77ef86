package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// foreignFile returns the content of a file in testdata/foreign.
func foreignFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "foreign", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestImportForeign(t *testing.T) {
	rec, err := Import("testdata/foreign/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	want := &Recording{Scenario: "imported", Requests: []Request{{
		TraceID: "5b8efff798038103d269b633813fc60c", Method: "GET", Path: "/cart?id=7", Status: 500,
		Start:      rec.Requests[0].Start,
		Incomplete: []string{"1 of 4 spans name no function: they stand under the name of the span"},
		Calls: []Call{
			{ID: "eee19b7ec3c1b174", Function: "example.com/shop/web.(*Server).cart", File: "example.com/shop/web/server.go", Line: 42,
				Process: "web", Goroutine: 18, DurationNs: 9_000_000, Error: "no such cart", Attributes: map[string]string{"thread.id": "18"}},
			{ID: "eee19b7ec3c1b175", Parent: "eee19b7ec3c1b174", Function: "GET /stock", Process: "web", StartNs: 1_000_000, DurationNs: 5_000_000,
				Attributes: map[string]string{"http.request.method": "GET", "url.path": "/stock"}},
			{ID: "eee19b7ec3c1b176", Parent: "eee19b7ec3c1b175", Function: "com.example.Stock.count", File: "Stock.java", Line: 7,
				Process: "stock", StartNs: 2_000_000, DurationNs: 1_000_000, Error: "an error without a message"},
			{ID: "eee19b7ec3c1b177", Parent: "eee19b7ec3c1b174", Function: `example.com/shop/db.Query\x1b[2J`, File: "example.com/shop/db/db.go", Line: 9,
				Process: "web", StartNs: 7_000_000, Unfinished: true, Attributes: map[string]string{"rows": "3", "ratio": "0.5"}},
		},
	}}}
	if got, want := dump(t, rec), dump(t, want); got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

func dump(t *testing.T, rec *Recording) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteJSON(&out, rec); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestImportOwn checks that Import and Load return the same for a recording of apitrace.
func TestImportOwn(t *testing.T) {
	const own = "../cmd/apitrace/testdata/get-node.jsonl"
	imported, err := Import(own)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(own)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(imported, loaded) {
		t.Error("Import and Load return different recordings, expected the same")
	}
}

// TestImportWithoutParents imports a part of a trace, without the spans above it.
func TestImportWithoutParents(t *testing.T) {
	rec, err := parseForeign(foreignFile(t, "torn.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := rec.Requests[0]
	var names []string
	for _, call := range r.Calls {
		names = append(names, call.Function)
	}
	want := []string{noParent, "a.first", "a.inner", "a.second"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got the calls %q, expected %q", names, want)
	}
	if len(r.Incomplete) != 1 || !strings.HasPrefix(r.Incomplete[0], "2 spans have no parent in the file (1 name one that is missing)") {
		t.Errorf("Incomplete = %q, expected one text about 2 spans without a parent", r.Incomplete)
	}
	if r.Method != "SPAN" || r.Path != noParent {
		t.Errorf("got the request %q %q, expected SPAN and noParent", r.Method, r.Path)
	}
}

func TestImportRefuses(t *testing.T) {
	span := func(fields string) string {
		return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"x",` + fields +
			`"attributes":[{"key":"code.function.name","value":{"stringValue":"a.b"}}]}]}]}]}`
	}
	for name, test := range map[string]struct{ in, want string }{
		"empty":      {"", "there is no span in it"},
		"no object":  {"Tyger", "broken JSON"},
		"other JSON": {`{"spans":[]}`, "there is no span in it"},
		"truncated":  {span("")[:150], "the file is truncated"},
		"no code":    {strings.ReplaceAll(span(""), "code.function.name", "name"), "no span has code.* attributes"},
		"no id":      {strings.ReplaceAll(span(""), "eee19b7ec3c1b174", ""), "expected 32 and 16 hexadecimal digits"},
		"own parent": {span(`"parentSpanId":"eee19b7ec3c1b174",`), "its own ancestor"},
		"backwards":  {span(`"startTimeUnixNano":"2000000000","endTimeUnixNano":"1000000000",`), "it ends 1s before it begins"},
		"far future": {span(`"startTimeUnixNano":"18446744073709551615",`), "expected times between 1970 and 2262"},
		"twice":      {span("") + "\n" + span(""), "have the same id"},
		"not UTF-8":  {"\xff", "not UTF-8 text"},
	} {
		t.Run(name, func(t *testing.T) {
			rec, err := parseForeign([]byte(test.in))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v and the error %v, expected an error with %q", rec, err, test.want)
			}
		})
	}
}

// FuzzImport checks that every imported recording can be saved and loaded. Fuzz it with
// -fuzzminimizetime 10x: by default, all time goes into making inputs smaller.
func FuzzImport(f *testing.F) {
	f.Add(foreignFile(f, "shop.json"))
	f.Add(foreignFile(f, "torn.jsonl"))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","attributes":[{"key":"code.function","value":{"arrayValue":{}}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := parseForeign(data)
		if err != nil {
			return
		}
		var saved bytes.Buffer
		if err := WriteOTLP(t.Context(), &saved, rec); err != nil {
			t.Fatalf("saving the imported recording: %v", err)
		}
		if _, err := parse(saved.Bytes()); err != nil {
			t.Fatalf("loading the imported and saved recording: %v", err)
		}
	})
}
