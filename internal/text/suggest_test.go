package text

import (
	"slices"
	"testing"
)

func TestTypo(t *testing.T) {
	known := []string{"watch", "Labels", "validating", "admission", "get"}
	for word, want := range map[string]string{
		"wacth": "watch", "WATSCH": "watch", "wach": "watch", "lables": "Labels", "validatig": "validating", "vladiatig": "",
		"admisssoin": "admission", "gte": "", "watch": "watch", "water": "",
	} {
		if got := Typo(word, known); got != want {
			t.Errorf("Typo(%q) = %q, expected %q", word, got, want)
		}
	}
}

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
