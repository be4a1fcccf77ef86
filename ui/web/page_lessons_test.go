package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowLessonsAreAccessible checks each lesson
// with axe: wide in English and narrow in Chinese.
func TestSlowLessonsAreAccessible(t *testing.T) {
	testenv.Slow(t)
	server := served(t)
	for _, test := range []struct {
		lang  string
		width int64
	}{{"en", 1280}, {"zh", 400}} {
		t.Run(test.lang, func(t *testing.T) {
			b := open(t, server, "#/lessons", test.width)
			b.is("document.querySelectorAll('.lessons-of a').length > 5")
			if test.lang == "zh" {
				js[any](b, "document.querySelector('.language').click()")
				b.is("document.documentElement.lang === 'zh'")
			}
			for _, name := range lessons.Names() {
				source, err := lessons.Page(name, test.lang)
				if err != nil {
					t.Fatal(err)
				}
				title, _, _ := strings.Cut(strings.TrimPrefix(source, "# "), "\n")
				b.goTo(fmt.Sprintf("#/lessons/%s", name))
				b.is(fmt.Sprintf("document.querySelector('.lesson .prose h1')?.textContent === %q", strings.ReplaceAll(title, "`", "")))
				b.accessible()
				if js[bool](b, "document.documentElement.scrollWidth > innerWidth") {
					t.Errorf("%s is wider than the screen", name)
				}
			}
		})
	}
}
