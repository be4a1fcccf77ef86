package workshop

import "testing"

// TestNumberIn checks that numberIn reads numbers as people write them, and rejects texts
// that are not one number.
func TestNumberIn(t *testing.T) {
	for text, want := range map[string]string{
		"2": "2", "2 directors": "2", "2次": "2", "2 个": "2", "两次": "2", "一": "1", "十": "10",
		"": "", "1 2": "", "1 or 2": "", "1.5": "", "-1": "", "two": "", "一二": "", "次": "",
	} {
		if got, ok := numberIn(text); got != want || ok != (want != "") {
			t.Errorf("%q is read as %q, %v, expected %q", text, got, ok, want)
		}
	}
}
