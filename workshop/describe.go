package workshop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// describe puts a part of a test into words, for those whose trace failed it.
func describe(t *Test) (en, zh string) {
	switch {
	case t.Some != nil:
		en, zh = describeCalls(t.Some)
		return "some call " + en, "有这样的调用：" + zh
	case t.None != nil:
		en, zh = describeCalls(t.None)
		return "no call " + en, "没有这样的调用：" + zh
	case t.Count != nil:
		en, zh = describeCalls(&t.Count.Of)
		howEn, howZh := t.Count.words()
		return howEn + " calls " + en, howZh + "次这样的调用：" + zh
	case t.Request != nil:
		words := t.Request.words()
		return "a request with " + words, "请求满足 " + words
	case t.Not != nil:
		en, zh = describe(t.Not)
		return "not: " + en, "不能：" + zh
	case len(t.InOrder) > 0:
		return describeOrder(t.InOrder)
	case len(t.Any) > 0:
		return describeAny(t.Any)
	}
	return "all of its conditions", "满足全部条件"
}

func describeAny(tests []Test) (en, zh string) {
	var ens, zhs []string
	for i := range tests {
		en, zh := describe(&tests[i])
		ens, zhs = append(ens, en), append(zhs, zh)
	}
	return strings.Join(ens, ", or "), strings.Join(zhs, "，或者")
}

func describeOrder(selections []Selection) (en, zh string) {
	var ens, zhs []string
	for i := range selections {
		en, zh := describeCalls(&selections[i])
		ens, zhs = append(ens, "a call "+en), append(zhs, zh)
	}
	return strings.Join(ens, ", then "), strings.Join(zhs, "，然后")
}

func (c *Count) words() (en, zh string) {
	switch {
	case c.Is != nil:
		return fmt.Sprint(*c.Is), fmt.Sprint(*c.Is)
	case c.AtLeast != nil:
		return fmt.Sprintf("at least %d", *c.AtLeast), fmt.Sprintf("至少 %d ", *c.AtLeast)
	}
	return fmt.Sprintf("at most %d", *c.AtMost), fmt.Sprintf("最多 %d ", *c.AtMost)
}

func (r *RequestTest) words() string {
	var words []string
	for _, w := range []struct{ name, value string }{{"method", r.Method}, {"path", r.Path}, {"stored", r.Stored}} {
		if w.value != "" {
			words = append(words, w.name+" "+w.value)
		}
	}
	if r.Status != 0 {
		words = append(words, fmt.Sprintf("status %d", r.Status))
	}
	return strings.Join(words, ", ")
}

// found says what the trace has instead of what a part of a test wants, as a sentence; "" where it
// just is not there.
func (t *traces) found(part *Test) (en, zh string, err error) {
	switch {
	case part.Request != nil:
		tree, err := t.tree(part.Request.In, part.Request.Number)
		if err != nil {
			return "", "", err
		}
		words := part.Request.found(tree.Request)
		return " Found: " + words + ".", "实际为 " + words + "。", nil
	case part.None != nil:
		c, err := t.choose(part.None)
		if err != nil || c.first() < 0 {
			return "", "", err
		}
		name := c.tree.Call(c.first()).ShortName()
		return " Found: " + name + ".", "实际有 " + name + "。", nil
	case part.Count != nil:
		n, err := t.count(&part.Count.Of)
		return fmt.Sprintf(" Found: %d.", n), fmt.Sprintf("实际有 %d 次。", n), err
	}
	return "", "", nil
}

// found names what a request has of all that is wanted of it.
func (r *RequestTest) found(request *trace.Request) string {
	has := RequestTest{Status: request.Status}
	if r.Method != "" {
		has.Method = request.Method
	}
	if r.Path != "" {
		has.Path = request.Path
	}
	if r.Stored != "" {
		has.Stored = "nothing"
	}
	for _, s := range request.Stored {
		if r.Stored != "" {
			has.Stored = s.Op + " " + s.Key
		}
	}
	return has.words()
}

// describeCalls says which calls a selection chooses: "of cacher.(*Cacher).Get in kube-apiserver".
func describeCalls(s *Selection) (en, zh string) {
	var ens, zhs []string
	add := func(en, zh string, args ...any) {
		ens, zhs = append(ens, fmt.Sprintf(en, args...)), append(zhs, fmt.Sprintf(zh, args...))
	}
	if len(s.Function) > 0 {
		add("of %s", "函数为 %s", strings.Join(s.Function, " / "))
	}
	if len(s.Layer) > 0 {
		add("of layer %s", "层为 %s", strings.Join(s.Layer, " / "))
	}
	if s.Process != "" {
		add("in %s", "在 %s 中", s.Process)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		add("with %s=%s", "带有 %s=%s", name, s.Values[name])
	}
	if s.Error != nil && *s.Error == "" {
		add("without an error", "没有错误")
	} else if s.Error != nil {
		add("with the error %q", "错误为 %q", *s.Error)
	}
	for _, p := range s.parts() {
		if p.of != nil {
			en, zh := describeCalls(p.of)
			ens = append(ens, relationWords[p.field].En+" one "+en)
			zhs = append(zhs, relationWords[p.field].Zh+"（"+zh+"）")
		}
	}
	return strings.Join(ens, " "), strings.Join(zhs, "，")
}

var relationWords = map[string]Text{
	"of": {En: "among", Zh: "属于"}, "not": {En: "that is not", Zh: "不是"},
	"above": {En: "above", Zh: "在其上方"}, "below": {En: "below", Zh: "在其下方"},
	"calls": {En: "that calls", Zh: "直接调用"}, "calledBy": {En: "called by", Zh: "被其直接调用"},
	"before": {En: "before", Zh: "早于"}, "after": {En: "after", Zh: "晚于"},
}
