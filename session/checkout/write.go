package checkout

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// Write writes a report for people.
func (r *Report) Write(w io.Writer, p message.Printer) error {
	out := bufio.NewWriter(w)
	if len(r.Functions) == 0 {
		fmt.Fprintln(out, p.Sprintf("No function differs."))
	} else if err := r.writeCalled(out, p); err != nil {
		return err
	}
	for _, group := range []struct {
		state State
		title string
	}{
		{NotCalled, p.Sprintf("Called in no recording of %s:", r.Release)},
		{NoSpan, p.Sprintf("Without a span in %s, so recordings cannot show calls:", r.Release)},
		{NotTraced, p.Sprintf("In packages that are not traced, so recordings cannot show calls:")},
		{NotThere, p.Sprintf("Not in %s, so no recording can have it:", r.Release)},
	} {
		r.list(out, group.title, r.in(group.state))
	}
	r.list(out, p.Sprintf("Files in which a type, a variable or an import differs; recordings cannot show the effect:"), r.Others)
	if all := r.scenarios(); len(all) > 0 {
		fmt.Fprintln(out)
		title := p.Plural(len(all), "%d scenario calls changed functions:", "%d scenarios call changed functions; a scenario that calls more of them comes first:", len(all))
		for _, line := range text.Wrap(title, text.Width) {
			fmt.Fprintln(out, line)
		}
		for _, line := range text.Wrap(message.List(all).In(p.Lang()), text.Width-2) {
			fmt.Fprintln(out, "  "+line)
		}
	}
	return out.Flush()
}

// WriteNames writes the scenarios for scripts, one per line.
func (r *Report) WriteNames(w io.Writer) error {
	for _, s := range r.scenarios() {
		if _, err := fmt.Fprintln(w, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) writeCalled(out io.Writer, p message.Printer) error {
	if len(r.Functions[0].Scenarios) == 0 {
		return nil
	}
	table := text.NewTable(2)
	table.Row(p.Sprintf("SCENARIOS"), p.Sprintf("FUNCTION"))
	for _, f := range r.Functions {
		if len(f.Scenarios) > 0 {
			table.Row(strconv.Itoa(len(f.Scenarios)), funcname.Short(f.Name)+gone(p, &f))
		}
	}
	return table.Write(out)
}

// gone returns a remark if the change removes a function.
func gone(p message.Printer, f *Function) string {
	if f.After {
		return ""
	}
	return p.Sprintf(" (removed)")
}

// in lists the functions in a state by full name.
func (r *Report) in(state State) []string {
	var names []string
	for _, f := range r.Functions {
		if f.State == state {
			names = append(names, f.Name)
		}
	}
	return names
}

func (r *Report) list(out io.Writer, title string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintln(out)
	for _, line := range text.Wrap(title, text.Width) {
		fmt.Fprintln(out, line)
	}
	for _, name := range names {
		fmt.Fprintln(out, "  "+name)
	}
}
