package lineage

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// Write writes the history of a function or type. full is its full name in any
// release. Each release that changed its name, file or declaration has a line.
func (l *Library) Write(w io.Writer, kind Kind, full string, p message.Printer) error {
	out := bufio.NewWriter(w)
	stages := l.Follow(kind, full)
	title := p.Sprintf("In the released sources from %s to %s (read for this list, not run; v1.15 is not available):", l.Releases[0], l.Releases[len(l.Releases)-1])
	out.WriteString(strings.Join(text.Wrap(title, text.Width), "\n") + "\n")
	line := func(release int, said message.Message) {
		const indent = "          "
		wrapped := text.Wrap(said.Localize(p), text.Width-len(indent))
		for i, s := range wrapped {
			before := indent
			if i == 0 {
				before = (l.Releases[release] + indent)[:len(indent)]
			}
			out.WriteString(before + s + "\n")
		}
	}
	for i, s := range stages {
		for _, said := range l.beginning(kind, stages[:i], s) {
			line(s.First, said)
		}
		for _, c := range l.parted(kind, s) {
			if c.From == s.Name {
				line(c.At, message.Of("%d%% of its text is now in %s", c.Alike, funcname.Short(c.To[0])))
			} else {
				line(c.At, message.Of("it has %d%% of the text of %s, which still exists", c.Alike, funcname.Short(c.From)))
			}
		}
		if s.Change != nil && (s.Change.Fate != Renamed || i == len(stages)-1) {
			line(s.Change.At, l.End(s.Change))
		}
	}
	if last := stages[len(stages)-1]; last.Change == nil {
		line(last.Last, message.Of("still there: %s", funcname.Short(last.Name)))
	}
	return out.Flush()
}

// parted returns the changes that moved a part of a text from the name of
// stage s, or to it when the stage began.
func (l *Library) parted(kind Kind, s Stage) []*Change {
	var all []*Change
	for i := range l.Changes {
		c := &l.Changes[i]
		gave := c.From == s.Name && s.First <= c.At && c.At <= s.Last
		if c.Fate == Extracted && c.Kind == kind && (gave || c.To[0] == s.Name && c.At == s.First) {
			all = append(all, c)
		}
	}
	return all
}

// beginning returns the differences of stage s from the last stage in before.
// For the first stage, it returns the place and the declaration.
func (l *Library) beginning(kind Kind, before []Stage, s Stage) []message.Message {
	where := message.Of("%s in %s/%s", funcname.Short(s.Name), funcname.Package(s.Name), s.File)
	if len(before) == 0 {
		if kind == Type {
			return []message.Message{where, declared(s.Signature)}
		}
		return []message.Message{where, message.Of("`%s%s`", funcname.Last(s.Name), s.Signature)}
	}
	last := before[len(before)-1]
	var all []message.Message
	switch {
	case last.Change != nil && last.Change.Fate == Renamed:
		all = append(all, message.Of("now %s: %s", where, evidence(last.Change)))
	case last.Change != nil:
		all = append(all, message.Of("there again: %s", where))
	case last.File != s.File:
		all = append(all, message.Of("now in %s", s.File))
	}
	if last.Signature == s.Signature {
		return all
	}
	if kind == Type {
		return append(all, difference(last.Signature, s.Signature))
	}
	return append(all, message.Of("`%s%s`", funcname.Last(s.Name), s.Signature))
}

// evidence returns the evidence for a rename.
func evidence(c *Change) message.Message {
	alike := message.Of("%d%% of the text is the same", c.Alike)
	switch {
	case c.Through != "":
		return message.Of("%s, and both are the %s of %s, one of them by embedding", alike, funcname.Last(c.From), funcname.Short(c.Through))
	case c.Kind == Type && len(c.Callers) > 0:
		return message.Of("%s, and its methods went with it", alike)
	case len(c.Callers) > 0:
		return message.Of("%s, and %s calls it as before", alike, shorts(c.Callers[:1]))
	}
	return alike
}

// End returns a sentence about how a name ended.
func (l *Library) End(c *Change) message.Message {
	name := funcname.Short(c.From)
	switch c.Fate {
	case Renamed:
		return message.Of("now %s: %s", c.To[0], evidence(c))
	case Folded, Split:
		return message.Of("gone; %d%% of its text is now in %s", c.Alike, shorts(c.To))
	case Inlined:
		if len(c.Called) == 0 {
			return message.Of("%s is gone; its callers (%s) now call %s (according to the sources; too little of its text is left to compare)", name, shorts(c.Callers), shorts(c.To))
		}
		return message.Of("%s is gone; the functions that it called (%s) are now called by %s (according to the sources; too little of its text is left to compare)", name, shorts(c.Called), shorts(c.To))
	}
	parts := []message.Message{message.Of("%s is gone, and no replacement is known", name)}
	if len(c.Callers) > 0 && c.Kind == Function {
		parts = append(parts, message.Of("look at its callers: %s", shorts(c.Callers)))
	}
	if len(c.Perhaps) > 0 {
		parts = append(parts, message.Of("possible replacement, without evidence: %s", shorts(c.Perhaps)))
	}
	return message.Join("%s; %s", parts...)
}

func shorts(names []string) message.Message {
	var all []string
	for _, n := range names {
		all = append(all, funcname.Short(n))
	}
	return message.List(all)
}

// declared returns the contents of a type's declaration.
func declared(signature string) message.Message {
	lines := strings.Split(signature, "\n")
	if len(lines) == 1 {
		return message.Of("`%s`", lines[0])
	}
	return message.Of("%s of `%s`", lines[0], strings.Join(lines[1:], "; "))
}

// difference returns the fields or methods that a type gained or lost.
func difference(before, after string) message.Message {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var parts []message.Message
	if a[0] != b[0] {
		parts = append(parts, message.Of("`%s` instead of `%s`", b[0], a[0]))
	}
	for _, s := range b[1:] {
		if !slices.Contains(a[1:], s) {
			parts = append(parts, message.Of("+ `%s`", s))
		}
	}
	for _, s := range a[1:] {
		if !slices.Contains(b[1:], s) {
			parts = append(parts, message.Of("- `%s`", s))
		}
	}
	if len(parts) == 0 {
		return message.Of("its members are in another order")
	}
	return message.Join("%s; %s", parts...)
}
