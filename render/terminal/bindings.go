package terminal

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// A Binding is what some keys do while the tree has them.
type Binding struct {
	Keys []string
	What message.Text
	do   func(*Model) tea.Cmd
}

// A Group is the bindings of one purpose.
type Group struct {
	Title    message.Text
	Bindings []Binding
}

// act makes what a binding does of a change without a command.
func act(change func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		change(m)
		return nil
	}
}

// Bindings is the table of keys, with those of the list of requests as its last group. Help and
// documentation list it; Update looks keys up in it.
func Bindings() []Group {
	list := Group{Title: message.Text{En: "In the list of \"apitrace record -i\"", Zh: "在 apitrace record -i 的列表中"}}
	for _, b := range requestBindings {
		list.Bindings = append(list.Bindings, b.Binding)
	}
	return append(slices.Clone(groups), list)
}

var groups []Group

func init() { // a variable would refer to itself through the help
	groups = []Group{
		{message.Text{En: "Move", Zh: "移动"}, []Binding{
			{[]string{"up", "k"}, message.Text{En: "row above", Zh: "上一行"}, act(func(m *Model) { m.cursor-- })},
			{[]string{"down", "j"}, message.Text{En: "row below", Zh: "下一行"}, act(func(m *Model) { m.cursor++ })},
			{[]string{"pgup", "ctrl+b"}, message.Text{En: "a screen up", Zh: "上一屏"}, act(func(m *Model) { m.cursor -= m.treeHeight() })},
			{[]string{"pgdown", "ctrl+f", "space"}, message.Text{En: "a screen down", Zh: "下一屏"}, act(func(m *Model) { m.cursor += m.treeHeight() })},
			{[]string{"home", "g"}, message.Text{En: "first row", Zh: "第一行"}, act(func(m *Model) { m.cursor = 0 })},
			{[]string{"end", "G"}, message.Text{En: "last row", Zh: "最后一行"}, act(func(m *Model) { m.cursor = len(m.forest.rows) - 1 })},
			{[]string{"u"}, message.Text{En: "up to the caller", Zh: "到调用者"}, act((*Model).toCaller)},
			{[]string{"]"}, message.Text{En: "next sibling", Zh: "下一个兄弟调用"}, act(func(m *Model) { m.toSibling(1) })},
			{[]string{"["}, message.Text{En: "previous sibling", Zh: "上一个兄弟调用"}, act(func(m *Model) { m.toSibling(-1) })},
			{[]string{"}"}, message.Text{En: "next layer", Zh: "下一层"}, act(func(m *Model) { m.toHeading(1) })},
			{[]string{"{"}, message.Text{En: "previous layer", Zh: "上一层"}, act(func(m *Model) { m.toHeading(-1) })},
			{[]string{"c"}, message.Text{En: "next call of this function", Zh: "此函数的下一次调用"}, act(func(m *Model) { m.toNext(m.sameFunction) })},
			{[]string{"e"}, message.Text{En: "next error", Zh: "下一个错误"}, act(func(m *Model) { m.toNext(m.failed) })},
			{[]string{"t"}, message.Text{En: "next key step", Zh: "下一个关键步骤"}, act(func(m *Model) { m.toNext(m.keyStep) })},
			{[]string{"w"}, message.Text{En: "longest child", Zh: "耗时最长的子调用"}, act((*Model).toLongest)},
			{[]string{"m"}, message.Text{En: "set or take away a mark", Zh: "设置或取消标记"}, act(func(m *Model) { m.marks[m.call()] = !m.marks[m.call()] })},
			{[]string{"'"}, message.Text{En: "next mark", Zh: "下一个标记"}, act(func(m *Model) { m.toNext(func(i int) bool { return m.marks[i] }) })},
		}},
		{message.Text{En: "Open and close", Zh: "展开与折叠"}, []Binding{
			{[]string{"right", "l", "enter"}, message.Text{En: "open; of what is open, the folded calls; of ▸, its section", Zh: "展开；已展开的显示被折叠的调用；▸ 则跳到其节"}, act((*Model).open)},
			{[]string{"left", "h"}, message.Text{En: "close, or go to the caller", Zh: "折叠，或到调用者"}, act((*Model).close)},
			{[]string{"z"}, message.Text{En: "close or open all layers", Zh: "折叠或展开所有层"}, act((*Model).toggleSections)},
			{[]string{"f"}, message.Text{En: "every call, or the key steps", Zh: "全部调用，或关键步骤"}, act((*Model).toggleEverything)},
		}},
		{message.Text{En: "Find", Zh: "查找"}, []Binding{
			{[]string{"/"}, message.Text{En: "search names, values and errors", Zh: "搜索名称、值与错误"}, act((*Model).startSearch)},
			{[]string{"n"}, message.Text{En: "next match", Zh: "下一个匹配"}, act(func(m *Model) { m.toMatch(1) })},
			{[]string{"N"}, message.Text{En: "previous match", Zh: "上一个匹配"}, act(func(m *Model) { m.toMatch(-1) })},
			{[]string{"&"}, message.Text{En: "show only calls that match", Zh: "只显示匹配的调用"}, act((*Model).startFilter)},
		}},
		{message.Text{En: "Step, as in a debugger", Zh: "单步，如同调试器"}, []Binding{
			{[]string{"s", "f11"}, message.Text{En: "into", Zh: "步入"}, act(func(m *Model) { m.step(step.Into, step.Forward) })},
			{[]string{"d", "f10"}, message.Text{En: "over", Zh: "步过"}, act(func(m *Model) { m.step(step.Over, step.Forward) })},
			{[]string{"x", "shift+f11"}, message.Text{En: "out", Zh: "步出"}, act(func(m *Model) { m.step(step.Out, step.Forward) })},
			{[]string{"S"}, message.Text{En: "into, backward", Zh: "反向步入"}, act(func(m *Model) { m.step(step.Into, step.Backward) })},
			{[]string{"D"}, message.Text{En: "over, backward", Zh: "反向步过"}, act(func(m *Model) { m.step(step.Over, step.Backward) })},
			{[]string{"X"}, message.Text{En: "out, backward", Zh: "反向步出"}, act(func(m *Model) { m.step(step.Out, step.Backward) })},
		}},
		{message.Text{En: "Panes", Zh: "窗格"}, []Binding{
			{[]string{"1"}, message.Text{En: "source, from the line that made the call", Zh: "源码：发出调用的那一行"}, act(func(m *Model) { m.setPane(paneSource) })},
			{[]string{"2"}, message.Text{En: "values and stack", Zh: "值与调用栈"}, act(func(m *Model) { m.setPane(paneValues) })},
			{[]string{"3"}, message.Text{En: "notes", Zh: "说明"}, act(func(m *Model) { m.setPane(paneNotes) })},
			{[]string{"4"}, message.Text{En: "JSON", Zh: "JSON"}, act(func(m *Model) { m.setPane(paneJSON) })},
			{[]string{"5"}, message.Text{En: "of a comparison: what changed, with the changed source, below the tree", Zh: "比较时：树下方显示变化及变化的源码"}, act(func(m *Model) { m.below = !m.below })},
			{[]string{"0"}, message.Text{En: "close all panes", Zh: "关闭所有窗格"}, act(func(m *Model) { m.pane, m.below = paneNone, false })},
			{[]string{"<"}, message.Text{En: "wider pane", Zh: "加宽窗格"}, act(func(m *Model) { m.share = min(mostShare, m.share+5) })},
			{[]string{">"}, message.Text{En: "narrower pane", Zh: "缩窄窗格"}, act(func(m *Model) { m.share = max(leastShare, m.share-5) })},
			{[]string{"+"}, message.Text{En: "higher part below the tree", Zh: "加高树下方的部分"}, act(func(m *Model) { m.belowShare = min(mostShare, m.belowShare+5) })},
			{[]string{"-"}, message.Text{En: "lower part below the tree", Zh: "降低树下方的部分"}, act(func(m *Model) { m.belowShare = max(leastShare, m.belowShare-5) })},
			{[]string{"J", "ctrl+down"}, message.Text{En: "scroll the pane down", Zh: "窗格向下滚动"}, act(func(m *Model) { m.scrollPane(1) })},
			{[]string{"K", "ctrl+up"}, message.Text{En: "scroll the pane up", Zh: "窗格向上滚动"}, act(func(m *Model) { m.scrollPane(-1) })},
		}},
		{message.Text{En: "Compare", Zh: "比较"}, []Binding{
			{[]string{"="}, message.Text{En: "compare with another release", Zh: "与另一版本比较"}, act((*Model).pickOther)},
			{[]string{"v"}, message.Text{En: "next change", Zh: "下一处变化"}, act(func(m *Model) { m.toChange(1) })},
			{[]string{"V"}, message.Text{En: "previous change", Zh: "上一处变化"}, act(func(m *Model) { m.toChange(-1) })},
			{[]string{"|"}, message.Text{En: "side by side, or one tree with marks", Zh: "并排，或带标记的一棵树"}, act(func(m *Model) { m.sideBySide = !m.sideBySide })},
			{[]string{"r"}, message.Text{En: "replay now, on the server that runs, and show what is new", Zh: "在运行中的服务器上重放，显示有何不同"}, (*Model).replay},
		}},
		{message.Text{En: "Go elsewhere", Zh: "切换"}, []Binding{
			{[]string{"p"}, message.Text{En: "choose a scenario", Zh: "选择场景"}, act((*Model).pickScenario)},
			{[]string{"R"}, message.Text{En: "choose a release", Zh: "选择版本"}, act((*Model).pickRelease)},
			{[]string{"tab"}, message.Text{En: "next request of the recording", Zh: "录制中的下一个请求"}, act((*Model).nextRequest)},
			{[]string{"L"}, message.Text{En: "English or Chinese", Zh: "英文或中文"}, act((*Model).toggleLanguage)},
			{[]string{"o"}, message.Text{En: "open the editor at the line", Zh: "在编辑器中打开该行"}, (*Model).edit},
			{[]string{"y"}, message.Text{En: "copy the name", Zh: "复制名称"}, (*Model).copyName},
			{[]string{"Y"}, message.Text{En: "copy the permalink", Zh: "复制永久链接"}, (*Model).copyLink},
			{[]string{"M"}, message.Text{En: "mouse on or off (off: the terminal selects text)", Zh: "开关鼠标（关：由终端选择文本）"}, act(func(m *Model) { m.mouse = !m.mouse })},
			{[]string{"esc"}, message.Text{En: "cancel what is under way; leave a filter or a comparison", Zh: "取消进行中的操作；离开过滤或比较"}, act((*Model).escape)},
			{[]string{"?"}, message.Text{En: "this help", Zh: "此帮助"}, act(func(m *Model) { m.mode, m.scroll = modeHelp, 0 })},
			{[]string{"q", "ctrl+c"}, message.Text{En: "quit", Zh: "退出"}, (*Model).leave},
		}},
	}
}

