package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A Feed passes requests from a session to a Requests. Any goroutine may call Add,
// which does not block.
type Feed struct {
	mu   sync.Mutex
	rows []session.Row
	wake chan struct{}
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{wake: make(chan struct{}, 1)} }

// Add adds a request.
func (f *Feed) Add(row session.Row) {
	f.mu.Lock()
	f.rows = append(f.rows, row)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // an earlier signal is still pending
	}
}

// wait waits for requests and returns all that have arrived.
func (f *Feed) wait() tea.Msg {
	<-f.wake
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := f.rows
	f.rows = nil
	return arrived{rows}
}

type (
	arrived struct{ rows []session.Row }
	read    struct {
		rec *trace.Recording
		err error
	}
)

// A Requests lists the requests of a session as they arrive. The user can open
// each request that has a trace. Update changes the Requests and returns it.
type Requests struct {
	lib      Library
	options  Options
	palette  render.Palette
	feed     *Feed
	recorder Recorder
	hints    []string // shell commands that set the environment of a client

	rows   []session.Row
	cursor int // index of shown()
	top    int
	model  *Model // the open request, or nil for the list

	width, height int
	filter        string
	typing, help  bool
	scroll        int
	status        string
}

// A Recorder loads the traces of the listed requests, and knows how a client sends more.
type Recorder interface {
	// Read loads the traces of the requests.
	Read(ctx context.Context, rows []session.Row) (*trace.Recording, error)
	// Environment returns the variables that a client needs so that its requests are
	// recorded, each as "NAME=value".
	Environment() []string
}

// NewRequests returns a list that a feed fills.
func NewRequests(lib Library, feed *Feed, recorder Recorder, o Options) *Requests {
	r := &Requests{lib: lib, options: o, feed: feed, recorder: recorder, width: 80, height: 24}
	for _, variable := range recorder.Environment() {
		r.hints = append(r.hints, "export "+variable)
	}
	if o.Colour {
		r.palette = render.Colours()
	}
	return r
}

// Init implements tea.Model.
func (r *Requests) Init() tea.Cmd { return r.feed.wait }

// Update implements tea.Model.
func (r *Requests) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case arrived:
		r.add(msg.rows)
		return r, r.feed.wait
	case read:
		cmd = r.show(msg)
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		if r.model == nil {
			cmd = r.key(msg)
		}
	case tea.MouseWheelMsg:
		if r.model == nil && msg.Button == tea.MouseWheelUp {
			r.cursor -= 3
		} else if r.model == nil {
			r.cursor += 3
		}
	case tea.MouseClickMsg:
		if r.model == nil {
			cmd = r.click(msg)
		}
	}
	if r.model != nil {
		if _, justOpened := msg.(read); !justOpened {
			_, cmd = r.model.Update(msg)
		}
		if r.model.left {
			r.model.cancel()
			r.model = nil
		}
	}
	r.follow()
	return r, cmd
}

// add adds requests, and sorts all by the time when they were sent. If the last
// request was selected, the new last request is selected. Otherwise the
// selected request stays selected.
func (r *Requests) add(rows []session.Row) {
	shown := r.shown()
	last := r.cursor >= len(shown)-1
	var selected session.Row
	if r.cursor < len(shown) {
		selected = shown[r.cursor]
	}
	r.rows = append(r.rows, rows...)
	session.Sort(r.rows)
	shown = r.shown()
	if last {
		r.cursor = len(shown) - 1
	} else {
		r.cursor = slices.IndexFunc(shown, func(row session.Row) bool { return row.Start.Equal(selected.Start) && row.Place == selected.Place })
	}
	r.follow()
}

// shown returns the requests that the filter selects.
func (r *Requests) shown() []session.Row {
	if r.filter == "" {
		return r.rows
	}
	var rows []session.Row
	for _, row := range r.rows {
		if holds(row.String(), strings.ToLower(r.filter)) {
			rows = append(rows, row)
		}
	}
	return rows
}

func holds(text, lower string) bool { return strings.Contains(strings.ToLower(text), lower) }

// openSelected opens the selected request.
func (r *Requests) openSelected() tea.Cmd {
	shown := r.shown()
	if len(shown) == 0 {
		return nil
	}
	row := shown[r.cursor]
	if row.Err != nil {
		r.status = saysNotTraced.Format(r.options.Lang, row.Err)
		return nil
	}
	return func() tea.Msg {
		rec, err := r.recorder.Read(context.Background(), []session.Row{row})
		return read{rec, err}
	}
}

