package render

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render/view"
)

// The sentences of a listing.
var (
	saysOneCall = message.Text{En: "1 call", Zh: "1 次调用"}
	saysCalls   = message.Text{En: "%s calls", Zh: "%s 次调用"}
	saysCallsIn = message.Text{En: "%s in %s", Zh: "%s，用时 %s"}

	saysNoAnswer     = message.Text{En: "no answer", Zh: "没有应答"}
	saysEdited       = message.Text{En: "not upstream's program: built with edits of %s", Zh: "不是上游的程序：构建时修改了 %s"}
	saysIncomplete   = message.Text{En: "incomplete: %s", Zh: "不完整：%s"}
	saysUnfinished   = message.Text{En: "unfinished: the request had not returned when the trace was collected", Zh: "未完成：采集时请求尚未返回"}
	saysStillRunning = message.Text{En: "still running when the trace was collected, as goroutines may be that outlive a request: %s",
		Zh: "采集时仍在运行（goroutine 的寿命可以长于请求，属正常情况）：%s"}

	saysMore    = message.Text{En: "and %d more", Zh: "另有 %d 个"}
	saysRunning = message.Text{En: "still running", Zh: "仍在运行"}
	saysError   = message.Text{En: "error: %s", Zh: "错误：%s"}
	saysPanic   = message.Text{En: "panic: %s", Zh: "panic：%s"}
	saysFailed  = message.Text{En: "failed", Zh: "失败"}
	saysHandled = message.Text{En: "failed, the caller dealt with it", Zh: "失败，调用方已处理"}

	saysKind = map[view.ErrorKind]message.Text{
		view.ErrorBorn:     {En: "error born here", Zh: "错误在此产生"},
		view.ErrorWrapped:  {En: "wrapped", Zh: "被包装"},
		view.ErrorTurned:   {En: "turned into another error", Zh: "被换成另一个错误"},
		view.ErrorDenied:   {En: "denied", Zh: "被拒绝"},
		view.ErrorRefused:  {En: "refused", Zh: "被拒绝"},
		view.ErrorAnswered: {En: "answered", Zh: "作出应答"},
		view.ErrorStatus:   {En: "becomes a Status", Zh: "转为 Status"},
	}
	saysAnswered = message.Text{En: "no error: answered %s in %s, without a Status", Zh: "没有错误：在 %[2]s 中直接应答 %[1]s，没有 Status"}
	saysStatus   = message.Text{En: "Status %s in %s", Zh: "在 %[2]s 中转为 Status %[1]s"}
	saysRefused  = message.Text{En: "refused by admission plugin %s", Zh: "被准入插件 %s 拒绝"}
	saysBorn     = message.Text{En: "error born in %s: %s", Zh: "错误产生于 %s：%s"}
	saysStep     = message.Text{En: "%s in %s: %s", Zh: "%[1]s（%[2]s）：%[3]s"}

	saysStored    = message.Text{En: "stored in etcd: %s", Zh: "存入 etcd：%s"}
	saysRevision  = message.Text{En: "revision %d", Zh: "revision %d"}
	saysDelivered = message.Text{En: "revision %d went out in request %d: %s, %s after the write", Zh: "revision %d 在第 %d 个请求中送出：%s，写入 %s 之后"}

	saysCut            = message.Text{En: "%s calls lie deeper than --depth %d.", Zh: "%s 次调用深于 --depth %d。"}
	saysMatch          = message.Text{En: "%s calls match %s", Zh: "%s 次调用符合 %s"}
	saysNothingMatches = message.Text{En: "%s: none of %s calls matches", Zh: "%s：%s 次调用均不符合"}
	saysNotShown       = message.Text{En: "%s more requests of the recording have no call that matches.", Zh: "录制中另有 %s 个请求没有符合的调用。"}
	saysNoMatch        = message.Text{En: "no call matches %s", Zh: "没有调用符合 %s"}
	saysNoKeySteps     = message.Text{En: "; %s of them are no key steps: --view full", Zh: "；其中 %s 次不是关键步骤：--view full"}
	saysMoreHandled    = message.Text{En: "; %s more had an error that a caller dealt with: --view full", Zh: "；另有 %s 次的错误已由调用方处理：--view full"}
)

func saysCount(lang string, n int) string {
	if n == 1 {
		return saysOneCall.In(lang)
	}
	return saysCalls.Format(lang, thousands(n))
}
