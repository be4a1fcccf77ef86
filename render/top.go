package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/view"
)

// WriteTop writes tables of functions or layers, each with at most most rows. 0 means all rows.
func WriteTop(w io.Writer, tops []*view.Top, most int, options Options) error {
	out := bufio.NewWriter(w)
	p := newPen(&options.Options, &options.Layout)
	for i, top := range tops {
		if i > 0 {
			fmt.Fprintln(out)
		}
		p.writeTop(out, top, most, options.ASCII)
	}
	return out.Flush()
}

// writeTop writes one table. The columns of numbers are as in "pprof -top": own time, its
// share of all own times, the sum of these shares, the total time, and the number of calls.
func (p *pen) writeTop(out *bufio.Writer, top *view.Top, most int, ascii bool) {
	signs := view.SignsFor(ascii)
	signs.TickNs = top.TickNs
	p.writeWrapped(out, p.Request, top.Request)
	p.writeWrapped(out, p.Facts, top.Facts)
	fmt.Fprintln(out)
	indent := strings.Repeat(" ", columnsOf(numbers("", "", "", "", "")))
	head := numbers(p.words.Sprintf("OWN"), p.words.Sprintf("OWN%%"), p.words.Sprintf("SUM%%"), p.words.Sprintf("TOTAL"), p.words.Sprintf("CALLS"))
	what := p.words.Sprintf("FUNCTION")
	if top.Layers {
		what = p.words.Sprintf("LAYER")
	}
	fmt.Fprintln(out, p.Facts.Render(head+what))
	rows := top.Functions
	if most > 0 {
		rows = rows[:min(most, len(rows))]
	}
	sum := int64(0)
	for _, f := range rows {
		sum += f.OwnNs
		fmt.Fprint(out, numbers(signs.Duration(f.OwnNs), share(f.OwnNs, top.OwnNs), share(sum, top.OwnNs), signs.Duration(f.TotalNs), view.Thousands(f.Calls)))
		name := f.Name + " " + f.Place
		if top.Layers {
			name = f.Name + ", " + f.Place
		} else if f.Remote != "" {
			name += " " + p.words.Sprintf("(on the way to %s and back)", f.Remote)
		}
		for i, line := range wrapNames(name, max(p.width-len(indent), narrow/2)) {
			if i > 0 {
				fmt.Fprint(out, indent)
			}
			fmt.Fprintln(out, line)
		}
	}
	fmt.Fprintln(out)
	if more := len(top.Functions) - len(rows); more > 0 && top.Layers {
		p.writeWrapped(out, p.Facts, p.words.Plural(more, "and %s more layer: --most 0 lists all", "and %s more layers: --most 0 lists all", view.Thousands(more)))
	} else if more > 0 {
		p.writeWrapped(out, p.Facts, p.words.Plural(more, "and %s more function: --most 0 lists all", "and %s more functions: --most 0 lists all", view.Thousands(more)))
	}
	if top.Layers {
		var programs []string
		for _, program := range top.Programs {
			programs = append(programs, program.Process+" "+signs.Duration(program.TotalNs))
		}
		p.writeWrapped(out, p.Facts, p.words.Sprintf("each program in all: %s", p.list(programs)))
		p.writeWrapped(out, p.Facts, p.words.Sprintf("own: the time in which no direct traced callee ran, waiting for other goroutines included, of all calls of the layer; total: with all callees; calls without a recorded time belong to their caller's own time"))
	} else {
		p.writeWrapped(out, p.Facts, p.words.Sprintf("own: the time in which no direct traced callee ran, waiting for other goroutines included, of all calls of the function; total: with all callees; calls without a recorded time belong to their caller's own time"))
	}
	p.writeWrapped(out, p.Facts, p.words.Sprintf("OWN%% is the part of %s, the sum of all own times: goroutines and programs that run side by side all count", signs.Duration(top.OwnNs)))
}

// numbers aligns the columns of a row that stand before the function.
func numbers(own, part, sum, total, calls string) string {
	row := ""
	for i, column := range []string{own, part, sum, total, calls} {
		row += strings.Repeat(" ", max(0, []int{8, 7, 7, 9, 7}[i]-columnsOf(column))) + column
	}
	return row + "  "
}

// share writes a part of a whole in percent.
func share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}