func (r *Requests) show(msg read) tea.Cmd {
	err := msg.err
	if err == nil {
		r.model, err = New(r.lib, msg.rec, r.options)
	}
	if err != nil {
		r.status, r.model = message.For(r.options.Lang).Error(err), nil
		return nil
	}
	r.model.nested = true
	_, cmd := r.model.Update(tea.WindowSizeMsg{Width: r.width, Height: r.height})
	return cmd
}

// requestBindings are the keys of the list of requests.
var requestBindings = []requestBinding{
	{binding{Keys: []string{"up", "k"}, What: message.Of("request above")}, onList(func(r *Requests) { r.cursor-- })},
	{binding{Keys: []string{"down", "j"}, What: message.Of("request below")}, onList(func(r *Requests) { r.cursor++ })},
	{binding{Keys: []string{"pgup", "ctrl+b"}, What: message.Of("a screen up")}, onList(func(r *Requests) { r.cursor -= r.listHeight() })},
	{binding{Keys: []string{"pgdown", "ctrl+f", "space"}, What: message.Of("a screen down")}, onList(func(r *Requests) { r.cursor += r.listHeight() })},
	{binding{Keys: []string{"home", "g"}, What: message.Of("first request")}, onList(func(r *Requests) { r.cursor = 0 })},
	{binding{Keys: []string{"end", "G"}, What: message.Of("last request, and follow new requests")}, onList(func(r *Requests) { r.cursor = len(r.shown()) - 1 })},
	{binding{Keys: []string{"enter", "right", "l"}, What: message.Of("open the tree of the request (q returns to this list)")}, (*Requests).openSelected},
	{binding{Keys: []string{"e"}, What: message.Of("next request that failed or has no trace")}, onList((*Requests).toFailed)},
	{binding{Keys: []string{"/", "&"}, What: message.Of("show only requests that contain the typed text")}, onList(func(r *Requests) { r.typing = true })},
	{binding{Keys: []string{"esc"}, What: message.Of("show all requests")}, onList(func(r *Requests) { r.filter = "" })},
	{binding{Keys: []string{"y"}, What: message.Of("copy the command that sets KUBECONFIG in a shell")}, (*Requests).copyHint},
	{binding{Keys: []string{"?"}, What: message.Of("this help, and how to send requests")}, onList(func(r *Requests) { r.help, r.scroll = true, 0 })},
	{binding{Keys: []string{"q", "ctrl+c"}, What: message.Of("end the recording")}, func(*Requests) tea.Cmd { return tea.Quit }},
}

type requestBinding struct {
	binding
	do func(*Requests) tea.Cmd
}

// onList returns the command of a key that only changes the list.
func onList(change func(*Requests)) func(*Requests) tea.Cmd {
	return func(r *Requests) tea.Cmd {
		change(r)
		return nil
	}
}

func (r *Requests) copyHint() tea.Cmd {
	if len(r.hints) == 0 {
		return nil
	}
	r.status = saysCopied.Format(r.options.Lang, r.hints[0])
	return tea.SetClipboard(r.hints[0])
}

func (r *Requests) toFailed() {
	shown := r.shown()
	for i := 1; i <= len(shown); i++ {
		if at := (r.cursor + i) % len(shown); shown[at].Err != nil || shown[at].Status == 0 || shown[at].Status >= 400 {
			r.cursor = at
			return
		}
	}
	r.status = saysNone.In(r.options.Lang)
}

func (r *Requests) key(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	r.status = ""
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case r.typing:
		r.typed(key, msg.Text)
		return nil
	case r.help:
		r.scrollHelp(key)
		return nil
	}
	for _, b := range requestBindings {
		if slices.Contains(b.Keys, key) {
			return b.do(r)
		}
	}
	return nil
}

func (r *Requests) scrollHelp(key string) {
	switch key {
	case "up", "k":
		r.scroll--
	case "down", "j":
		r.scroll++
	default:
		r.help = false
	}
}

func (r *Requests) typed(key, text string) {
	switch key {
	case "enter":
		r.typing = false
	case "esc":
		r.typing, r.filter = false, ""
	case "backspace":
		if runes := []rune(r.filter); len(runes) > 0 {
			r.filter = string(runes[:len(runes)-1])
		}
	default:
		r.filter += text
	}
}

