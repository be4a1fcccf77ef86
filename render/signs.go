package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// signs explains a drawing by parts of a real one, "apitrace show get-node", each with what it means.
var signs = []struct {
	drawn string
	means message.Text
}{
	{"── 4 Authorization ──────────", message.Text{
		En: "A section: what happens in one layer of the server. Sections are numbered in the order in which the request comes to them.",
		Zh: "一节：服务器某一层中发生的事。各节按请求到达的先后编号。"}},
	{"        RBAC allows it by ClusterRoleBinding \"learner-reads-nodes\" ...", message.Text{
		En: "What was decided there; or, if nothing was, what the first step is there for.",
		Zh: "在此作出的决定；如果没有，则说明第一步的作用。"}},
	{"        called by flowcontrol.(*configController).Handle in 3, indirectly", message.Text{
		En: "Who called the first step: a step of section 3, by way of calls that are folded.",
		Zh: "第一步由谁调用：第 3 节中的一步，中间经过被折叠的调用。"}},
	{" 1.02ms endpoints/filters.withAuthorization.func1\n        │  filters/authorization.go:61 ⋯15", message.Text{
		En: "A step: its time with all that it called, the function, where that is declared, and ⋯15: 15 calls made there are folded.",
		Zh: "一步：耗时（含其全部调用）、函数、声明位置，以及 ⋯15：此处另有 15 次调用被折叠。"}},
	{" 1.87µs ├─ endpoints/filters.GetAuthorizerAttributes", message.Text{
		En: "Called by the step that it is indented under, directly.", Zh: "由其上一级缩进的步骤直接调用。"}},
	{" 43.4µs ├┄ authorization/union.unionAuthzHandler.Authorize", message.Text{
		En: "Called by it through folded calls.", Zh: "经由被折叠的调用间接调用。"}},
	{"        │  │  decision=Allow", message.Text{
		En: "A value that was recorded in the call, unless a sentence has it; bold, if the request was decided by it.",
		Zh: "调用中记录的值（已在句子中说明的除外）；决定请求结果的值为粗体。"}},
	{"  960µs └┄ server.director.ServeHTTP ▸ 5 Routing", message.Text{
		En: "This call enters another layer: section 5 begins with it.", Zh: "此调用进入另一层：第 5 节由它开始。"}},
	{"  165µs └┄ admission plugin ×20", message.Text{
		En: "20 calls in a row, drawn as one.", Zh: "连续 20 次调用，合并为一行。"}},
	{" 1.04µs ✗ error born here", message.Text{
		En: "What a call did to the error with which the request failed.", Zh: "该调用对导致请求失败的错误做了什么。"}},
}

// WriteSigns explains the signs of a tree on one screen.
func WriteSigns(w io.Writer, o Options) error {
	p := newPen(&o)
	out := bufio.NewWriter(w)
	for _, sign := range signs {
		drawn := sign.drawn
		if o.ASCII {
			drawn = strings.NewReplacer("─", "-", "├", "+", "└", "`", "│", "|", "┄", ".", "⋯", "..", "▸", ">", "×", "x", "✗", "!", "µ", "u").Replace(drawn)
		}
		for line := range strings.SplitSeq(drawn, "\n") {
			out.WriteString(p.Key.Render(p.fit(line, p.width)) + "\n")
		}
		for _, line := range wrap(sign.means.In(o.Lang), p.width-4) {
			out.WriteString("    " + p.Facts.Render(line) + "\n")
		}
	}
	return out.Flush()
}
