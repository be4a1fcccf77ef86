package explain

import "fmt"

// words are the labels of a page in one language.
type words struct {
	layer, none, place, program, source string
	calledBy, calls, valuesSeen, failed string
	more, noRecording                   string

	seenIn    func(requests, scenarios, recordings int) string
	took      func(calls int, all, own string) string
	notCalled func(recordings int) string
}

func wordsIn(lang string) words {
	if lang == "zh" {
		return chinese
	}
	return english
}

var english = words{
	layer: "layer", none: "none", place: "place", program: "program", source: "source",
	calledBy: "called by", calls: "calls", valuesSeen: "values", failed: "error",
	more: "and %d more", noRecording: "No recording of this version is at hand to see who calls it. Make one:",
	seenIn: func(requests, scenarios, recordings int) string {
		return fmt.Sprintf("in %s of %d of the %s", count(requests, "request"), scenarios, count(recordings, "recorded scenario"))
	},
	took: func(calls int, all, own string) string {
		return fmt.Sprintf("%s, %s, %s of it its own", count(calls, "call"), all, own)
	},
	notCalled: func(recordings int) string {
		return fmt.Sprintf("Not called in the %s at hand.", count(recordings, "recording"))
	},
}

var chinese = words{
	layer: "层", none: "无", place: "位置", program: "程序", source: "源码",
	calledBy: "调用者", calls: "调用", valuesSeen: "取值", failed: "错误",
	more: "还有 %d 个", noRecording: "手头没有此版本的录制，看不到谁调用它。可以录制一个：",
	seenIn: func(requests, scenarios, recordings int) string {
		return fmt.Sprintf("%d 个已录制的场景中，有 %d 个场景的 %d 个请求调用了它", recordings, scenarios, requests)
	},
	took: func(calls int, all, own string) string {
		return fmt.Sprintf("%d 次调用，%s，其中自身 %s", calls, all, own)
	},
	notCalled: func(recordings int) string {
		return fmt.Sprintf("在手头的 %d 个录制中没有被调用。", recordings)
	},
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
