package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/workshop"
)

var (
	exerciseNumber = regexp.MustCompile(`\b[1-8]\.[0-9]{1,2}\b`)
	releaseNumber  = regexp.MustCompile(`(Go |v)[0-9]+\.[0-9]+`)
	minutesRow     = regexp.MustCompile(`(?m)^\| ([0-9]+) \|`)
)

// TestLeadersPages checks the page for leaders in both languages. The numbers of
// exercises and of hours must be right. The exercises that the page names must exist, and
// must be the same in both languages. The plan for two hours must take two hours.
func TestLeadersPages(t *testing.T) {
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	all, live, minutes := course.Exercises(), 0, 0
	for _, e := range all {
		minutes += e.Minutes
		if e.Live() {
			live++
		}
	}
	counts := map[string]string{
		"en": fmt.Sprintf("(%d of %d)", live, len(all)),
		"zh": fmt.Sprintf("（%d 个中的 %d 个）", len(all), live),
	}
	hour := minutes / 60
	hours := map[string]string{
		"en": fmt.Sprintf("more than %s hours in all", []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}[hour]),
		"zh": fmt.Sprintf("全部要%c个多小时", []rune("零一二三四五六七八九")[hour]),
	}
	named := map[string][]string{}
	for _, lang := range output.Languages {
		text, err := lessons.Page("leaders", lang)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, counts[lang]) {
			t.Errorf("%s: the page does not say %q", lang, counts[lang])
		}
		if !strings.Contains(text, hours[lang]) {
			t.Errorf("%s: the exercises take %d minutes, but the page does not say %q", lang, minutes, hours[lang])
		}
		named[lang] = exerciseNumber.FindAllString(releaseNumber.ReplaceAllString(text, ""), -1)
		for _, number := range named[lang] {
			if _, err := course.Find(number); err != nil {
				t.Errorf("%s: %v", lang, err)
			}
		}
		total := 0
		for _, row := range minutesRow.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(row[1])
			total += n
		}
		if total != 120 {
			t.Errorf("%s: the plan for two hours takes %d minutes, expected 120", lang, total)
		}
	}
	if !slices.Equal(named["en"], named["zh"]) {
		t.Errorf("the languages name different exercises: %q and %q", named["en"], named["zh"])
	}
}
