package render

import (
	"fmt"
	"strings"
)

// diffWords are the sentences that tell of changes, in one language. The verbs take:
// 1 the function, 2 its caller, 3 and 4 what was and what is.
type diffWords struct {
	comesBetween, wentBetween, calls, callsNoMore                         string
	moved, renamed, otherFile, repeated, reordered                        string
	timed, value, failsNow, failsNoMore, packageMoved, once, twice, times string
	same, unchanged, smaller, onlyIn, callsFact                           string
	callsOf, oneCall, callsHeading, edited, editions                      string
	was, movedFrom, callsOnlyA, callsOnlyB                                string
	kinds                                                                 map[string]string
	between, colon, layerless                                             string
	// units are those of times.
	units glyphs
}

var diffWordsIn = map[string]diffWords{
	"en": {
		comesBetween: "%[1]s now stands between %[2]s and %[3]s",
		wentBetween:  "%[1]s no longer stands between %[2]s and %[3]s",
		calls:        "%[2]s now calls %[1]s",
		callsNoMore:  "%[2]s no longer calls %[1]s",
		moved:        "%[1]s is now called by %[2]s, no longer by %[3]s",
		renamed:      "%[3]s is now %[4]s",
		otherFile:    "%[1]s is now in %[4]s, was in %[3]s",
		repeated:     "%[2]s calls %[1]s %[4]s, was %[3]s",
		reordered:    "%[1]s has another turn in %[2]s",
		timed:        "%[1]s by itself took %[4]s, was %[3]s",
		value:        "%[2]s of %[1]s is %[4]s, was %[3]s",
		failsNow:     "%[1]s now fails: %[4]s",
		failsNoMore:  "%[1]s no longer fails: %[3]s",
		packageMoved: "%[1]s functions of package %[3]s are now in %[4]s",
		once:         "once", twice: "twice", times: "%d times",
		same:      "the same path",
		unchanged: "Unchanged",
		smaller:   "Smaller changes",
		onlyIn:    "only in %s",
		edited:    "%s is not upstream's program: built with edits of %s",
		editions:  "%s and %s were recorded by editions of apitrace that trace different packages: what one side lacks may only not have been traced there; record both with one apitrace to be sure",
		callsFact: "%s calls %s %s",
		callsOf:   "%d calls",
		oneCall:   "1 call", callsHeading: "calls",
		callsOnlyA: "%s only in {A}",
		callsOnlyB: "%s only in {B}",
		was:        "was",
		movedFrom:  "was called by",
		kinds: map[string]string{"added": "added", "removed": "removed", "moved": "moved", "renamed": "renamed",
			"repeated": "repeated", "reordered": "reordered", "value": "with other values", "timing": "timing only"},
		between: "; ", colon: ": ", layerless: "Elsewhere",
	},
	"zh": {
		comesBetween: "%[1]s 现在位于 %[2]s 和 %[3]s 之间",
		wentBetween:  "%[1]s 不再位于 %[2]s 和 %[3]s 之间",
		calls:        "%[2]s 现在调用 %[1]s",
		callsNoMore:  "%[2]s 不再调用 %[1]s",
		moved:        "%[1]s 现在由 %[2]s 调用，不再由 %[3]s 调用",
		renamed:      "%[3]s 现在是 %[4]s",
		otherFile:    "%[1]s 现在在 %[4]s，原来在 %[3]s",
		repeated:     "%[2]s 调用 %[1]s %[4]s，原来 %[3]s",
		reordered:    "%[1]s 在 %[2]s 中的次序变了",
		timed:        "%[1]s 本身用了 %[4]s，原来是 %[3]s",
		value:        "%[1]s 的 %[2]s 是 %[4]s，原来是 %[3]s",
		failsNow:     "%[1]s 现在失败：%[4]s",
		failsNoMore:  "%[1]s 不再失败：%[3]s",
		packageMoved: "包 %[3]s 的 %[1]s 个函数现在在 %[4]s",
		once:         "1 次", twice: "2 次", times: "%d 次",
		same:      "路径相同",
		unchanged: "没有变化",
		smaller:   "较小的变化",
		onlyIn:    "只在 %s 中",
		edited:    "%s 不是上游的程序：构建时带有对 %s 的修改",
		editions:  "%s 和 %s 由追踪不同包的 apitrace 版本录制：一侧没有的调用可能只是没有被追踪；要确认，请用同一个 apitrace 录制两者",
		callsFact: "%s 次调用 %s %s",
		callsOf:   "%d 次调用",
		oneCall:   "1 次调用", callsHeading: "次调用",
		callsOnlyA: "%s只在 {A} 中",
		callsOnlyB: "%s只在 {B} 中",
		was:        "原来是",
		movedFrom:  "原来的调用者",
		kinds: map[string]string{"added": "新增", "removed": "去掉", "moved": "移动", "renamed": "改名",
			"repeated": "次数不同", "reordered": "次序不同", "value": "取值不同", "timing": "只有用时不同"},
		between: "；", colon: "：", layerless: "其他",
	},
}

