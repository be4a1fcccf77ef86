package message

import "testing"

func TestAlternatives(t *testing.T) {
	for want, words := range map[string][]string{"": nil, `"a"`: {"a"}, `"a" or "b"`: {"a", "b"}, `"a", "b" or "c"`: {"a", "b", "c"}} {
		if got := Alternatives(words).String(); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}
