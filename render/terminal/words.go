package terminal

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

var (
	saysKeys         = message.Text{En: "? keys  / search  1-4 panes  q quit", Zh: "? 按键  / 搜索  1-4 窗格  q 退出"}
	saysHelpKey      = message.Text{En: "? keys", Zh: "? 按键"}
	saysNoMatch      = message.Text{En: "no match for %q", Zh: "没有与 %q 匹配的调用"}
	saysMatches      = message.Text{En: "match %d of %d", Zh: "第 %d 个，共 %d 个匹配"}
	saysFiltered     = message.Text{En: "%d of %d calls match", Zh: "%[2]d 次调用中有 %[1]d 次匹配"}
	saysNone         = message.Text{En: "there is none", Zh: "没有"}
	saysNoSource     = message.Text{En: "The source of %s is not on this machine: %v", Zh: "本机没有 %s 的源码：%v"}
	saysCopied       = message.Text{En: "copied: %s", Zh: "已复制：%s"}
	saysLoading      = message.Text{En: "loading %s", Zh: "正在加载 %s"}
	saysReplaying    = message.Text{En: "replaying %s", Zh: "正在重放 %s"}
	saysComparing    = message.Text{En: "comparing with %s", Zh: "正在与 %s 比较"}
	saysReading      = message.Text{En: "reading the source …", Zh: "正在读取源码 …"}
	saysProgress     = message.Text{En: "%s … %.1f s, esc cancels", Zh: "%s … %.1f 秒，esc 取消"}
	saysCancelled    = message.Text{En: "cancelled", Zh: "已取消"}
	saysSamePath     = message.Text{En: "replayed just now: %d calls, the same path", Zh: "刚刚重放：%d 次调用，路径相同"}
	saysChanges      = message.Text{En: "changes: %d; v: next, |: side by side, esc: back", Zh: "变化：%d 处；v：下一处，|：并排，esc：返回"}
	saysNoPair       = message.Text{En: "the two recordings have no request in common", Zh: "两个录制没有共同的请求"}
	saysNotCompared  = message.Text{En: "nothing is compared: = compares with another release", Zh: "没有进行比较：按 = 与另一版本比较"}
	saysNoSteps      = message.Text{En: "a comparison is not one run: esc leaves it, then step", Zh: "比较不是一次运行：按 esc 离开后再单步"}
	saysShown        = message.Text{En: "shown", Zh: "之前显示"}
	saysNowOf        = message.Text{En: "%s now", Zh: "%s 现在"}
	saysNow          = message.Text{En: "now", Zh: "现在"}
	saysNoValues     = message.Text{En: "The guide records no values of this call.", Zh: "指南没有记录此调用的值。"}
	saysNoNote       = message.Text{En: "The guide has no note on this function.", Zh: "指南没有此函数的说明。"}
	saysCalledAt     = message.Text{En: "called from %s", Zh: "调用位置：%s"}
	saysControlAt    = message.Text{En: "control is at %s", Zh: "执行到：%s"}
	saysStack        = message.Text{En: "Stack", Zh: "调用栈"}
	saysTooSmall     = message.Text{En: "The terminal is too small: at least 40×8.", Zh: "终端太小：至少 40×8。"}
	saysPick         = message.Text{En: "Choose, type to filter, enter, esc", Zh: "选择：输入以过滤，回车确认，esc 取消"}
	saysNotTraced    = message.Text{En: "no trace: %v", Zh: "没有追踪：%v"}
	saysRequests     = message.Text{En: "requests: %d", Zh: "请求：%d 个"}
	saysSomeRequests = message.Text{En: "requests: %d of %d", Zh: "请求：%[2]d 个中的 %[1]d 个"}
	saysSend         = message.Text{En: "Requests that are sent like this appear here:", Zh: "这样发送的请求会出现在这里："}
	saysRequestKeys  = message.Text{En: "enter opens  / filters  ? keys  q ends the recording", Zh: "回车打开  / 过滤  ? 按键  q 结束录制"}
	saysWhen         = message.Text{En: "WHEN", Zh: "时间"}
	saysStatus       = message.Text{En: "STATUS", Zh: "状态"}
	saysCalls        = message.Text{En: "CALLS", Zh: "调用"}
	saysTook         = message.Text{En: "TIME", Zh: "用时"}
	saysRequest      = message.Text{En: "REQUEST", Zh: "请求"}
	saysEntered      = message.Text{En: "%s: entered", Zh: "%s：已进入"}
	saysCallsNext    = message.Text{En: "%s: calls %s next", Zh: "%s：接下来调用 %s"}
	saysReturns      = message.Text{En: "%s: returns next", Zh: "%s：接下来返回"}
	paneTitles       = map[pane]message.Text{
		paneSource: {En: "Source", Zh: "源码"}, paneValues: {En: "Values", Zh: "值"}, paneNotes: {En: "Notes", Zh: "说明"}, paneJSON: {En: "JSON", Zh: "JSON"},
	}
)
