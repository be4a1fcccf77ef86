package funcname

import "testing"

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern  Pattern
		function string
		want     bool
	}{
		{"a/b.F", "a/b.F", true},
		{"a/b.F", "a/b.F.func1", false},
		{"a/b.(*T).M", "a/b.(*T).M", true},
		{"a/b...", "a/b.F", true},
		{"a/b...", "a/b/c.F", true},
		{"a/b...", "a/bc.F", true},
		{"a/b/...", "a/b.F", false},
		{"a/b....", "a/b.F", true},
		{"a/b....", "a/b/c.F", false},
		{"a/....Validate", "a/x.strategy.Validate", true},
		{"a/....Validate", "a/x.strategy.ValidateUpdate", false},
		{"a/....Validate", "a/x/y.Validate", true},
		{"a/...Create...", "a/x.BeforeCreateHook", true},
		{"a/...Create...Hook", "a/x.CreateHook", true},
		{"a.(*L[...]).add", "a.(*L[...]).add", true},
		{"a.(*L[...]).add", "a.(*Lxx).add", false},
		{"a.(*L[...])...", "a.(*L[...]).add.func1", true},
		{"...", "anything", true},
	} {
		if got := test.pattern.Match(test.function); got != test.want {
			t.Errorf("%q matches %q: %v, expected %v", test.pattern, test.function, got, test.want)
		}
	}
	for pattern, exact := range map[Pattern]bool{"a/b.F": true, "a.(*L[...]).add": true, "a/b...": false, "a/b....": false} {
		if pattern.Exact() != exact {
			t.Errorf("%q is exact: %v, expected %v", pattern, !exact, exact)
		}
	}
}

func TestMatchText(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"a", "ab", false},
		{"/registry/pods/...", "/registry/pods/x", true},
		{"/registry/pods/...", "/registry/nodes/x", false},
		{"a...b...c", "a-b-c", true},
		{"a...b...c", "a-c-b", false},
		{"ab...b", "ab", false},
		{"...", "two\nlines", true},
		{"[...]", "[1,2]", true},
	} {
		if got := MatchText(test.pattern, test.text); got != test.want {
			t.Errorf("%q matches %q: %v, expected %v", test.pattern, test.text, got, test.want)
		}
	}
}
