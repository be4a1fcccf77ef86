package program

import (
	"os"
	"path/filepath"
	"testing"
)

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEdits(t *testing.T) {
	vendor := t.TempDir()
	writeText(t, filepath.Join(vendor, "example.com/p/p.go"), "package p\n")
	edits := Edits{Dir: filepath.Join(t.TempDir(), "edits"), Version: "v1.37.1"}

	edit, err := edits.Add("prog", vendor, "example.com/p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := edits.Changed("prog"); err != nil || EditsKey(changed) != "" {
		t.Errorf("Changed with an unchanged copy: got %v, %v, expected no edits", changed, err)
	}
	writeText(t, edit.Path, "package p // mine\n")
	changed, err := edits.Changed("prog")
	if err != nil || len(changed) != 1 || changed[0].Name != "example.com/p/p.go" || string(changed[0].Original) != "package p\n" {
		t.Fatalf("Changed: got %v, %v, expected the edit of p.go with upstream's text", changed, err)
	}
	if again, err := edits.Add("prog", vendor, "example.com/p/p.go"); err != nil || string(again.Text) != "package p // mine\n" {
		t.Errorf("a second Add: got the text %q, %v, expected the edited text", again.Text, err)
	}
	for _, other := range []Edits{{Dir: edits.Dir, Version: "v1.30.4"}, {}} {
		if changed, err := other.Changed("prog"); err != nil || len(changed) > 0 {
			t.Errorf("Changed of %+v: got %v, %v, expected no edits", other, changed, err)
		}
	}
	key := EditsKey(changed)
	writeText(t, edit.Path, "package p // mine, too\n")
	if changed, _ = edits.Changed("prog"); EditsKey(changed) == key || key == "" {
		t.Errorf("another text has the same key %q, or the key is empty", key)
	}

	if err := edits.Revert(edit); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(edits.Dir); err != nil || len(left) > 0 {
		t.Errorf("after Revert, the folder of edits has %v (error %v), expected nothing", left, err)
	}
}

func TestAddEditOfNothing(t *testing.T) {
	edits := Edits{Dir: t.TempDir(), Version: "v1.37.1"}
	if _, err := edits.Add("prog", t.TempDir(), "p/none.go"); err == nil {
		t.Error("adding a file that upstream does not have: got no error, expected one")
	}
}

func TestStateDir(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	for _, c := range []struct{ own, xdg, want string }{
		{"", "", "/home/somebody/.local/state/apitrace"},
		{"", "/state", "/state/apitrace"},
		{"", "relative", "/home/somebody/.local/state/apitrace"},
		{"/mine", "/state", "/mine"},
	} {
		t.Setenv(StateEnv, c.own)
		t.Setenv("XDG_STATE_HOME", c.xdg)
		if got, err := StateDir(); err != nil || got != c.want {
			t.Errorf("StateDir with %s=%q and XDG_STATE_HOME=%q: got %q, %v; expected %q", StateEnv, c.own, c.xdg, got, err, c.want)
		}
	}
}

func TestEditLines(t *testing.T) {
	for _, test := range []struct {
		original, text string
		added, removed int
	}{
		{"a\nb\n", "a\nb\n", 0, 0},
		{"a\nb\nc\n", "a\nx\ny\nc\n", 2, 1},
		{"a\nb\n", "b\na\n", 1, 1}, // a moved line counts as added and removed
		{"", "a\n", 1, 0},
	} {
		e := Edit{Original: []byte(test.original), Text: []byte(test.text)}
		if added, removed := e.Lines(); added != test.added || removed != test.removed {
			t.Errorf("%q to %q: +%d -%d, expected +%d -%d", test.original, test.text, added, removed, test.added, test.removed)
		}
	}
}
