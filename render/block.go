package render

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/view"
)

// least is the minimum width of a text in columns, at any indentation.
const least = 16

// A block writes the lines of one step. An added text goes on the current line if
// there is room, else on the next. Names are never cut.
type block struct {
	d           *treeDrawing
	first, rest string // the lines of the tree before the first line of the step, and before its other lines
	time        string // stands before the first line of the step, in a column of its own
	timeStyle   lipgloss.Style
	line        string // the text on the current line
	used        int    // the number of columns of line
	begun       bool   // whether the current line has a text
	started     bool   // whether the first line was written
}

// block returns an empty block.
func (d *treeDrawing) block(first, rest string) *block {
	return &block{d: d, first: first, rest: rest}
}

// room returns the number of columns for the texts of the current line.
func (b *block) room() int {
	if b.started {
		return b.below()
	}
	before := b.d.column
	if before > 0 {
		before = max(before, columnsOf(b.time)+1) // a duration of days is wider than the column
	}
	return max(b.d.width-before-columnsOf(b.first), least)
}

// below returns the number of columns for texts after the first line.
func (b *block) below() int { return max(b.d.width-b.d.column-columnsOf(b.rest), least) }

// add puts a text, without breaking it, on the current line or, if there is no
// room, on the next.
func (b *block) add(style lipgloss.Style, text string) {
	if text == "" {
		return
	}
	columns := columnsOf(text)
	gap := 0
	if b.begun {
		gap = 1
	}
	if b.begun && b.used+gap+columns > b.room() {
		b.next()
		gap = 0
	}
	b.line += strings.Repeat(" ", gap) + b.d.paint(style, text)
	b.used += gap + columns
	b.begun = true
}

// A styled is a text with its style.
type styled struct {
	style lipgloss.Style
	text  string
}

// pair adds two texts, on one line if they fit. The first is a path. If it is
// longer than a line, its middle is left out.
func (b *block) pair(first, second styled) {
	columns := columnsOf(first.text) + 1 + columnsOf(second.text)
	if b.begun && first.text != "" && b.used+1+columns > b.room() {
		b.next()
	}
	first.text = b.d.middle(first.text, b.room())
	b.add(first.style, first.text)
	b.add(second.style, second.text)
}

// name adds a function's name. A line may break behind a dot or a slash.
func (b *block) name(style lipgloss.Style, name string) {
	gap := 0
	if b.begun {
		gap = 1
	}
	if b.used+gap+columnsOf(name) <= b.room() {
		b.add(style, name)
		return
	}
	for i, piece := range segments(name) {
		if i > 0 && b.used+columnsOf(piece) <= b.room() { // continue the name without a blank
			b.line += b.d.paint(style, piece)
			b.used += columnsOf(piece)
			continue
		}
		if i > 0 {
			b.next()
		}
		b.add(style, piece)
	}
}

// segments splits a function's name after its slashes and dots, except in brackets.
func segments(name string) []string {
	var all []string
	start, depth := 0, 0
	for i, r := range name {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '.', '/':
			if depth == 0 && i > start {
				all, start = append(all, name[start:i+1]), i+1
			}
		}
	}
	return append(all, name[start:])
}

// values adds all values to the current line if they fit, else to the lines below.
func (b *block) values(texts []view.Value) {
	if len(texts) == 0 {
		return
	}
	needed := 0
	for _, t := range texts {
		needed += 2 + columnsOf(t.Text)
	}
	if b.used+needed > b.room() {
		b.next()
	}
	for _, t := range texts {
		style := b.d.Value
		if t.Decides {
			style = b.d.Decisive
		}
		b.value(style, t.Text)
	}
}

// value adds one value. If it is longer than a line, wrapNames breaks it.
func (b *block) value(style lipgloss.Style, text string) {
	columns := columnsOf(text)
	if b.begun && b.used+2+columns > b.room() {
		b.next()
	}
	if columns <= b.room() {
		if b.begun {
			b.line, b.used = b.line+" ", b.used+1
		}
		b.add(style, text)
		return
	}
	for i, line := range wrapNames(text, min(b.room(), b.below())) {
		if i > 0 {
			b.next()
		}
		b.add(style, line)
	}
}

// listComma stands between the parts of a Chinese list.
const listComma = "\u3001"

// wrapNames is wrap for texts with names and paths. It breaks a word that is longer
// than a line after slashes and dots. A Chinese list has no blanks, so each of its
// parts counts as a word.
func wrapNames(text string, width int) []string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		for part := range strings.SplitAfterSeq(word, listComma) { // wrap puts no blank behind the comma
			if columnsOf(part) <= width {
				words = append(words, part)
				continue
			}
			line := ""
			for _, piece := range segments(part) {
				if line != "" && columnsOf(line+piece) > width {
					words, line = append(words, line), ""
				}
				line += piece
			}
			words = append(words, line)
		}
	}
	return wrap(strings.Join(words, " "), width)
}

// next writes the current line and begins a new one.
func (b *block) next() {
	b.write()
	b.line, b.used, b.begun = "", 0, false
}

// write writes the current line, with the time and the lines of the tree before it.
func (b *block) write() {
	lead, time := b.first, b.time
	if b.started {
		lead, time = b.rest, ""
	}
	column := b.d.column
	if column > 0 {
		time = strings.Repeat(" ", max(0, column-1-columnsOf(time))) + b.d.paint(b.timeStyle, time) + " "
	} else {
		time = ""
	}
	b.d.put(time + b.d.paint(b.d.Guide, lead) + b.line)
	b.started = true
}

// flush ends the block. In a narrow drawing, it adds the time. It writes the
// current line unless this is empty and not the first line.
func (b *block) flush() {
	if b.d.column == 0 && b.time != "" {
		b.add(b.timeStyle, b.time)
	}
	if b.begun || !b.started {
		b.write()
	}
}

// words adds a text, on one line if it fits. Otherwise it is broken between words.
func (b *block) words(style lipgloss.Style, text string) {
	if columns := columnsOf(text); b.begun && b.used+1+columns > b.room() && columns <= b.room() {
		b.next()
	}
	for word := range strings.FieldsSeq(text) {
		b.add(style, word)
	}
}
