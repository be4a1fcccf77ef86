package text

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"get-node", "get-pods", "list-nodes", "watch", "get-node"}
	for word, want := range map[string][]string{
		"get-nod":  {"get-node", "get-pods"},
		"GET-NODE": {"get-node", "get-pods"},
		"watsch":   {"watch"},
		"xyzzy":    {},
	} {
		if got := Nearest(word, known, 2); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, expected %q", word, got, want)
		}
	}
}