func (r *Requests) click(msg tea.MouseClickMsg) tea.Cmd {
	at := r.top + msg.Y - 2
	if msg.Button != tea.MouseLeft || r.help || msg.Y < 2 || msg.Y >= 2+r.listHeight() || at >= len(r.shown()) {
		return nil
	}
	if at == r.cursor {
		return r.openSelected()
	}
	r.cursor = at
	return nil
}

func (r *Requests) listHeight() int { return max(1, r.height-3) }

func (r *Requests) follow() {
	n := len(r.shown())
	r.cursor = max(0, min(r.cursor, n-1))
	r.top = max(r.cursor-r.listHeight()+1, min(r.top, r.cursor))
	r.top = max(0, min(r.top, n-r.listHeight()))
}

// View implements tea.Model.
func (r *Requests) View() tea.View {
	if r.model != nil {
		return r.model.View()
	}
	v := tea.NewView(text.Harmless(r.screen()))
	v.AltScreen = true
	v.WindowTitle = "apitrace record"
	v.MouseMode = tea.MouseModeCellMotion
	return v
}

// screen returns the text of the screen.
func (r *Requests) screen() string {
	if r.model != nil {
		return r.model.screen()
	}
	if r.width < 40 || r.height < 8 {
		return saysTooSmall.In(r.options.Lang)
	}
	shown := r.shown()
	title := saysRequests.Format(r.options.Lang, len(r.rows))
	if r.filter != "" {
		title = saysSomeRequests.Format(r.options.Lang, len(shown), len(r.rows))
	}
	lines := []string{r.palette.Request.Render(fit(title, r.width))}
	switch {
	case r.help:
		lines = append(lines, r.helpLines()...)
	case len(r.rows) == 0:
		lines = append(lines, append([]string{"", saysSend.In(r.options.Lang), ""}, r.hintLines()...)...)
	default:
		lines = append(lines, r.tableLines(shown)...)
	}
	lines = append(filled(lines, r.height-1), r.statusLine())
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, r.width, "")
	}
	return strings.Join(lines, "\n")
}

func (r *Requests) hintLines() []string {
	var lines []string
	for _, hint := range r.hints {
		for _, line := range text.Wrap(text.Escape(hint), r.width-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

func (r *Requests) helpLines() []string {
	var lines []string
	for _, b := range requestBindings {
		lines = append(lines, helpLine(strings.Join(b.Keys, " "), b.What.In(r.options.Lang), r.width)...)
	}
	lines = append(append(lines, "", saysSend.In(r.options.Lang)), r.hintLines()...)
	r.scroll = max(0, min(r.scroll, len(lines)-r.listHeight()))
	return lines[r.scroll:]
}

// tableLines draws the visible requests, each with its local time.
func (r *Requests) tableLines(shown []session.Row) []string {
	const columns = "%-12s %6s %7s %9s  %s"
	lines := []string{r.palette.Facts.Render(fmt.Sprintf(columns, saysWhen.In(r.options.Lang), saysStatus.In(r.options.Lang),
		saysCalls.In(r.options.Lang), saysTook.In(r.options.Lang), saysRequest.In(r.options.Lang)))}
	for at := r.top; at < len(shown) && len(lines) <= r.listHeight(); at++ {
		row := &shown[at]
		calls, status := strconv.Itoa(row.Calls), strconv.Itoa(row.Status)
		switch {
		case row.Err != nil:
			calls = "-"
		case row.Incomplete:
			calls += "+"
		}
		if row.Status == 0 {
			status = "-"
		}
		line := fmt.Sprintf(columns, row.Start.Local().Format("15:04:05.000"), status, calls,
			view.SignsFor(r.options.ASCII).Duration(row.Duration.Round(time.Microsecond).Nanoseconds()), row.Method+" "+text.Escape(row.Path))
		line = fit(line, r.width)
		switch {
		case at == r.cursor:
			line = lipgloss.NewStyle().Reverse(true).Render(line)
		case row.Err != nil || row.Status == 0 || row.Status >= 400:
			line = r.palette.Error.Render(line)
		}
		lines = append(lines, line)
	}
	return lines
}

func (r *Requests) statusLine() string {
	switch {
	case r.typing:
		return "/" + r.filter
	case r.status != "":
		return text.Escape(r.status)
	}
	return saysRequestKeys.In(r.options.Lang)
}
