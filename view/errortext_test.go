package view

import (
	"fmt"
	"strings"
	"testing"
)

// cut512 cuts a text as the probe cuts a value.
func cut512(s string) string { return cutTo(s, 512) }

// cutTo cuts a text after limit bytes, as the probe does.
func cutTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:limit], len(s)-limit)
}

func TestSameErrorOfTwoLengths(t *testing.T) {
	long, longer := strings.Repeat("a long name ", 60), strings.Repeat("a long name ", 300)
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"equal":                         {"lost", "lost", true},
		"different":                     {"lost", "found", false},
		"a value and the error":         {cut512(long), long, true},
		"both cut":                      {cut512(longer), cutTo(longer, 2048), true},
		"different ends":                {cut512(long + "x"), long, false},
		"different beginnings":          {cut512("x" + long[1:]), long, false},
		"whole, but it looks cut":       {"lost… (3 bytes more)", "lost", false},
		"a prefix is not the same":      {"lost", "lost and found", false},
		"cut, and whole of that length": {cut512(long), long[:512], false},
	} {
		if got := sameError(test.a, test.b); got != test.want {
			t.Errorf("%s: sameError returned %v, expected the opposite", name, got)
		}
		if got := sameError(test.b, test.a); got != test.want {
			t.Errorf("%s, with exchanged arguments: sameError returned %v, expected the opposite", name, got)
		}
	}
}

func TestIncludesACutError(t *testing.T) {
	long := strings.Repeat("a long name ", 60)
	for name, test := range map[string]struct {
		text, err string
		want      bool
	}{
		"both whole":                  {"put: " + long, long, true},
		"the text is cut":             {cut512("put: " + long), long, true},
		"both cut":                    {cut512("put: " + long), cut512(long), true},
		"an aggregate within":         {cut512("invalid: [a, " + long + "]"), "[a, " + long + "]", true},
		"an aggregate, whole":         {"invalid: a, b", "[a, b]", true},
		"longer than the text":        {cut512("put: " + long), long + long, false},
		"another error":               {cut512("put: " + long), strings.Repeat("x", 600), false},
		"a short overlap at the cut":  {cut512(strings.Repeat("b", 511) + "a and the rest"), "a and more than that, forty bytes in all", false},
		"in the part that is cut off": {cut512(long + "the cause"), "the cause", false},
	} {
		if got := includes(test.text, test.err); got != test.want {
			t.Errorf("%s: includes returned %v, expected the opposite", name, got)
		}
	}
}