// scenarioWords are the sentences for two scenarios on one release, where nothing changed
// with time: {A} and {B} are their names.
var scenarioWords = map[string]diffWords{
	"en": {
		comesBetween: "in {B} %[1]s stands between %[2]s and %[3]s",
		wentBetween:  "in {A} %[1]s stands between %[2]s and %[3]s",
		calls:        "in {B} %[2]s calls %[1]s",
		callsNoMore:  "in {A} %[2]s calls %[1]s",
		moved:        "%[1]s is called by %[3]s in {A}, by %[2]s in {B}",
		repeated:     "%[2]s calls %[1]s %[3]s in {A}, %[4]s in {B}",
		timed:        "%[1]s by itself took %[3]s in {A}, %[4]s in {B}",
		value:        "%[2]s of %[1]s is %[3]s in {A}, %[4]s in {B}",
		failsNow:     "%[1]s fails in {B}: %[4]s",
		failsNoMore:  "%[1]s fails in {A}: %[3]s",
	},
	"zh": {
		comesBetween: "在 {B} 中，%[1]s 位于 %[2]s 和 %[3]s 之间",
		wentBetween:  "在 {A} 中，%[1]s 位于 %[2]s 和 %[3]s 之间",
		calls:        "在 {B} 中，%[2]s 调用 %[1]s",
		callsNoMore:  "在 {A} 中，%[2]s 调用 %[1]s",
		moved:        "%[1]s 在 {A} 中由 %[3]s 调用，在 {B} 中由 %[2]s 调用",
		repeated:     "%[2]s 在 {A} 中调用 %[1]s %[3]s，在 {B} 中 %[4]s",
		timed:        "%[1]s 本身在 {A} 中用了 %[3]s，在 {B} 中用了 %[4]s",
		value:        "%[1]s 的 %[2]s 在 {A} 中是 %[3]s，在 {B} 中是 %[4]s",
		failsNow:     "%[1]s 在 {B} 中失败：%[4]s",
		failsNoMore:  "%[1]s 在 {A} 中失败：%[3]s",
	},
}

// diffWordsFor returns the words of a language, the English ones if it is unknown: of
// scenarios of those names if they are on one release, else of one request on two.
func diffWordsFor(lang string, scenarios bool, nameA, nameB string) diffWords {
	if _, ok := diffWordsIn[lang]; !ok {
		lang = "en"
	}
	w, s := diffWordsIn[lang], scenarioWords[lang]
	if !scenarios {
		s = w
	}
	names := strings.NewReplacer("{A}", strings.ReplaceAll(nameA, "%", "%%"), "{B}", strings.ReplaceAll(nameB, "%", "%%"))
	for _, p := range []struct {
		to   *string
		from string
	}{
		{&w.comesBetween, s.comesBetween}, {&w.wentBetween, s.wentBetween}, {&w.calls, s.calls}, {&w.callsNoMore, s.callsNoMore},
		{&w.moved, s.moved}, {&w.repeated, s.repeated}, {&w.timed, s.timed}, {&w.value, s.value}, {&w.failsNow, s.failsNow}, {&w.failsNoMore, s.failsNoMore},
		{&w.callsOnlyA, w.callsOnlyA}, {&w.callsOnlyB, w.callsOnlyB},
	} {
		*p.to = names.Replace(p.from)
	}
	return w
}

// onlyOnSide says how many calls one side alone has.
func (w *diffWords) onlyOnSide(format string, n int) string {
	calls := fmt.Sprintf(w.callsOf, n)
	if n == 1 {
		calls = w.oneCall
	}
	return fmt.Sprintf(format, calls)
}

// count says how often, in words.
func (w *diffWords) count(n int) string {
	switch n {
	case 1:
		return w.once
	case 2:
		return w.twice
	}
	return fmt.Sprintf(w.times, n)
}
