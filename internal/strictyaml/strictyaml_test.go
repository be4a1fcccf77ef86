package strictyaml

import (
	"errors"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

type menu struct {
	Name   string `yaml:"name"`
	Dishes []dish `yaml:"dishes"`
	Prices `yaml:",inline"`
	Drink  drink `yaml:"drink"`
}

type dish struct {
	Title string         `yaml:"title"`
	Of    map[string]int `yaml:"of"`
}

type Prices struct {
	Currency string `yaml:"currency"`
}

// A drink has an UnmarshalYAML method.
type drink struct {
	Kind string `yaml:"kind"`
}

func (d *drink) UnmarshalYAML(node *yaml.Node) error {
	type plain drink
	return DecodeMapping(node, (*plain)(d))
}

func TestDecode(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"good", "name: a\ncurrency: EUR\ndishes:\n  - title: soup\n    of: {x: 1}\ndrink: {kind: tea}\n", ""},
		{"empty", "# nothing\n", "menu.yaml:1: the file is empty"},
		{"two documents", "name: a\n---\nname: b\n", "menu.yaml:2: more than one YAML document"},
		{"damaged second document", "name: a\n---\n{", "menu.yaml:3: did not find expected node content"},
		{"no YAML", "name: {a\n", "menu.yaml:1: did not find expected ',' or '}'"},
		{"wrong type", "name: a\ndishes: 5\n", "menu.yaml:2: found \"5\", expected a list"},
		{"text for a number", "dishes:\n- of: {x: many}\n", `menu.yaml:2: found "many", expected a whole number`},
		{"list for a text", "name: [a]\n", `menu.yaml:1: found a list, expected a text`},
		{"text for fields", "dishes: [soup]\n", `menu.yaml:1: found "soup", expected one or more of the fields title, of`},
		{"a misspelled field", "nane: a\n", `menu.yaml:1: unknown field "nane": did you mean "name"?`},
		{"a misspelled inlined field", "Curency: a\n", `menu.yaml:1: unknown field "Curency": did you mean "currency"?`},
		{"a misspelled nested field", "dishes:\n- titel: a\n", `menu.yaml:2: unknown field "titel": did you mean "title"?`},
		{"no similar field", "dishes:\n- soup: a\n", `menu.yaml:2: unknown field "soup", expected one of title, of`},
		{"a comma in a text", "dishes:\n- {title: soup, then stew, of: {}}\n", `menu.yaml:2: unknown field "then stew", because a comma ends a text without quotes: did you mean {title: "soup, then stew"}?`},
		{"two commas in a text", "dishes: [{title: soup, stew, pie}]\n", `menu.yaml:1: unknown field "stew", because a comma ends a text without quotes: did you mean {title: "soup, stew, pie"}?`},
		{"a field of two words", "dishes:\n- two words: a\n", `menu.yaml:2: unknown field "two words", expected one of title, of`},
		{"a field without a value", "dishes:\n- {soup}\n", `menu.yaml:2: unknown field "soup", expected one of title, of`},
		{"in a type with UnmarshalYAML", "drink:\n  kinds: tea\n", `menu.yaml:2: unknown field "kinds": did you mean "kind"?`},
		{"the first of several", "a: 1\nb: 2\n", `menu.yaml:1: unknown field "a", expected one of name, dishes, currency, drink`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Decode("menu.yaml", []byte(test.text), &menu{})
			if got := textOf(err); got != test.want {
				t.Errorf("\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
	if err := Decode("a", nil, &menu{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMistakeIn(t *testing.T) {
	const file = "name: a\ndishes:\n  - title: soup\n  -\n    title: stew\n"
	soup, stew := MistakeAt(message.Of("too cold"), "title").Below("dishes", 0), MistakeAt(message.Of("too hot"), "dishes", 1, "title")
	for _, test := range []struct {
		name    string
		mistake *Mistake
		want    string
	}{
		{"none", nil, ""},
		{"below none", First(nil, (*Mistake)(nil).Below("dishes")), ""},
		{"value", stew, "m:5: too hot"},
		{"the first of two", First(nil, soup, stew), "m:3: too cold"},
		{"missing field", MistakeAt(message.Of("what of?"), "dishes", 1, "of"), "m:5: what of?"},
		{"beyond the list", MistakeAt(message.Of("no third"), "dishes", 2), "m:3: no third"},
		{"the file", MistakeAt(message.Of("bad menu")), "m:1: bad menu"},
	} {
		if got := textOf(test.mistake.In("m", []byte(file))); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := textOf(MistakeAt(message.Of("no name"), "name").In("m", nil)); got != "m:1: no name" {
		t.Errorf("an empty file: got %q, want line 1", got)
	}
}
