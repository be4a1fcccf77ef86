package workshop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// judgeFind compares the function that was named with those that the recording gives.
func judgeFind(t *traces, text string) (*Verdict, error) {
	right, err := t.choose(t.exercise.Find)
	if err != nil {
		return nil, err
	}
	names := right.functions()
	if len(names) == 0 {
		return nil, message.Errorf("%s: nothing in the recording answers the question: \"apitrace workshop verify\" says more", t.exercise.File)
	}
	unknown, err := t.name(text, names)
	if err != nil || unknown != nil {
		return unknown, err
	}
	if isOneOf(t.answer, names) {
		return passed("Right: %s", "正确：%s", t.where(right)), nil
	}
	reply, err := t.reply(func(string) bool { return false }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	return t.besides(t.exercise.Find, right)
}

// name finds the functions that a name stands for, and keeps them for $answer. A
// name of no recorded function is a wrong answer; one of several must be longer,
// unless all or none of them are right.
func (t *traces) name(text string, right []string) (*Verdict, error) {
	known, err := t.functions()
	if err != nil {
		return nil, err
	}
	text = cleanName(text)
	t.answer = functionsCalled(text, known)
	if len(t.answer) == 0 {
		if literals := shorten(literalsIn(text, known)); len(literals) > 0 {
			list := strings.Join(literals, "\n  ")
			return nil, badAnswer("%q itself is not called in this recording. What runs is a function literal in it; name that:\n  %s",
				"这份录制里没有调用 %q 本身，执行的是其中的函数字面量，请写它的名称：\n  %s", text, list)
		}
		return notOnPath(text, known), nil
	}
	if len(t.answer) > 1 && slices.ContainsFunc(t.answer, func(f string) bool { return slices.Contains(right, f) }) && !isOneOf(t.answer, right) {
		list := strings.Join(shorten(t.answer), "\n  ")
		return nil, badAnswer("%q names %d functions; say which:\n  %s", "%q 对应 %d 个函数，请说明是哪一个：\n  %s", text, len(t.answer), list)
	}
	return nil, nil
}

func isOneOf(answer, right []string) bool {
	for _, f := range answer {
		if !slices.Contains(right, f) {
			return false
		}
	}
	return len(answer) > 0
}

func notOnPath(text string, known []string) *Verdict {
	v := failed("%q is not on this path at all. Names stand as in the tree, such as \"etcd3.(*store).Get\".",
		"%q 根本不在这条路径上。名称的写法与树中一样，例如 \"etcd3.(*store).Get\"。", text)
	if near := nearest(text, known); len(near) > 0 {
		list := strings.Join(near, "\n  ")
		v = failed("%q is not on this path at all. The nearest names that are:\n  %s",
			"%q 根本不在这条路径上。路径上最接近的名称：\n  %s", text, list)
	}
	v.unknown = true
	return v
}

// besides says how the function that was named stands to the right one, which s chooses, without naming that.
func (t *traces) besides(s *Selection, right *choice) (*Verdict, error) {
	named, err := t.chooseOf(right.tree, &Selection{Function: Names{answer}})
	if err != nil {
		return nil, err
	}
	name := shorten(t.answer[:1])[0]
	if named.first() < 0 {
		return failed("%s runs, but not in the request that the question is about.", "%s 会执行，但不在问题所说的请求里。", name), nil
	}
	if s.Process != "" && right.tree.Call(named.first()).Process != s.Process {
		return failed("%s runs in %s, and the question is about another program.", "%s 在 %s 中执行，而问题问的是另一个程序。", name, right.tree.Call(named.first()).Process), nil
	}
	switch {
	case named.around(right):
		return failed("%s runs, and what is asked for happens below it: go further down.", "%s 会执行，而问题所问发生在它的下方：再往下看。", name), nil
	case right.around(named):
		return failed("%s runs, but only below what is asked for: go further up.", "%s 会执行，但它在问题所问之处的下方：再往上看。", name), nil
	case named.last() < right.first():
		return failed("%s runs, but has returned before what is asked for happens: look further on.", "%s 会执行，但在问题所问之事发生前就已返回：再往后看。", name), nil
	case named.first() > right.first():
		return failed("%s runs, but only after what is asked for has happened: look further back.", "%s 会执行，但那时问题所问之事已经发生：再往前看。", name), nil
	}
	return failed("%s runs, but what is asked for is neither above it nor below it.", "%s 会执行，但问题所问之事既不在它的上方，也不在它的下方。", name), nil
}

// where says where the first of the chosen calls is.
func (t *traces) where(c *choice) string {
	call := c.tree.Call(c.first())
	return fmt.Sprintf("%s (%s:%d)", call.ShortName(), call.File, call.Line)
}

// shortNames lists the functions of a selection by the names that trees show.
func (t *traces) shortNames(s *Selection) ([]string, error) {
	c, err := t.choose(s)
	if err != nil {
		return nil, err
	}
	return shorten(c.functions()), nil
}

func shorten(names []string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = funcname.Short(name)
	}
	return short
}
