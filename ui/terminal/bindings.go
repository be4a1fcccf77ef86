package terminal

import (
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/step"
	"github.com/kubeapitrace/apitrace/view"
)

// A binding is the action of some keys, in the tree or in the list of requests.
type binding struct {
	Keys []string
	What message.Message
	do   func(*Model) tea.Cmd
}

// A bindingGroup has the bindings for one purpose.
type bindingGroup struct {
	Title    message.Message
	Bindings []binding
}

// act returns the action of a binding that changes the model and runs no command.
func act(change func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		change(m)
		return nil
	}
}

// bindings returns the table of keys. Its last groups have the keys of the story and of the
// list of requests. The help and the documentation list the table.
func bindings() []bindingGroup {
	list := bindingGroup{Title: message.Of("In the list of \"apitrace record -i\"")}
	for _, b := range requestBindings {
		list.Bindings = append(list.Bindings, b.binding)
	}
	return append(slices.Clone(groups), storyGroup, list)
}

var (
	groups     []bindingGroup
	storyGroup bindingGroup
)

func init() { // not an initializer: the help reads groups, which would be a cycle
	groups = []bindingGroup{
		{message.Of("Move"), []binding{
			{[]string{"up", "k"}, message.Of("row above"), act(func(m *Model) { m.cursor-- })},
			{[]string{"down", "j"}, message.Of("row below"), act(func(m *Model) { m.cursor++ })},
			{[]string{"pgup", "ctrl+b"}, message.Of("a screen up"), act(func(m *Model) { m.cursor -= m.treeHeight() })},
			{[]string{"pgdown", "ctrl+f", "space"}, message.Of("a screen down"), act(func(m *Model) { m.cursor += m.treeHeight() })},
			{[]string{"home", "g"}, message.Of("first row"), act(func(m *Model) { m.cursor = 0 })},
			{[]string{"end", "G"}, message.Of("last row"), act(func(m *Model) { m.cursor = len(m.forest.rows) - 1 })},
			{[]string{"u"}, message.Of("up to the caller"), act((*Model).toCaller)},
			{[]string{"]"}, message.Of("next sibling"), act(func(m *Model) { m.toSibling(1) })},
			{[]string{"["}, message.Of("previous sibling"), act(func(m *Model) { m.toSibling(-1) })},
			{[]string{"}"}, message.Of("next layer"), act(func(m *Model) { m.toHeading(1) })},
			{[]string{"{"}, message.Of("previous layer"), act(func(m *Model) { m.toHeading(-1) })},
			{[]string{"c"}, message.Of("next call of this function"), act(func(m *Model) { m.toNext(m.sameFunction) })},
			{[]string{"e"}, message.Of("next step on the path of the error that made the request fail; then the other errors"), act((*Model).toError)},
			{[]string{"t"}, message.Of("next key step"), act(func(m *Model) { m.toNext(m.keyStep) })},
			{[]string{"w"}, message.Of("longest child"), act((*Model).toLongest)},
			{[]string{"T"}, message.Of("the table of the layers: what took longest by its own time"), act((*Model).showLayers)},
			{[]string{"m"}, message.Of("set or remove a mark"), act(func(m *Model) { m.marks[m.call()] = !m.marks[m.call()] })},
			{[]string{"'"}, message.Of("next mark"), act(func(m *Model) { m.toNext(func(i int) bool { return m.marks[i] }) })},
		}},
		{message.Of("Open and close"), []binding{
			{[]string{"right", "l", "enter"}, message.Of("open; if it is open, its folded calls; on %s, its section; on a sentence, its call", view.SignsFor(false).Into), act((*Model).open)},
			{[]string{"left", "h"}, message.Of("close, or go to the caller"), act((*Model).close)},
			{[]string{"z"}, message.Of("close or open all layers"), act((*Model).toggleSections)},
			{[]string{"f"}, message.Of("every call, or the key steps"), act((*Model).toggleEverything)},
		}},
		{message.Of("Find"), []binding{
			{[]string{"/"}, message.Of("search names, values, errors, titles and sentences"), act((*Model).startSearch)},
			{[]string{"n"}, message.Of("next match"), act(func(m *Model) { m.toMatch(1) })},
			{[]string{"N"}, message.Of("previous match"), act(func(m *Model) { m.toMatch(-1) })},
			{[]string{"F"}, message.Of("search all recordings, releases, lessons and documents"), act((*Model).startFind)},
			{[]string{"&"}, message.Of("show only calls that match"), act((*Model).startFilter)},
		}},
		{message.Of("Step, as in a debugger"), []binding{
			{[]string{"s", "f11"}, message.Of("into"), act(func(m *Model) { m.step(step.Into, step.Forward) })},
			{[]string{"d", "f10"}, message.Of("over"), act(func(m *Model) { m.step(step.Over, step.Forward) })},
			{[]string{"x", "shift+f11"}, message.Of("out"), act(func(m *Model) { m.step(step.Out, step.Forward) })},
			{[]string{"S"}, message.Of("into, backward"), act(func(m *Model) { m.step(step.Into, step.Backward) })},
			{[]string{"D"}, message.Of("over, backward"), act(func(m *Model) { m.step(step.Over, step.Backward) })},
			{[]string{"X"}, message.Of("out, backward"), act(func(m *Model) { m.step(step.Out, step.Backward) })},
		}},
		{message.Of("Panes"), []binding{
			{[]string{"1"}, message.Of("source, from the line that made the call"), act(func(m *Model) { m.setPane(paneSource) })},
			{[]string{"2"}, message.Of("values and stack"), act(func(m *Model) { m.setPane(paneValues) })},
			{[]string{"3"}, message.Of("notes"), act(func(m *Model) { m.setPane(paneNotes) })},
			{[]string{"4"}, message.Of("JSON"), act(func(m *Model) { m.setPane(paneJSON) })},
			{[]string{"5"}, message.Of("in a comparison: what changed, with the changed source, below the tree"), act(func(m *Model) { m.below = !m.below })},
			{[]string{"0"}, message.Of("close all panes"), act(func(m *Model) { m.pane, m.below = paneNone, false })},
			{[]string{"<"}, message.Of("wider pane"), act(func(m *Model) { m.share = min(mostShare, m.share+5) })},
			{[]string{">"}, message.Of("narrower pane"), act(func(m *Model) { m.share = max(leastShare, m.share-5) })},
			{[]string{"+"}, message.Of("higher part below the tree"), act(func(m *Model) { m.belowShare = min(mostShare, m.belowShare+5) })},
			{[]string{"-"}, message.Of("lower part below the tree"), act(func(m *Model) { m.belowShare = max(leastShare, m.belowShare-5) })},
			{[]string{"J", "ctrl+down"}, message.Of("scroll the pane down"), act(func(m *Model) { m.scrollPane(1) })},
			{[]string{"K", "ctrl+up"}, message.Of("scroll the pane up"), act(func(m *Model) { m.scrollPane(-1) })},
			{[]string{".", "ctrl+right"}, message.Of("scroll the source to the right"), act(func(m *Model) { m.shift += shiftStep })},
			{[]string{",", "ctrl+left"}, message.Of("scroll the source to the left"), act(func(m *Model) { m.shift = max(0, m.shift-shiftStep) })},
		}},
		{message.Of("Compare"), []binding{
			{[]string{"="}, message.Of("compare with another release"), act((*Model).pickOther)},
			{[]string{"v"}, message.Of("next change"), act(func(m *Model) { m.toChange(1) })},
			{[]string{"V"}, message.Of("previous change"), act(func(m *Model) { m.toChange(-1) })},
			{[]string{"|"}, message.Of("side by side, or one tree with marks"), act(func(m *Model) { m.sideBySide = !m.sideBySide })},
			{[]string{"r"}, message.Of("replay now on the running server, and show what is new"), (*Model).replay},
		}},
		{message.Of("Go elsewhere"), []binding{
			{[]string{"p"}, message.Of("choose a scenario"), act((*Model).pickScenario)},
			{[]string{"R"}, message.Of("choose a release"), act((*Model).pickRelease)},
			{[]string{"P"}, message.Of("choose a request of the recording"), act((*Model).pickRequest)},
			{[]string{"tab"}, message.Of("next request of the recording"), act((*Model).nextRequest)},
			{[]string{"H"}, message.Of("back to the story of what the requests caused"), act((*Model).toStory)},
			{[]string{"L"}, message.Of("English or Chinese"), act((*Model).toggleLanguage)},
			{[]string{"o"}, message.Of("open the editor at the line"), (*Model).edit},
			{[]string{"y"}, message.Of("copy the name"), (*Model).copyName},
			{[]string{"Y"}, message.Of("copy the permalink"), (*Model).copyLink},
			{[]string{"M"}, message.Of("mouse on or off (off: the terminal selects text)"), act(func(m *Model) { m.mouse = !m.mouse })},
			{[]string{"esc"}, message.Of("cancel the running action; leave a filter or a comparison; back to the story"), act((*Model).escape)},
			{[]string{"?"}, message.Of("this help"), act(func(m *Model) { m.mode, m.scroll = modeHelp, 0 })},
			{[]string{"q", "ctrl+c"}, message.Of("quit"), (*Model).leave},
		}},
	}
	storyGroup = bindingGroup{message.Of("In the story of what the requests caused"), []binding{
		{[]string{"up", "k"}, message.Of("line above"), act(func(m *Model) { m.story.move(-1) })},
		{[]string{"down", "j"}, message.Of("line below"), act(func(m *Model) { m.story.move(1) })},
		{[]string{"pgup", "ctrl+b"}, message.Of("a screen up"), act(func(m *Model) { m.story.page(-1, m.storyHeight()) })},
		{[]string{"pgdown", "ctrl+f", "space"}, message.Of("a screen down"), act(func(m *Model) { m.story.page(1, m.storyHeight()) })},
		{[]string{"home", "g"}, message.Of("first line"), act(func(m *Model) { m.story.move(-m.story.cursor) })},
		{[]string{"end", "G"}, message.Of("last line"), act(func(m *Model) { m.story.move(len(m.story.names)) })},
		{[]string{"enter", "right", "l"}, message.Of("open the request at the call that proves the line (H returns to the story)"), act((*Model).openLine)},
		{[]string{"e"}, message.Of("next request that was refused"), act((*Model).toFailed)},
		{[]string{"/"}, message.Of("search the story"), act((*Model).startSearch)},
		{[]string{"n"}, message.Of("next match"), act(func(m *Model) { m.toMatch(1) })},
		{[]string{"N"}, message.Of("previous match"), act(func(m *Model) { m.toMatch(-1) })},
		{[]string{"F"}, message.Of("search all recordings, releases, lessons and documents"), act((*Model).startFind)},
		{[]string{"p"}, message.Of("choose a scenario"), act((*Model).pickScenario)},
		{[]string{"R"}, message.Of("choose a release"), act((*Model).pickRelease)},
		{[]string{"P"}, message.Of("choose a request of the recording"), act((*Model).pickRequest)},
		{[]string{"L"}, message.Of("English or Chinese"), act((*Model).toggleLanguage)},
		{[]string{"M"}, message.Of("mouse on or off (off: the terminal selects text)"), act(func(m *Model) { m.mouse = !m.mouse })},
		{[]string{"esc"}, message.Of("cancel the running action"), act((*Model).escape)},
		{[]string{"?"}, message.Of("this help"), act(func(m *Model) { m.mode, m.scroll = modeHelp, 0 })},
		{[]string{"q", "ctrl+c"}, message.Of("quit"), (*Model).leave},
	}}
}

