package view

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/trace"
)

// values maps the name of an attribute to a text, as in Value. It holds the values
// that a reader has seen at the steps above a node.
type values map[string]string

// with returns the values after texts were added. v itself does not change.
func (v values) with(texts []Value) values {
	if len(texts) == 0 {
		return v
	}
	all := values{}
	maps.Copy(all, v)
	for _, t := range texts {
		all[t.Name] = t.Text
	}
	return all
}

// A Value is a recorded value as the tree shows it.
type Value struct {
	Name    string `json:"name" description:"Full name of the attribute."`
	Text    string `json:"text" description:"Short name and value: \"verb=get\"."`
	Decides bool   `json:"decides,omitempty" description:"Whether the attribute is one that decides requests."`
}

// values lists the recorded values in the guide's order. For collapsed calls, each name
// has all different values, in order of entry. Only the full view shows redundant
// values: empty values, values that a step above already shows, values in the
// sentences of the section, and the ids of further causes. shown holds above and the
// values of this node; it is nil in the full view.
func (w *stepWriter) values(n *Node, above values) (texts []Value, shown values) {
	all := map[string][]string{}
	for _, i := range n.Calls {
		for name, value := range w.story.Tree.Call(i).Attributes {
			value = InWords(name, value)
			if (value != "" || w.options.Full) && !slices.Contains(all[name], value) {
				all[name] = append(all[name], value)
			}
		}
	}
	var said []Value
	for _, name := range w.order(n, all) {
		called := valueLabel(name, w.options.Full)
		if name == trace.AttrEtcdRevision && n.Layer == trace.LayerEtcdMVCC && !w.options.Full {
			called = "store_revision" // the revision of etcd's store, not of an object or a write
		}
		text := oneLine(called + "=" + strings.Join(quoted(w.short(all[name])), ", "))
		if name == trace.AttrCauses && !w.options.Full {
			continue // ids, which mean nothing to a reader
		}
		if name == trace.AttrUpstreamSpan || name == trace.AttrUpstreamEvent || name == trace.AttrHandoff && n.Handoff != "" || !w.options.Full && w.known(n, name, text, above) {
			continue
		}
		if value := (Value{name, text, Decides(name)}); !w.options.Full && w.isSaid(n.Calls[0], name, w.story.First(n).Attributes[name]) {
			said = append(said, value)
		} else {
			texts = append(texts, value)
		}
	}
	if w.options.Full { // shows each value at every step
		return texts, nil
	}
	return texts, above.with(texts).with(said)
}

// short returns values as this view shows them, without repetitions.
func (w *stepWriter) short(values []string) []string {
	if w.options.Full {
		return values
	}
	var all []string
	for _, value := range values {
		if s := Shorten(value); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	const most = 6 // values of equal calls that are drawn as one step
	if more := len(all) - most; more > 1 {
		all = append(all[:most], saysMore.Format(w.Lang(), more))
	}
	return all
}

// quoted quotes values with blanks, so that the reader sees where they end.
func quoted(values []string) []string {
	all := slices.Clone(values)
	for i, value := range all {
		switch {
		case !strings.Contains(value, " "):
		case strings.Contains(value, `"`):
			all[i] = "'" + value + "'"
		default:
			all[i] = `"` + value + `"`
		}
	}
	return all
}

// valueLabel returns an attribute's name as the tree shows it. Only the full view has
// room for the complete name. Other views shorten it to the part that is needed to
// understand the value: "verb" for "apitrace.request.verb", "user" for
// "apitrace.user.name".
func valueLabel(name string, full bool) string {
	short := strings.TrimPrefix(name, "apitrace.")
	parts := strings.Split(short, ".")
	last := parts[len(parts)-1]
	switch {
	case full || len(parts) == 1 || last == "key":
		return short
	case last == "type" || last == "name" && parts[0] != "request":
		return parts[len(parts)-2]
	}
	return last
}

// known reports whether a reader knows the value already: from a step above, or from
// the sentence on how the request failed.
func (w *stepWriter) known(n *Node, name, text string, above values) bool {
	return above[name] == text || name == trace.AttrError && w.story.ErrorPath != nil ||
		w.story.ErrorPath.At(n.Calls[0]) != nil && (name == trace.AttrStatusReason || name == trace.AttrStatusCode)
}

// isSaid reports whether a sentence at the head of the section has a value of a decisive
// attribute of call i. The sentence must be about call i or a call above it.
func (w *stepWriter) isSaid(i int, name, value string) bool {
	if !Decides(name) {
		return false
	}
	value = Shorten(InWords(name, value))
	if by, ok := strings.CutPrefix(value, "RBAC: allowed by "); ok && name == trace.AttrAuthorizationReason {
		value = by
	}
	for _, s := range w.said[w.story.SectionOf(i)] {
		if s.Call <= i && i < w.story.Tree.End(s.Call) && holdsWord(s.Text, oneLine(value)) {
			return true
		}
	}
	return false
}

// holdsWord reports whether a text contains a word, but not as a part of a longer word
// or path.
func holdsWord(text, word string) bool {
	if len(word) < 2 {
		return false
	}
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./*", r)
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = at + 1
	}
}

// order sorts the names of a node's values in the guide's order. Names that the guide
// does not know follow in alphabetical order.
func (w *stepWriter) order(n *Node, all map[string][]string) []string {
	var names []string
	for _, name := range w.guide.Values(w.story.First(n).Function) {
		if _, ok := all[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