// key gives a key to what has the keys now.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	var cmd tea.Cmd
	switch m.mode {
	case modeSearch, modeFilter:
		m.typed(key, msg.Text)
	case modePick:
		cmd = m.picked(key, msg.Text)
	case modeHelp:
		m.scrollHelp(key)
	default:
		m.status = ""
		before := m.cursor
		defer func() {
			if m.cursor != before {
				m.scroll, m.belowScroll = 0, 0
			}
		}()
		for _, group := range groups {
			for _, b := range group.Bindings {
				if slices.Contains(b.Keys, key) {
					cmd = b.do(m)
				}
			}
		}
	}
	m.follow()
	return cmd
}

// scrollHelp moves in the help, or leaves it.
func (m *Model) scrollHelp(key string) {
	switch key {
	case "up", "k":
		m.scroll--
	case "down", "j":
		m.scroll++
	case "pgup", "ctrl+b":
		m.scroll -= m.treeHeight()
	case "pgdown", "ctrl+f", "space":
		m.scroll += m.treeHeight()
	case "home", "g":
		m.scroll = 0
	case "end", "G":
		m.scroll = len(m.help())
	case "q", "esc", "?", "left", "enter":
		m.mode, m.scroll = modeTree, 0
	}
}

// leave ends the program or, of a request of a list, goes back to that.
func (m *Model) leave() tea.Cmd {
	if m.nested {
		m.left = true
		return nil
	}
	return tea.Quit
}

// scrollPane scrolls the pane beside the tree or, without one, the part below it.
func (m *Model) scrollPane(lines int) {
	if m.pane == paneNone {
		m.belowScroll += lines
		return
	}
	m.scroll += lines
}

// help lists the bindings.
func (m *Model) help() []string {
	var lines []string
	for _, group := range groups {
		lines = append(lines, m.palette.Key.Render(group.Title.In(m.options.Lang)))
		for _, b := range group.Bindings {
			lines = append(lines, "  "+pad(strings.Join(b.Keys, " "), 18)+" "+b.What.In(m.options.Lang))
		}
	}
	return lines
}