// shiftStep is the number of columns that a key scrolls the source.
const shiftStep = 8

// key passes a key to the part that has the focus.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	var cmd tea.Cmd
	switch m.mode {
	case modeSearch, modeFilter:
		m.typed(key, msg.Text)
	case modeFind:
		cmd = m.typedFind(key, msg.Text)
	case modePick:
		cmd = m.picked(key, msg.Text)
	case modeHelp, modeText:
		m.scrollHelp(key)
	default:
		m.status = ""
		before := m.cursor
		defer func() {
			if m.cursor != before {
				m.scroll, m.belowScroll = 0, 0
			}
		}()
		shown := groups
		if m.inStory {
			shown = []bindingGroup{storyGroup}
		}
		for _, group := range shown {
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

// scrollHelp moves in the help or the text, or leaves it.
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
		m.scroll = math.MaxInt / 2 // window takes the last lines
	case "q", "esc", "?", "left", "enter":
		m.mode, m.scroll = modeTree, 0
	}
}

// leave goes back to the list if the request was opened from a list. Otherwise it
// ends the program.
func (m *Model) leave() tea.Cmd {
	if m.nested {
		m.left = true
		return nil
	}
	return tea.Quit
}

// scrollPane scrolls the pane beside the tree. If there is none, it scrolls the
// part below the tree.
func (m *Model) scrollPane(lines int) {
	if m.pane == paneNone {
		m.belowScroll += lines
		return
	}
	m.scroll += lines
}
