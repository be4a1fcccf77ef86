package output

import (
	"strings"
	"testing"
)

func TestLocaleLanguage(t *testing.T) {
	for _, test := range []struct{ env, want string }{
		{"", "en"},
		{"LANG=zh_CN.UTF-8", "zh"},
		{"LANG=zh_CN.UTF-8 LC_MESSAGES=en_GB.UTF-8", "en"},
		{"LANG=en_GB.UTF-8 LC_MESSAGES=zh_TW", "zh"},
		{"LC_ALL=C LC_MESSAGES=zh_CN LANG=zh_CN", "en"},
		{"LANG=de_DE.UTF-8", "en"},
	} {
		getenv := func(name string) string {
			for _, pair := range strings.Fields(test.env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := localeLanguage(getenv); got != test.want {
			t.Errorf("%q: language %q, want %q", test.env, got, test.want)
		}
	}
}
