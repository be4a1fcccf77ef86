package workshop

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// judgeValue compares the answer's value with the trace's.
func judgeValue(t *traces, text string) (*Verdict, error) {
	value, err := t.value()
	if err != nil {
		return nil, err
	}
	given := strings.Trim(text, "`\"' ")
	if t.exercise.Value.Name == "" {
		number, ok := numberIn(given)
		if !ok {
			return nil, badAnswer("expected a number, found %q", text)
		}
		given = number
	}
	// Accept the value as trees show it: "etcd.key=/registry/minions/n1".
	if _, after, ok := strings.Cut(given, "="); ok && strings.EqualFold(after, value) {
		given = after
	}
	if strings.EqualFold(given, value) {
		return rightVerdict("Right: %s", value), nil
	}
	reply, err := t.reply(func(says string) bool { return funcname.MatchText(strings.ToLower(says), strings.ToLower(given)) }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	if t.exercise.Value.Name == "" {
		n, _ := strconv.Atoi(given)
		if want, _ := strconv.Atoi(value); n < want {
			return wrongVerdict("There are more."), nil
		}
		return wrongVerdict("There are fewer."), nil
	}
	return wrongVerdict("That is not what the trace has."), nil
}

// written are the numbers that Chinese writes with one character. The index of a
// character is its value.
var written = []rune("零一二三四五六七八九十")

// numberIn reads a number and an optional unit after it: "2", "2 directors", "2次",
// "两次".
func numberIn(text string) (number string, ok bool) {
	unit := strings.TrimLeft(text, "0123456789")
	number = text[:len(text)-len(unit)]
	if first, size := utf8.DecodeRuneInString(text); number == "" {
		if first == '两' {
			first = '二'
		}
		n := slices.Index(written, first)
		if n < 0 {
			return "", false
		}
		number, unit = strconv.Itoa(n), text[size:]
	}
	if strings.ContainsFunc(unit, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' || slices.Contains(written, r) }) {
		return "", false
	}
	if _, err := strconv.Atoi(number); err != nil {
		return "", false
	}
	return number, true
}

// value returns the right answer to a ValueQuery.
func (t *traces) value() (string, error) {
	q := t.exercise.Value
	c, err := t.choose(&q.Of)
	if err != nil {
		return "", err
	}
	if q.Name == "" {
		return strconv.Itoa(len(c.indices())), nil
	}
	for _, i := range c.indices() {
		call := c.tree.Call(i)
		if q.Name == "error" && call.Error != "" {
			return call.Error, nil
		}
		if value, ok := call.Attributes[q.Name]; ok {
			return value, nil
		}
	}
	return "", message.Errorf("%s: no such call in the recording has a value %q", t.exercise.File, q.Name)
}
