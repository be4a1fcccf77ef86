package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonSchema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("recording.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("recording.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func checkSchema(t testing.TB, s *jsonschema.Schema, output []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestJSONMatchesSchema(t *testing.T) {
	compiled := schema(t)
	for file, rec := range recordings(t) {
		var out bytes.Buffer
		if err := WriteJSON(&out, rec); err != nil {
			t.Fatal(err)
		}
		if err := checkSchema(t, compiled, out.Bytes()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, field := range []string{"error", "attributes", "callerLine", "parent"} {
			spoiled := bytes.Replace(out.Bytes(), []byte(`"`+field+`"`), []byte(`"x`+field+`"`), 1)
			if err := checkSchema(t, compiled, spoiled); err == nil {
				t.Errorf("%s: the schema accepts a call without %q, expected an error", file, field)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		rec := anyRecording(rt)
		for i := range rec.Requests {
			for k := range rec.Requests[i].Stored {
				rec.Requests[i].Stored[k].Size = 7
			}
		}
		var out bytes.Buffer
		if err := WriteJSON(&out, rec); err != nil {
			rt.Fatal(err)
		}
		if err := checkSchema(t, compiled, out.Bytes()); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestWriteJSONLikeAnEncoder checks that WriteJSON writes the same as an encoder for the
// whole recording.
func TestWriteJSONLikeAnEncoder(t *testing.T) {
	check := func(t testing.TB, rec *Recording) {
		var got, want bytes.Buffer
		if err := WriteJSON(&got, rec); err != nil {
			t.Fatal(err)
		}
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		for i := range rec.Requests {
			for c := range rec.Requests[i].Calls {
				if call := &rec.Requests[i].Calls[c]; call.Attributes == nil {
					call.Attributes = map[string]string{}
				}
			}
		}
		if err := encoder.Encode(rec); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("WriteJSON wrote\n%s\nexpected\n%s", got.Bytes(), want.Bytes())
		}
	}
	for _, rec := range recordings(t) {
		check(t, rec)
		rec.Requests[0].Path = `/"requests": []"calls": []`
		rec.Requests[0].Calls[0].Error = "<a & b>\n\x00\xff"
		check(t, rec)
	}
}

// TestSchemaAndPageAreComplete checks that the schema has exactly the fields of the model,
// and that docs/json-output.md has all fields of the schema.
func TestSchemaAndPageAreComplete(t *testing.T) {
	var doc struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(jsonSchema, &doc); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/json-output.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		model      any
		properties map[string]any
	}{
		{Recording{}, doc.Properties},
		{Request{}, doc.Defs["request"].Properties},
		{Call{}, doc.Defs["call"].Properties},
		{StoredKey{}, doc.Defs["storedKey"].Properties},
		{Cause{}, doc.Defs["cause"].Properties},
		{Pending{}, doc.Defs["pending"].Properties},
	} {
		var fields, properties []string
		for field := range reflect.TypeOf(part.model).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		for name, property := range part.properties {
			properties = append(properties, name)
			row := fmt.Sprintf("| `%s` | %s |", name, property.(map[string]any)["description"])
			if !strings.Contains(string(page), row) {
				t.Errorf("docs/json-output.md lacks the row\n%s", row)
			}
		}
		slices.Sort(fields)
		slices.Sort(properties)
		if !slices.Equal(fields, properties) {
			t.Errorf("%T has the fields %v, but the schema has %v, expected the same", part.model, fields, properties)
		}
	}
}
