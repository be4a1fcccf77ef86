package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestUnused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n",
		"a/a.go": `package a

import "io"

type Used struct{ Field *Part }
type Part struct{}          // of a field of a used type
type Alone struct{}         // used here alone
type Kind int
type hidden struct{}
type Answer struct { Text string ` + "`json:\"text\"`" + ` } // of an API

const (
	One Kind = iota // of a used type
	Two
)

var Tested = 1
var OnlyHere = hidden{}

func (Used) Do()                         {}
func (Used) Undone()                     {}
func (Used) Read(p []byte) (int, error)  { return 0, io.EOF } // for io.Reader
func (hidden) Method()                   {}
func Make(Kind) *Used                    { _ = Alone{}; return nil }
func Dead()                              {}
`,
		"a/a_test.go": "package a_test\n\nimport (\n\t\"testing\"\n\t\"example.org/m/a\"\n)\n\nfunc TestA(t *testing.T) { a.Dead() }\n",
		"b/b.go":      "package b\n\nimport \"example.org/m/a\"\n\nfunc init() { a.Make(0).Do() }\n",
		"b/b_test.go": "package b\n\nimport \"example.org/m/a\"\n\nvar _ = a.Tested\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := unused(dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names {
		got = append(got, name.key)
	}
	want := []string{"example.org/m/a.Alone", "example.org/m/a.Dead", "example.org/m/a.OnlyHere", "example.org/m/a.Used.Undone"}
	if !slices.Equal(got, want) {
		t.Errorf("unused are %q, expected %q", got, want)
	}
}
