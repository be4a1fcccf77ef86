package articles

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// Write lists the articles or, if name is not "", writes that article's steps.
func Write(w io.Writer, name string, p message.Printer) error {
	all, err := find(name)
	if err != nil {
		return err
	}
	if name != "" {
		return all[0].write(w, p)
	}
	for _, a := range all {
		if _, err := fmt.Fprintf(w, "%s  %s\n   %s\n", a.Name, a.Title.Localize(p), a.about(p)); err != nil {
			return err
		}
	}
	return nil
}

// WriteErrors writes the errors of an article, or of all if the name is "".
func WriteErrors(w io.Writer, name string, p message.Printer) error {
	all, err := find(name)
	if err != nil {
		return err
	}
	for _, a := range all {
		for _, c := range a.Chains {
			for i, s := range c.Steps {
				if s.Wrong.En == "" {
					continue
				}
				if _, err := fmt.Fprintf(w, "%s, %s, %d  %s\n    %s\n", a.Name, c.Title.Localize(p), i+1, s.text(p),
					strings.Join(text.Wrap(s.Wrong.Localize(p), text.Width-4), "\n    ")); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// find returns an article, or all if the name is "".
func find(name string) ([]article, error) {
	all, err := known()
	if err != nil || name == "" {
		return all, err
	}
	var names []string
	for i := range all {
		if strings.EqualFold(all[i].Name, name) {
			return all[i : i+1], nil
		}
		names = append(names, all[i].Name)
	}
	return nil, message.UsageErrorf("no article %q: expected one of %s", name, message.List(names))
}

func (a *article) about(p message.Printer) string {
	return p.Sprintf("code of %s; the nearest recorded release is %s", a.Written, a.Nearest)
}

func (a *article) write(w io.Writer, p message.Printer) error {
	last, err := newest()
	if err != nil {
		return err
	}
	releases := map[string]*release{last: nil}
	for _, c := range a.Chains {
		releases[c.Nearest] = nil
	}
	for version := range releases {
		if releases[version], err = open(version, last); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n%s\n", a.Title.Localize(p), a.about(p))
	if a.Note.En != "" {
		fmt.Fprintln(out, strings.Join(text.Wrap(a.Note.Localize(p), text.Width), "\n"))
	}
	for _, c := range a.Chains {
		fmt.Fprintf(out, "\n── %s\n", c.Title.Localize(p))
		if c.Nearest != a.Nearest {
			fmt.Fprintf(out, "    %s\n", p.Sprintf("the nearest release that recorded this is %s", c.Nearest))
		}
		near, now := releases[c.Nearest], releases[last]
		for i := range c.Steps {
			s := &c.Steps[i]
			fmt.Fprintf(out, "%2d  %s\n", i+1, s.text(p))
			for _, said := range s.sentences(near, now) {
				fmt.Fprintf(out, "    %s\n", strings.Join(text.Wrap(said.Localize(p), text.Width-4), "\n    "))
			}
			if name := near.names.Current(lineage.Function, s.Function, c.Read); name != "" {
				fmt.Fprintf(out, "    %s\n", sourceOf(name, c.Read))
			}
			for _, r := range []*release{near, now} {
				if command := s.command(r); command != "" {
					fmt.Fprintf(out, "    %s\n", command)
				}
				if near.version == now.version {
					break
				}
			}
		}
	}
	return out.Flush()
}

// sentences returns sentences about a step: the article's error, the note, the
// step's state in both releases, and the function's history.
func (s *step) sentences(near, now *release) []message.Message {
	var all []message.Message
	if s.Wrong.En != "" {
		all = append(all, message.Of("the article is wrong: %s", s.Wrong))
	}
	if s.Note.En != "" {
		all = append(all, message.Of("%s", s.Note))
	}
	if s.Function == "" {
		return all
	}
	if near.lookUp(s).state == missing && now.lookUp(s).state == missing {
		return clean(append(all, message.Of("neither %s nor %s has it", near.version, now.version), s.end(now)))
	}
	for _, r := range []*release{near, now} {
		at := r.lookUp(s)
		name := short(at.name)
		switch at.state {
		case ran:
			all = append(all, message.Of("%s: %s ran in %s", r.version, name, at.scenario))
		case notCalled:
			all = append(all, message.Of("%s: %s is in the source, and no recorded scenario calls it", r.version, name))
		case noSpan:
			all = append(all, message.Of("%s: %s is in the source, without a span: recordings do not show whether it ran", r.version, name))
		case isType:
			all = append(all, message.Of("%s: %s is a type", r.version, name))
		default:
			all = append(all, message.Of("%s: not there", r.version), s.end(r))
		}
	}
	before, after := near.lookUp(s), now.lookUp(s)
	renamed := before.state != missing && after.state != missing && declared(before.name) != declared(after.name)
	if renamed || s.Today != "" && now.lookUp(&step{Function: s.Function}).state == missing {
		all = append(all, s.end(now))
	}
	return clean(all)
}

// declared returns a function's name or, for a literal, the name of its declaring
// function.
func declared(full string) string {
	name, _ := funcname.SplitLiteral(full)
	return name
}

// text returns the call in the article's words.
func (s *step) text(p message.Printer) string {
	if p.Lang() == "zh" && s.TextZh != "" {
		return s.TextZh
	}
	return s.Text
}

// short returns a name as the tree shows it. A package with a common name such as
// "storage" gets more elements of the path.
func short(full string) string {
	is := funcname.Short(full)
	before, ok := strings.CutSuffix(full, "/"+is)
	if pkg, _, _ := strings.Cut(is, "."); !ok || pkg != "storage" && pkg != "rest" && pkg != "apiserver" {
		return is
	}
	from := strings.LastIndexByte(before, '/') + 1
	if before[from:] == "pkg" {
		from = strings.LastIndexByte(before[:from-1], '/') + 1
	}
	return before[from:] + "/" + is
}

func clean(all []message.Message) []message.Message {
	var left []message.Message
	for _, m := range all {
		if !m.IsZero() {
			left = append(left, m)
		}
	}
	return left
}

// end returns a sentence that says which releases have the step's function or type. If a
// later release lacks it, the sentence also says since when, and why as far as known. It
// is empty if no release is known to have the function or type.
func (s *step) end(r *release) message.Message {
	for _, kind := range []lineage.Kind{lineage.Function, lineage.Type} {
		declared, _ := funcname.SplitLiteral(s.Function)
		stages := r.names.Follow(kind, declared)
		if len(stages) == 0 {
			continue
		}
		last := stages[len(stages)-1]
		span := r.names.Span(stages, funcname.Short)
		if last.Change == nil {
			return span
		}
		return message.Of("%s; %s: %s", span, r.names.Releases[last.Change.At], r.names.End(last.Change))
	}
	return message.Message{}
}

// command returns the command that shows a step in a release, or "". If the article
// names the wrong function, the command shows the correct one.
func (s *step) command(r *release) string {
	shown := s
	if s.Really != "" {
		shown = &step{Function: s.Really, scenarios: s.scenarios}
	}
	switch at := r.lookUp(shown); at.state {
	case noSpan:
		if declared(at.name) == funcname.Package(at.name)+".main" {
			return "" // apitrace source does not read the package of a program
		}
		return sourceOf(at.name, r.version)
	case ran:
		return fmt.Sprintf("apitrace show %s --k8s %s --function %s", at.scenario, r.version, lineage.Quoted(short(at.name)))
	case notCalled, isType:
		return sourceOf(at.name, r.version)
	}
	return ""
}

// sourceOf returns the command for the source of a function or type.
func sourceOf(name, version string) string {
	return fmt.Sprintf("apitrace source %s --k8s %s", lineage.Quoted(short(name)), version)
}
