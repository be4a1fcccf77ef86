package trace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestSaveAndLoad(t *testing.T) {
	for name, rec := range recordings(t) {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(file, []byte("an older one"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Save(context.Background(), file, rec); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: saved with mode %v, expected 0600", name, info.Mode())
		}
		got, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, rec) {
			t.Errorf("%s: saved %+v, loaded %+v, expected the same", name, rec, got)
		}
	}
}

// TestSaveFails checks that a failed Save leaves only the older file.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(file, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Save(context.Background(), file, &Recording{})
	if err == nil || !strings.Contains(err.Error(), "no request") || !strings.Contains(err.Error(), file) {
		t.Errorf("Save of an empty recording returned %v, expected an error with \"no request\" and the file's name", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) != "an older one" || len(entries) != 1 {
		t.Errorf("after a failed Save, the folder has %v and the file %q, expected only the older file", entries, data)
	}
	err = Save(context.Background(), filepath.Join(dir, "no", "r.jsonl"), load(t, "handmade-get-node.json"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Save to a folder that does not exist returned %v, expected fs.ErrNotExist", err)
	}
}

func TestLoadErrors(t *testing.T) {
	var saved bytes.Buffer
	if err := WriteOTLP(context.Background(), &saved, load(t, "handmade-errors.json")); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(saved.String(), "\n")
	var text bytes.Buffer
	if err := WriteJSON(&text, load(t, "handmade-get-node.json")); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ content, want string }{
		"empty":                {"\n \n", "the file is empty"},
		"a binary":             {"\x7fELF\xff", "not UTF-8"},
		"text":                 {"hello", "not a recording"},
		"list":                 {"[1]", "not a recording"},
		"empty object":         {"{}", "not a recording"},
		"other JSON":           {`{"kind":"Pod"}`, "holds no request"},
		"wrong type":           {`{"requests":7}`, "requests"},
		"for Perfetto":         {`{"displayTimeUnit":"ns","traceEvents":[]}`, `the output of "-o chrome"`},
		"YAML":                 {"scenario: get-node\nrequests: []\n", `the output of "-o yaml"`},
		"a diagram":            {"sequenceDiagram\n", `the output of "-o mermaid"`},
		"spans as text":        {"{\n\t\"Name\": \"f\"}\n{}", `the output of "-o stdout"`},
		"cut in the key":       {`{"resou`, "truncated"},
		"cut OTLP":             {saved.String()[:saved.Len()-40], "line 2: it ends in the middle of an object: the file is truncated"},
		"cut JSON":             {text.String()[:text.Len()/2], "truncated"},
		"broken line":          {lines[0] + "\n" + strings.Replace(lines[1], ":", ";", 1), "line 3: broken JSON"},
		"something behind":     {text.String() + "{}", "something follows"},
		"foreign spans":        {`{"resourceSpans":[{"resource":{},"scopeSpans":[]}]}`, "not saved by apitrace"},
		"no spans":             {`{"resourceSpans":[]}`, "holds no request"},
		"no OTLP":              {`{"resourceSpans":7}`, "line 1 is not OTLP trace data"},
		"two recordings":       {lines[0] + strings.ReplaceAll(lines[1], "v1.37.1", "v1.36.0"), "line 2: spans of another recording"},
		"the same twice":       {lines[0] + lines[0], "same id"},
		"a time too large":     {strings.Replace(lines[0], `"startTimeUnixNano":"`, `"startTimeUnixNano":"99999999999999999999`, 1), `line 1 is not OTLP trace data: strconv.ParseUint: parsing "99999`},
		"an id too short":      {strings.ReplaceAll(lines[0], `"spanId":"0000`, `"spanId":"00`), "line 1 is not OTLP trace data"},
		"a lost call":          {strings.Replace(lines[0], `"spanId":"0000000000000fa2"`, `"spanId":"0000000000ffffff"`, 1), "orphan"},
		"no function":          {strings.Replace(lines[0], "code.function.name", "code.function", 1), "the function is empty"},
		"a number for a name":  {strings.Replace(lines[0], `{"stringValue":"GET"}`, `{"intValue":"7"}`, 1), "the method is empty"},
		"text as a time":       {strings.Replace(lines[0], "2026-11-20T10:00:09Z", "yesterday", 1), "apitrace.recorded"},
		"a stored key is text": {strings.Replace(lines[0], `{"key":"url.path"`, `{"key":"apitrace.stored","value":{"arrayValue":{"values":[{"stringValue":"x"}]}}},{"key":"url.path"`, 1), "apitrace.stored"},
	} {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: Load returned the error %v, expected %q and the file's name in it", name, err, test.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a file that does not exist returned %v, expected fs.ErrNotExist", err)
	}
}

// TestLoadSpreadSpans loads a trace that a collector has spread over lines, in another order.
func TestLoadSpreadSpans(t *testing.T) {
	rec := load(t, "handmade-get-node.json")
	var out bytes.Buffer
	if err := WriteOTLP(context.Background(), &out, rec); err != nil {
		t.Fatal(err)
	}
	line := strings.TrimSpace(out.String())
	second := strings.LastIndex(line, `{"resource":{`)
	spread := `{"resourceSpans":[` + line[second:] + "\n\n" + strings.TrimSuffix(line[:second], ",") + "]}\n"
	got, err := parse([]byte(spread))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, rec) {
		t.Error("the loaded recording differs from the saved one, expected the same")
	}
}
