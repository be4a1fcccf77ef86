package session

import (
	"regexp"
	"testing"
)

func TestEdition(t *testing.T) {
	first, err := edition()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("edition %q", first)
	}
	for range 5 { // the guide holds maps
		if again, err := edition(); again != first || err != nil {
			t.Fatalf("edition %q, then %q, %v", first, again, err)
		}
	}
}
