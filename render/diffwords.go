package render

import (
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// diffWords are the sentences that tell of changes, in one language.
type diffWords struct {
	// scenarios is set for two scenarios on one release, where nothing changed with time.
	scenarios bool
	// nameA and nameB are what the sides are called.
	nameA, nameB string

	// Of a call that one side alone has: 1 the function, 2 its caller, 3 what lies in between, 4 the
	// side that has it.
	calls, callsNoMore, leads, leadsNoMore            string
	callsIn, leadsIn, callsOnly, leadsOnly            string
	comesBetween, wentBetween, betweenIn, betweenOnly string // 3 the call below it
	// 4 the side without a span, 5 the reason.
	callsNoSpan, leadsNoSpan, betweenNoSpan string
	otherPlace                              string // 3 the package, 4 the side
	replaced                                string // 1 what took the place, 2 of what, 3 its caller, 4 the call below it
	through, inProgram, reached             string
	isNew, isGone                           string
	gateOn, gateOff                         string
	spanless                                map[recordings.Spanless]string

	// 1 the function, 2 its caller, 3 the caller of A, 4 and 5 the sides.
	moved, movedIn, runsBelow string
	// 1 what was, 2 what is; of takesPlace the other way round.
	renamed, takesPlace string
	// 1 the function, then what was and what is.
	otherFile, timed, failsNow, failsNoMore string
	// 1 the function, 2 its caller or the value, 3 and 4 what was and what is.
	repeated, repeatedBelow, reordered, value string

	packageMoved, once, twice, times          string
	same, unchanged, smaller, onlyIn          string
	callsFact, callsOf, oneCall, callsHeading string
	edited, editions                          string
	was, movedFrom, callsOnlyA, callsOnlyB    string
	kinds                                     map[string]string
	notRecorded                               string
	between, colon, layerless                 string
	// units are those of times.
	units glyphs
}

var diffWordsIn = map[string]diffWords{
	"en": {
		calls:         "%[2]s now calls %[1]s",
		callsNoMore:   "%[2]s no longer calls %[1]s",
		leads:         "%[2]s now leads to %[1]s%[3]s",
		leadsNoMore:   "%[2]s no longer leads to %[1]s%[3]s",
		callsIn:       "in %[4]s %[2]s calls %[1]s",
		leadsIn:       "in %[4]s %[2]s leads to %[1]s%[3]s",
		callsOnly:     "here %[2]s calls %[1]s only in %[4]s, and its source does in both",
		leadsOnly:     "here %[2]s leads to %[1]s%[3]s only in %[4]s, by a call that its source has in both",
		comesBetween:  "%[1]s now stands between %[2]s and %[3]s",
		wentBetween:   "%[1]s no longer stands between %[2]s and %[3]s",
		betweenIn:     "in %[4]s %[1]s stands between %[2]s and %[3]s",
		betweenOnly:   "%[1]s stands between %[2]s and %[3]s only in %[4]s, and the call is in the source of both",
		callsNoSpan:   "%[2]s calls %[1]s in both, and in %[4]s it has no span: %[5]s",
		leadsNoSpan:   "%[2]s leads to %[1]s%[3]s, which in %[4]s has no span: %[5]s",
		betweenNoSpan: "%[1]s, between %[2]s and %[3]s, has no span in %[4]s: %[5]s",
		otherPlace:    "%[2]s calls %[1]s in %[4]s, too, in a package that is not traced: %[3]s",
		replaced:      "%[1]s takes the place of %[2]s between %[3]s and %[4]s",
		through:       " through %s",
		reached:       ", reached%s",
		inProgram:     " in %s",
		isNew:         ", new in the source",
		isGone:        ", gone from the source",
		gateOn:        ": feature gate %s is on by default since %s",
		gateOff:       ": feature gate %s is off by default since %s",
		moved:         "%[1]s is now called by %[2]s, no longer by %[3]s",
		movedIn:       "%[1]s is called by %[3]s in %[4]s, by %[2]s in %[5]s",
		runsBelow:     "%[1]s runs below %[3]s in %[4]s, below %[2]s in %[5]s",
		renamed:       "%[1]s is now %[2]s",
		takesPlace:    "%[1]s takes the place of %[2]s",
		otherFile:     "%[1]s is now in %[3]s, was in %[2]s",
		repeated:      "%[2]s calls %[1]s %[4]s, was %[3]s",
		repeatedBelow: "%[1]s runs %[4]s below %[2]s, was %[3]s",
		reordered:     "%[1]s has another turn in %[2]s",
		timed:         "%[1]s by itself took %[3]s, was %[2]s",
		value:         "%[2]s of %[1]s is %[4]s, was %[3]s",
		failsNow:      "%[1]s now fails: %[2]s",
		failsNoMore:   "%[1]s no longer fails: %[2]s",
		packageMoved:  "%[1]s functions of package %[2]s are now in %[3]s",
		once:          "once", twice: "twice", times: "%d times",
		same:      "the same path",
		unchanged: "Unchanged",
		smaller:   "Smaller changes",
		onlyIn:    "only in %s",
		edited:    "%s is not upstream's program: built with edits of %s",
		editions:  "%s and %s were recorded by editions of apitrace that trace different packages: what one side lacks may only not have been traced there; record both with one apitrace to be sure",
		callsFact: "%s calls %s %s",
		callsOf:   "%d calls",
		oneCall:   "1 call", callsHeading: "calls",
		callsOnlyA:  "%s only in {A}",
		callsOnlyB:  "%s only in {B}",
		was:         "was",
		movedFrom:   "was called by",
		notRecorded: "not recorded",
		kinds: map[string]string{"added": "added", "removed": "removed", "moved": "moved", "renamed": "renamed",
			"repeated": "repeated", "reordered": "reordered", "value": "with other values", "timing": "timing only"},
		between: "; ", colon: ": ", layerless: "Elsewhere",
	},
	"zh": {
		calls:         "%[2]s 现在调用 %[1]s",
		callsNoMore:   "%[2]s 不再调用 %[1]s",
		leads:         "%[2]s 现在%[3]s通向 %[1]s",
		leadsNoMore:   "%[2]s 不再%[3]s通向 %[1]s",
		callsIn:       "在 %[4]s 中，%[2]s 调用 %[1]s",
		leadsIn:       "在 %[4]s 中，%[2]s %[3]s通向 %[1]s",
		callsOnly:     "%[2]s 在这里只在 %[4]s 中调用 %[1]s，两侧源码中都有此调用",
		leadsOnly:     "%[2]s 在这里只在 %[4]s 中%[3]s通向 %[1]s，两侧源码中都有所经的调用",
		comesBetween:  "%[1]s 现在位于 %[2]s 和 %[3]s 之间",
		wentBetween:   "%[1]s 不再位于 %[2]s 和 %[3]s 之间",
		betweenIn:     "在 %[4]s 中，%[1]s 位于 %[2]s 和 %[3]s 之间",
		betweenOnly:   "%[1]s 只在 %[4]s 中位于 %[2]s 和 %[3]s 之间，两侧源码中都有此调用",
		callsNoSpan:   "%[2]s 在两个版本中都调用 %[1]s，但它在 %[4]s 中没有 span：%[5]s",
		leadsNoSpan:   "%[2]s %[3]s通向 %[1]s，它在 %[4]s 中没有 span：%[5]s",
		betweenNoSpan: "%[1]s 位于 %[2]s 和 %[3]s 之间，在 %[4]s 中没有 span：%[5]s",
		otherPlace:    "%[2]s 在 %[4]s 中也调用 %[1]s，它所在的包没有被追踪：%[3]s",
		replaced:      "%[1]s 取代 %[2]s，位于 %[3]s 和 %[4]s 之间",
		through:       "经由 %s ",
		reached:       "，%s到达",
		inProgram:     "在 %s 中",
		isNew:         "，这是源码中新增的",
		isGone:        "，它已从源码中删除",
		gateOn:        "：特性门控 %s 从 %s 起默认开启",
		gateOff:       "：特性门控 %s 从 %s 起默认关闭",
		moved:         "%[1]s 现在由 %[2]s 调用，不再由 %[3]s 调用",
		movedIn:       "%[1]s 在 %[4]s 中由 %[3]s 调用，在 %[5]s 中由 %[2]s 调用",
		runsBelow:     "%[1]s 在 %[4]s 中位于 %[3]s 之下，在 %[5]s 中位于 %[2]s 之下",
		renamed:       "%[1]s 现在是 %[2]s",
		takesPlace:    "%[1]s 取代 %[2]s",
		otherFile:     "%[1]s 现在在 %[3]s，原来在 %[2]s",
		repeated:      "%[2]s 调用 %[1]s %[4]s，原来 %[3]s",
		repeatedBelow: "%[1]s 在 %[2]s 之下运行 %[4]s，原来 %[3]s",
		reordered:     "%[1]s 在 %[2]s 中的次序变了",
		timed:         "%[1]s 本身用了 %[3]s，原来是 %[2]s",
		value:         "%[1]s 的 %[2]s 是 %[4]s，原来是 %[3]s",
		failsNow:      "%[1]s 现在失败：%[2]s",
		failsNoMore:   "%[1]s 不再失败：%[2]s",
		packageMoved:  "包 %[2]s 的 %[1]s 个函数现在在 %[3]s",
		once:          "1 次", twice: "2 次", times: "%d 次",
		same:      "路径相同",
		unchanged: "没有变化",
		smaller:   "较小的变化",
		onlyIn:    "只在 %s 中",
		edited:    "%s 不是上游的程序：构建时带有对 %s 的修改",
		editions:  "%s 和 %s 由追踪不同包的 apitrace 版本录制：一侧没有的调用可能只是没有被追踪；要确认，请用同一个 apitrace 录制两者",
		callsFact: "%s 次调用 %s %s",
		callsOf:   "%d 次调用",
		oneCall:   "1 次调用", callsHeading: "次调用",
		callsOnlyA:  "%s只在 {A} 中",
		callsOnlyB:  "%s只在 {B} 中",
		was:         "原来是",
		movedFrom:   "原来的调用者",
		notRecorded: "没有录制",
		kinds: map[string]string{"added": "新增", "removed": "去掉", "moved": "移动", "renamed": "改名",
			"repeated": "次数不同", "reordered": "次序不同", "value": "取值不同", "timing": "只有用时不同"},
		between: "；", colon: "：", layerless: "其他",
	},
}

// scenarioWords are the sentences for two scenarios on one release: {A} and {B} are their names.
var scenarioWords = map[string]diffWords{
	"en": {
		repeated:      "%[2]s calls %[1]s %[3]s in {A}, %[4]s in {B}",
		repeatedBelow: "%[1]s runs %[3]s below %[2]s in {A}, %[4]s in {B}",
		timed:         "%[1]s by itself took %[2]s in {A}, %[3]s in {B}",
		value:         "%[2]s of %[1]s is %[3]s in {A}, %[4]s in {B}",
		failsNow:      "%[1]s fails in {B}: %[2]s",
		failsNoMore:   "%[1]s fails in {A}: %[2]s",
	},
	"zh": {
		repeated:      "%[2]s 在 {A} 中调用 %[1]s %[3]s，在 {B} 中 %[4]s",
		repeatedBelow: "%[1]s 在 %[2]s 之下运行，在 {A} 中 %[3]s，在 {B} 中 %[4]s",
		timed:         "%[1]s 本身在 {A} 中用了 %[2]s，在 {B} 中用了 %[3]s",
		value:         "%[1]s 的 %[2]s 在 {A} 中是 %[3]s，在 {B} 中是 %[4]s",
		failsNow:      "%[1]s 在 {B} 中失败：%[2]s",
		failsNoMore:   "%[1]s 在 {A} 中失败：%[2]s",
	},
}

// diffWordsFor returns the words of a language, the English ones if it is unknown: of
// scenarios of those names if they are on one release, else of one request on two.
func diffWordsFor(lang string, scenarios bool, nameA, nameB string) diffWords {
	if _, ok := diffWordsIn[lang]; !ok {
		lang = "en"
	}
	w, s := diffWordsIn[lang], scenarioWords[lang]
	w.scenarios, w.nameA, w.nameB, w.spanless = scenarios, nameA, nameB, spanlessIn[lang]
	if !scenarios {
		s = w
	}
	names := strings.NewReplacer("{A}", strings.ReplaceAll(nameA, "%", "%%"), "{B}", strings.ReplaceAll(nameB, "%", "%%"))
	for _, p := range []struct {
		to   *string
		from string
	}{
		{&w.repeated, s.repeated}, {&w.repeatedBelow, s.repeatedBelow}, {&w.timed, s.timed}, {&w.value, s.value},
		{&w.failsNow, s.failsNow}, {&w.failsNoMore, s.failsNoMore}, {&w.callsOnlyA, w.callsOnlyA}, {&w.callsOnlyB, w.callsOnlyB},
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
