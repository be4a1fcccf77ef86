package message

import (
	"fmt"
	"os"
	"testing"
)

// TestErrorsOfFilesInChinese checks that the operation of a file error is translated, also
// inside other errors. An unknown operation stays as it is.
func TestErrorsOfFilesInChinese(t *testing.T) {
	_, missing := os.Open("no/such.file")
	for err, want := range map[error]string{
		missing:                                "打开 no/such.file：没有该文件或文件夹",
		fmt.Errorf("x: %w", missing):           "x: 打开 no/such.file：没有该文件或文件夹",
		Errorf("reading %s: %w", "x", missing): "读取 x：打开 no/such.file：没有该文件或文件夹",
		&os.PathError{Op: "fly", Path: "x", Err: os.ErrNotExist}: "fly x: file does not exist",
	} {
		if got := For("zh").Error(err); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}

func TestAlternatives(t *testing.T) {
	for want, words := range map[string][]string{"": nil, `"a"`: {"a"}, `"a" or "b"`: {"a", "b"}, `"a", "b" or "c"`: {"a", "b", "c"}} {
		if got := Alternatives(words).String(); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}

func TestListsInTheirLanguage(t *testing.T) {
	for _, items := range []Message{List([]string{"a", "b", "c"}), List([]Message{Of("a"), Of("b"), Of("c")})} {
		if en, zh := items.In("en"), items.In("zh"); en != "a, b, c" || zh != "a、b、c" {
			t.Errorf("got %s and %s, expected \"a, b, c\" and \"a、b、c\"", en, zh)
		}
	}
	if none, one := List([]string{}), List([]string{"a"}); !none.IsZero() || one.In("zh") != "a" {
		t.Errorf("List returned %q for no items and %q for one item, expected \"\" and \"a\"", none, one)
	}
	if got := Errorf("expected %s", Alternatives([]string{"a", "b", "c"})); For("zh").Error(got) != `应给出"a"、"b" 或 "c"` {
		t.Errorf("an error with Alternatives in Chinese is %s, expected quoted words that are joined in Chinese", For("zh").Error(got))
	}
	if en, zh := (Printer{}).Clauses("x", "y"), For("zh").Clauses("x", "y"); en != "x, y" || zh != "x，y" {
		t.Errorf("Clauses returned %s and %s, expected \"x, y\" and \"x，y\"", en, zh)
	}
}

func TestChineseHasNoBlanksOfEnglish(t *testing.T) {
	zh := For("zh")
	for want, operand := range map[string]string{"身份 admin": "admin", "身份某": "某", "身份（某）": "（某）", "身份  某": " 某", "身份 → 某": "→ 某", "身份（一）x": "（一） x"} {
		if got := zh.Sprintf("as %s", operand); got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}

func TestText(t *testing.T) {
	zh := For("zh")
	for english, want := range map[string]string{
		"explain each key step in the tree":                                    "在调用树中说明每个关键步骤",
		"version of Kubernetes (default: the version of --trace, else v1.2.3)": "Kubernetes 的版本（默认：--trace 的版本，否则 v1.2.3）",
		"nobody says this": "nobody says this",
	} {
		if got := zh.Text(english, "/registry", "v1.2.3"); got != want {
			t.Errorf("%q is %q in Chinese, expected %q", english, got, want)
		}
		if got := (Printer{}).Text(english, "v1.2.3"); got != english {
			t.Errorf("%q is %q in English, expected the same text", english, got)
		}
	}
}
