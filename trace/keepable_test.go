package trace

import "testing"

func TestKeepable(t *testing.T) {
	for _, test := range []struct{ in, path, text string }{
		{"/api?x=é\u202e", "/api?x=é\u202e", "/api?x=é\u202e"},
		{"/api?x=\u009b1m\x1b\x7f", "/api?x=%C2%9B1m%1B%7F", "/api?x=\u009b1m\x1b\x7f"},
		{"/a\xff\xfeb\ufffd", "/a%FF%FEb\ufffd", `/a\xff\xfeb` + "\ufffd"},
		{"", "", ""},
	} {
		if got := KeepablePath(test.in); got != test.path {
			t.Errorf("KeepablePath(%q) = %q, expected %q", test.in, got, test.path)
		}
		if got := KeepableText(test.in); got != test.text {
			t.Errorf("KeepableText(%q) = %q, expected %q", test.in, got, test.text)
		}
	}
}
