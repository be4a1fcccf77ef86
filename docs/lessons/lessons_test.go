package lessons

import "testing"

// TestLanguages checks that each page exists in both languages.
func TestLanguages(t *testing.T) {
	names := Names()
	if len(names) < 12 {
		t.Errorf("there are %d pages, expected one for each of eleven chapters, and one for leaders: %q", len(names), names)
	}
	for _, name := range names {
		for _, lang := range []string{"en", "zh"} {
			if text, err := Page(name, lang); err != nil || len(text) == 0 {
				t.Errorf("%s in %s: got %d bytes and the error %v, expected a text", name, lang, len(text), err)
			}
		}
	}
}

// TestKinds counts the pages of each kind. Each of eleven chapters of the course has a page.
func TestKinds(t *testing.T) {
	count := map[Kind]int{}
	for _, name := range Names() {
		count[KindOf(name)]++
	}
	if count[Course] != 11 || count[Leaders] != 1 || count[Reference] < 1 || len(count) != len(Kinds()) {
		t.Errorf("got %v, expected 11 course pages, 1 page for leaders, and at least 1 reference page", count)
	}
}
