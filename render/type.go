package render

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/view"
)

// typeWidth is the width, in columns, of the paragraphs that WriteType writes below
// the source.
const typeWidth = 80

// WriteType writes a type: its declaration, its methods, its use in recordings, and its
// changes over the releases.
func WriteType(w io.Writer, t *code.Type, o source.PrintOptions) error {
	p := message.For(o.Lang)
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n%s:%d, %s\n", t.Name, t.Place.File, t.Place.Line, t.Place.Program)
	if url := t.Place.Recording.SourceURL(t.Place.Call); url != "" {
		fmt.Fprintln(&out, url)
	}
	out.WriteByte('\n')
	if err := source.Print(&out, t.Declaration, o); err != nil {
		return err
	}
	writeAlias(&out, t, p)
	writeMethods(&out, t, p)
	if err := writeUse(&out, t, p); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WriteTypeFacts writes the alias of a type, its use in recordings, and its changes
// over the releases.
func WriteTypeFacts(w io.Writer, t *code.Type, p message.Printer) error {
	var out bytes.Buffer
	writeAlias(&out, t, p)
	if err := writeUse(&out, t, p); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeAlias(out io.Writer, t *code.Type, p message.Printer) {
	if t.Alias != "" {
		fmt.Fprintln(out, "\n"+p.Sprintf("%s is an alias of it in %s.", funcname.Short(t.Alias), t.Release))
	}
}

// writeUse writes a type's use in recordings, and its changes over the releases.
func writeUse(out *bytes.Buffer, t *code.Type, p message.Printer) error {
	writeBehind(out, t, p)
	names, err := lineage.Load()
	if err != nil || len(names.Follow(lineage.Type, t.Name)) == 0 {
		return err
	}
	out.WriteByte('\n')
	return names.Write(out, lineage.Type, t.Name, p)
}

// writeMethods lists the methods that the declaration does not show.
func writeMethods(out io.Writer, t *code.Type, p message.Printer) {
	all := t.OtherMethods()
	if len(all) == 0 {
		if !t.Interface {
			fmt.Fprintln(out, "\n"+p.Sprintf("It declares no methods."))
		}
		return
	}
	title := p.Sprintf("methods:")
	switch {
	case t.Interface:
		title = p.Sprintf("methods of the interfaces that it embeds:")
	case t.Recordings > 0:
		title = p.Sprintf("methods, and how many of the %d recorded scenarios called each:", t.Recordings)
	}
	fmt.Fprintln(out, "\n"+title)
	for _, m := range all {
		count := ""
		if t.Recordings > 0 && !t.Interface {
			switch n := t.Ran[m.Name]; {
			case n < 0:
				count = p.Sprintf(", no span")
			default:
				count = fmt.Sprintf(", %d", n)
			}
		}
		fmt.Fprintf(out, "  %-24s %s%s\n", fmt.Sprintf("%s:%d", path.Base(m.File), m.Line), funcname.Short(m.Name), count)
	}
}

// writeBehind lists the types that recordings show behind an interface. For another
// type, it lists the interfaces that led to the type, or the functions that name it
// (Type.Users).
func writeBehind(out io.Writer, t *code.Type, p message.Printer) {
	paragraph := func(indent string, said message.Message) {
		for _, l := range wrap(said.Localize(p), typeWidth-len(indent)) {
			fmt.Fprintln(out, indent+l)
		}
	}
	fmt.Fprintln(out)
	paragraph("", behindTitle(t))
	for _, b := range t.Behind {
		paragraph("  ", behindName(b))
		paragraph("      ", message.Of("%s, called by %s", message.List(methodNames(t, b)), message.List(firstOf(shortNames(b.Callers), mostCallers))))
		paragraph("      ", message.List(firstOf(b.Scenarios, mostScenarios)))
	}
	if len(t.Users) > 0 {
		paragraph("  ", message.List(firstOf(shortNames(t.Users), mostUsers)))
	}
}

// behindTitle returns the title above Type.Behind or Type.Users. If both are empty,
// it says why.
func behindTitle(t *code.Type) message.Message {
	switch {
	case len(t.Users) > 0:
		return message.Of("functions whose parameters or results name it:")
	case t.Recordings == 0 && !t.Interface:
		return message.Of("No recording of %s is at hand to show which interfaces led to it.", t.Release)
	case t.Recordings == 0:
		return message.Of("No recording of %s is at hand to show what was behind it.", t.Release)
	case len(t.Behind) == 0 && t.Interface:
		return message.Of("No recorded call shows what was behind it.")
	case len(t.Behind) == 0:
		return message.Of("No recorded call of an interface's method led to it.")
	case t.Interface:
		return message.Of("behind it, in the %d recorded scenarios of %s (the type whose method ran, or one that embeds it):", t.Recordings, t.Release)
	}
	return message.Of("methods of interfaces that were called and led to it, in the %d recorded scenarios of %s:", t.Recordings, t.Release)
}

const (
	// mostCallers, mostScenarios and mostUsers are the maximum numbers of names in a
	// list.
	mostCallers, mostScenarios, mostUsers = 4, 8, 20
)

// behindName says which type was behind an interface.
func behindName(b code.Behind) message.Message {
	said := message.Of("%s", view.Shorten(b.Type))
	if len(b.Through) > 0 {
		var through []string
		for _, typ := range b.Through {
			through = append(through, view.Shorten(typ))
		}
		said = message.Of("%s through embedding %s", said, message.List(through))
	}
	if len(b.Resources) > 0 {
		said = message.Of("%s, for %s", said, message.List(b.Resources))
	}
	return said
}

// methodNames names the called methods, without the type's name for methods that t
// itself declares.
func methodNames(t *code.Type, b code.Behind) []string {
	var all []string
	for _, m := range b.Methods {
		if own := funcname.Last(m); m == t.Name+"."+own {
			all = append(all, own)
		} else {
			all = append(all, funcname.Short(m))
		}
	}
	return all
}

// shortNames shortens names and leaves out duplicates.
func shortNames(names []string) []string {
	var all []string
	for _, name := range names {
		if short := funcname.Short(name); !slices.Contains(all, short) {
			all = append(all, short)
		}
	}
	return all
}

// firstOf returns the first elements of a list, with "…" in place of the others. It
// keeps a single further element.
func firstOf(all []string, most int) []string {
	if len(all) <= most+1 {
		return all
	}
	return append(append([]string{}, all[:most]...), "…")
}
